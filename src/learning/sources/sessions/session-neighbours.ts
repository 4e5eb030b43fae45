/**
 * Session neighbours: "visitors whose sessions resemble this one went on to …".
 *
 * Nearest neighbours among sessions, in the VSKNN / STAN / VSTAN family:
 *   Ludewig, Jannach: Evaluation of session-based recommendation algorithms, UMUAI 2018 (VSKNN)
 *   Garg, Gupta, Malhotra, Vig, Shroff: Sequence and time aware neighborhood, SIGIR 2019 (STAN)
 *   Ludewig, Mauro, Latifi, Jannach: Empirical analysis of session-based recommendation, UMUAI 2021 (VSTAN)
 *
 *   similarity(session) = (sum over shared items of query weight * idf^idfInSimilarity)^sharpness
 *                         * recency of the session / length of the session^lengthNormalisation
 *   score(item)         = idf^idfInScore * sum over the k most similar sessions of similarity
 *                         * query weight of the anchor^anchorPower * closeness of the item to the anchor
 *
 * The anchor of a neighbour is the shared item that is newest in the query, at its last place in the neighbour. What
 * follows it there counts most, what precedes it less; all decays are exponential. IDF is log(1 + sessions / sessions
 * with the item), scaled to 0..1.
 *
 * Different here: recency is counted back from the newest session. Counted from the time of the query an exponential
 * decay would scale all scores of a query alike, so a query needs no time. Papers draw a sample of recent sessions for
 * each query; here the list of sessions of a product is cut to its newest ones when fitting, which bounds memory and
 * queries both (VMIS-kNN: Kersbergen, Sprangers, Schelter: Serenade, SIGMOD 2022). A session that is in no product's list
 * can be no neighbour and is not kept. IDF at a high power in the similarity (4) gained on each of three data sets.
 *
 * Memory: 8 bytes for each item of a session, 8 a session, 12 a product, and no more sessions than `sessionsPerItem` for each
 * product; a recommender adds 4 a session and 12 a product of scratch space. Fitting diginetica (172 k sessions, 836 k
 * views) takes 0.2 s, a query 0.05 to 0.2 ms.
 */
import { type Rows, rowCount } from "../../common/rows.js";
import { createSectionReader, type Section, type SectionArray } from "../../common/section.js";

/** How session neighbours are found and scored, by the formulas above. */
export interface SessionParams {
  /** Neighbours that are scored. */
  readonly k: number;
  /** Newest sessions listed for each product: bounds memory and the time of a query. */
  readonly sessionsPerItem: number;
  /** Newest items of a session that are kept. */
  readonly sessionItems: number;
  /** Most distinct items read of a query, the newest. */
  readonly queryItems: number;
  /** Steps back in the query after which an item's weight has fallen to 1/e. */
  readonly queryDecay: number;
  /** Days after which the weight of a session has fallen to 1/e. */
  readonly sessionDecayDays: number;
  /** Steps from the anchor in a neighbour after which an item's weight has fallen to 1/e. */
  readonly neighbourDecay: number;
  /** Weight of what precedes the anchor, against 1 for what follows it. */
  readonly before: number;
  /** Weight of the anchor itself: how strongly repeats are proposed. */
  readonly repeat: number;
  /** Power of the anchor's own query weight in a neighbour's vote. */
  readonly anchorPower: number;
  /** Power of IDF in the similarity of sessions. */
  readonly idfInSimilarity: number;
  /** Power of IDF in the score of a product. */
  readonly idfInScore: number;
  /** Power of a session's length that its similarity is divided by. */
  readonly lengthNormalisation: number;
  /** Power of the sum of shared weights: above 1, sharing much counts more than being one of many. */
  readonly sharpness: number;
}

const BOUNDS = { k: 500, sessionsPerItem: 1000, sessionItems: 200, queryItems: 30, idfInSimilarity: 4 } as const;

/** Visits that look for one kind of thing; tuned on product views of a web shop (diginetica). The default. */
export const BROWSING: SessionParams = {
  ...BOUNDS,
  queryDecay: 4,
  sessionDecayDays: 120,
  neighbourDecay: 3,
  before: 0.7,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.5,
  sharpness: 1.5,
};

/** Short visits that change their mind quickly, in a range that changes within weeks; tuned on yoochoose. */
export const QUICK: SessionParams = {
  ...BOUNDS,
  queryDecay: 2,
  sessionDecayDays: 7,
  neighbourDecay: 1.5,
  before: 1,
  repeat: 1,
  anchorPower: 1,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1,
};

/** Long visits that come back to the same things over and over; tuned on tmall. */
const RETURNING: SessionParams = {
  ...BOUNDS,
  queryDecay: 20,
  sessionDecayDays: 30,
  neighbourDecay: 10,
  before: 0.9,
  repeat: 4,
  anchorPower: 0.5,
  idfInScore: 1,
  lengthNormalisation: 0.25,
  sharpness: 1.5,
};

export const SESSION_PRESETS = { browsing: BROWSING, quick: QUICK, returning: RETURNING } as const;

const DAY_MS = 86_400_000;

/** The sessions to learn from: items of a row in order of time, repeats allowed. */
export interface SessionInput {
  readonly sessions: Rows;
  /** Time of the last step of each session, ms. Without clock times any rising numbers do, for example a minute each. */
  readonly endedAt: Float64Array;
  /** How strongly each item of `sessions.items` is proposed when its session is a neighbour; 1 when absent. */
  readonly strengths?: Float32Array;
}

export interface SessionNeighbours {
  readonly params: SessionParams;
  readonly productCount: number;
  /** Sessions that were learned from. */
  readonly learned: number;
  /** Those of them that a product lists, in order of their end. */
  readonly sessions: Rows;
  /** Aligned with `sessions.items`; undefined when all are 1. */
  readonly strengths: Float32Array | undefined;
  /** Recency divided by the power of the length, by session. */
  readonly sessionWeights: Float32Array;
  /** Product p is in the sessions `postings[postingOffsets[p]]` up to, not including, `postingOffsets[p + 1]`; newest first. */
  readonly postingOffsets: Uint32Array;
  readonly postings: Uint32Array;
  /** Powers of IDF by product; 0 for a product that no session holds. */
  readonly similarityIdf: Float32Array;
  readonly scoreIdf: Float32Array;
}

export interface SessionFitOptions extends Partial<SessionParams> {
  /** Ages are counted back from here, ms; sessions that ended later have age 0. The newest session when absent. */
  readonly cutOff?: number;
}

/** Learns neighbours from sessions. Throws RangeError when lengths differ, a time is no number, or an item is out of range. */
export function fitSessionNeighbours(
  input: SessionInput,
  productCount: number,
  options: SessionFitOptions = {},
): SessionNeighbours {
  const { cutOff, ...chosen } = options;
  const params: SessionParams = { ...BROWSING, ...chosen };
  check(input, productCount);
  const { sessions, strengths, endedAt } = inOrderOfTime(input, params.sessionItems);
  const inSessions = countSessions(sessions, productCount);
  const { postingOffsets, postings } = listSessions(sessions, inSessions, params.sessionsPerItem);

  const count = rowCount(sessions);
  const newest = count === 0 ? 0 : endedAt[count - 1]!;
  const now = cutOff === undefined ? newest : Math.min(cutOff, newest);
  const sessionWeights = new Float32Array(count);
  for (let s = 0; s < count; s++) {
    const length = sessions.offsets[s + 1]! - sessions.offsets[s]!;
    const recency = Math.exp(-Math.max(0, now - endedAt[s]!) / DAY_MS / params.sessionDecayDays);
    sessionWeights[s] = recency / Math.max(1, length) ** params.lengthNormalisation;
  }
  const similarityIdf = new Float32Array(productCount);
  const scoreIdf = new Float32Array(productCount);
  for (let p = 0; p < productCount; p++) {
    if (inSessions[p] === 0) continue;
    const idf = Math.log(1 + count / inSessions[p]!) / Math.log(1 + count);
    similarityIdf[p] = idf ** params.idfInSimilarity;
    scoreIdf[p] = idf ** params.idfInScore;
  }
  const listed = { sessions, strengths, sessionWeights, postings };
  return {
    params,
    productCount,
    learned: count,
    ...listedSessions(listed),
    postingOffsets,
    similarityIdf,
    scoreIdf,
  };
}

type Listed = Pick<SessionNeighbours, "sessions" | "strengths" | "sessionWeights" | "postings">;

/** Without the sessions that no product lists. */
function listedSessions(all: Listed): Listed {
  const { offsets, items } = all.sessions;
  const count = offsets.length - 1;
  /** By session: its number among the kept ones + 1; 0 for one that is not kept. */
  const numbers = new Uint32Array(count);
  for (const session of all.postings) numbers[session] = 1;
  let kept = 0;
  let length = 0;
  for (let s = 0; s < count; s++) {
    if (numbers[s] === 0) continue;
    numbers[s] = ++kept;
    length += offsets[s + 1]! - offsets[s]!;
  }
  if (kept === count) return all;
  const sessions = { offsets: new Uint32Array(kept + 1), items: new Uint32Array(length) };
  const strengths = all.strengths && new Float32Array(length);
  const sessionWeights = new Float32Array(kept);
  let at = 0;
  for (let s = 0; s < count; s++) {
    const number = numbers[s]!;
    if (number === 0) continue;
    sessions.items.set(items.subarray(offsets[s]!, offsets[s + 1]!), at);
    if (all.strengths) strengths?.set(all.strengths.subarray(offsets[s]!, offsets[s + 1]!), at);
    at += offsets[s + 1]! - offsets[s]!;
    sessions.offsets[number] = at;
    sessionWeights[number - 1] = all.sessionWeights[s]!;
  }
  return { sessions, strengths, sessionWeights, postings: all.postings.map((session) => numbers[session]! - 1) };
}

function check(input: SessionInput, productCount: number): void {
  const { sessions, endedAt, strengths } = input;
  if (endedAt.length !== rowCount(sessions)) throw new RangeError("endedAt must hold one time for each session");
  if (endedAt.some((at) => !Number.isFinite(at))) throw new RangeError("endedAt must hold numbers");
  if (strengths && strengths.length !== sessions.items.length)
    throw new RangeError("strengths must hold one number for each item of the sessions");
  if (sessions.items.some((item) => item >= productCount)) throw new RangeError("sessions hold an item out of range");
}

/** The sessions by the time of their end (equal times as given), each cut to its newest items. */
function inOrderOfTime(
  { sessions, endedAt, strengths }: SessionInput,
  sessionItems: number,
): { sessions: Rows; endedAt: Float64Array; strengths: Float32Array | undefined } {
  const count = rowCount(sessions);
  if (isReady({ sessions, endedAt }, sessionItems)) return { sessions, endedAt, strengths };
  const order = Uint32Array.from({ length: count }, (_, s) => s);
  order.sort((a, b) => endedAt[a]! - endedAt[b]! || a - b);
  const offsets = new Uint32Array(count + 1);
  for (let s = 0; s < count; s++) {
    const length = sessions.offsets[order[s]! + 1]! - sessions.offsets[order[s]!]!;
    offsets[s + 1] = offsets[s]! + Math.min(length, sessionItems);
  }
  const items = new Uint32Array(offsets[count]!);
  const sorted = strengths && new Float32Array(items.length);
  for (let s = 0; s < count; s++) {
    const end = sessions.offsets[order[s]! + 1]!;
    const begin = end - (offsets[s + 1]! - offsets[s]!);
    items.set(sessions.items.subarray(begin, end), offsets[s]!);
    if (strengths) sorted?.set(strengths.subarray(begin, end), offsets[s]!);
  }
  return { sessions: { offsets, items }, endedAt: endedAt.map((_, s) => endedAt[order[s]!]!), strengths: sorted };
}

/** True for sessions in order of time that are cut already: a large shop's need no copy. */
function isReady({ sessions: { offsets }, endedAt }: SessionInput, sessionItems: number): boolean {
  for (let s = 0; s < endedAt.length; s++) {
    if (offsets[s + 1]! - offsets[s]! > sessionItems) return false;
    if (s > 0 && endedAt[s]! < endedAt[s - 1]!) return false;
  }
  return true;
}

/** By product, the number of sessions that hold it. */
function countSessions({ offsets, items }: Rows, productCount: number): Uint32Array {
  const inSessions = new Uint32Array(productCount);
  const lastSeen = new Int32Array(productCount).fill(-1);
  for (let s = 0; s < offsets.length - 1; s++) {
    for (let at = offsets[s]!; at < offsets[s + 1]!; at++) {
      const item = items[at]!;
      if (lastSeen[item] === s) continue;
      lastSeen[item] = s;
      inSessions[item]!++;
    }
  }
  return inSessions;
}

function listSessions(sessions: Rows, inSessions: Uint32Array, sessionsPerItem: number) {
  const { offsets, items } = sessions;
  const productCount = inSessions.length;
  const lastSeen = new Int32Array(productCount).fill(-1);
  const postingOffsets = new Uint32Array(productCount + 1);
  for (let p = 0; p < productCount; p++) {
    postingOffsets[p + 1] = postingOffsets[p]! + Math.min(inSessions[p]!, sessionsPerItem);
  }
  const postings = new Uint32Array(postingOffsets[productCount]!);
  const next = postingOffsets.slice(0, productCount);
  for (let s = rowCount(sessions) - 1; s >= 0; s--) {
    for (let at = offsets[s]!; at < offsets[s + 1]!; at++) {
      const item = items[at]!;
      if (lastSeen[item] === s || next[item] === postingOffsets[item + 1]) continue;
      lastSeen[item] = s;
      postings[next[item]!++] = s;
    }
  }
  return { postingOffsets, postings };
}

const FORMAT = 1;
const PARAM_NAMES = Object.keys(BROWSING) as readonly (keyof SessionParams)[];

export function encodeSessionNeighbours(model: SessionNeighbours): Section {
  const arrays: Record<string, SectionArray> = {
    offsets: model.sessions.offsets,
    items: model.sessions.items,
    sessionWeights: model.sessionWeights,
    postingOffsets: model.postingOffsets,
    postings: model.postings,
    similarityIdf: model.similarityIdf,
    scoreIdf: model.scoreIdf,
  };
  if (model.strengths) arrays.strengths = model.strengths;
  return {
    formatNumber: FORMAT,
    numbers: { productCount: model.productCount, learned: model.learned, ...model.params },
    arrays,
  };
}

/** Throws an Error for a section of another format, or with a part missing or unfit. */
export function decodeSessionNeighbours(section: Section): SessionNeighbours {
  const reader = createSectionReader("Session neighbours", FORMAT, section);
  const params: Record<keyof SessionParams, number> = { ...BROWSING };
  for (const name of PARAM_NAMES) params[name] = reader.number(name);
  const productCount = reader.number("productCount");
  const items = reader.uint32("items");
  const sessionWeights = reader.float32("sessionWeights");
  const postings = reader.uint32("postings");
  reader.rows("offsets", sessionWeights.length, items.length);
  reader.rows("postingOffsets", productCount, postings.length);
  return {
    params,
    productCount,
    // Before, all were kept.
    learned: Object.hasOwn(section.numbers, "learned") ? reader.number("learned") : sessionWeights.length,
    sessions: { offsets: reader.uint32("offsets"), items },
    strengths: Object.hasOwn(section.arrays, "strengths") ? reader.float32("strengths") : undefined,
    sessionWeights,
    postingOffsets: reader.uint32("postingOffsets"),
    postings,
    similarityIdf: reader.float32("similarityIdf"),
    scoreIdf: reader.float32("scoreIdf"),
  };
}

/** What each session counts beside the newest one: e^(-age / decayDays), never 0, so that what is old only is still known. */
export function sessionRecency(endedAt: Float64Array, decayDays: number): Float32Array {
  const newest = endedAt.at(-1) ?? 0;
  const recency = new Float32Array(endedAt.length);
  for (let s = 0; s < recency.length; s++)
    recency[s] = Math.max(1e-6, Math.exp(-(newest - endedAt[s]!) / DAY_MS / decayDays));
  return recency;
}
