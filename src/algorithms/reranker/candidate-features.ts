/**
 * The candidates of a visitor's situation, and what is known of each as a row of numbers. Candidates are the union of
 * what the sources propose, the products of the visit itself (repeats are a prediction like any other) and what is
 * popular lately: some 100 products, which hold the next one about as often as the first 200 of session neighbours do.
 *
 * A source's score is given as its share of the best one among the candidates, and for some sources as a rank and as it
 * is; trees then see both how a product compares and how much there is to go by.
 */
import { createFallingOrder } from "../falling-order.js";
import { createTopK } from "../top-k.js";
import { addEdges, createItemScores } from "./item-scores.js";
import { createNeighbourVotes } from "./neighbour-votes.js";
import { type RankerSources, STATS, statAt } from "./ranker-sources.js";
import { ScoreBoard, Slots } from "./score-board.js";
import { createVisitFacts } from "./visit-facts.js";
import type { VisitQuery } from "./visits.js";

const SHARES = ["close", "plain", "next", "holders", "shared", "nearLast", "nearSum", "nearMost", "nearCount"] as const;
const MORE_SHARES = ["followsLast", "followsSum", "followsSecond", "nextOfLast", "walk", "longWalk"] as const;
const RANKS = ["closeRank", "plainRank", "nearSumRank", "followsSumRank", "walkRank", "longWalkRank"] as const;
const RAW = [
  "closeScore",
  "nearLastScore",
  "nearMostScore",
  "followsLastScore",
  "followsSumScore",
  "nextScore",
] as const;
const ITEM = [...STATS, "trend", "popularToLast", "likeLast", "likeVisit"] as const;
const VISIT = ["stepsSince", "times", "othersSince", "followedLast"] as const;
const SITUATION = [
  "steps",
  "products",
  "run",
  "repeatShare",
  "returns",
  "lastReturned",
  "lastPopular",
  "lastRepeated",
  "lastEnded",
  "neighbours",
  "mostFollowing",
] as const;

/** Names of the features, in their order. */
export const FEATURES = [...SHARES, ...MORE_SHARES, ...RANKS, ...RAW, ...ITEM, ...VISIT, ...SITUATION] as const;
export const FEATURE_COUNT: number = FEATURES.length;

/** Format of the features: trees learned on another one cannot be asked. */
export const FEATURES_FORMAT = 1;

export const MAX_CANDIDATES = 240;
const RECENTLY_POPULAR = 10;
const NO_RANK = 250;
const SMALL = 1e-5;

export interface CandidateFeatures {
  /** Candidates and their rows of the last query; overwritten by the next one. */
  readonly candidates: Uint32Array;
  readonly rows: Float32Array;
  /** What session neighbours say of the last query, also of products that are no candidates; by slot. */
  readonly close: ScoreBoard;
  readonly slots: Slots;
  /** Makes candidates and rows; returns how many. None for a visit without known products. */
  make(query: VisitQuery): number;
}

export function createCandidateFeatures(sources: RankerSources): CandidateFeatures {
  const { stats, vectors, dimensions, neighbours: model, next: nextGraph } = sources;
  const { productCount } = model;
  const slots = new Slots(productCount);
  const votes = createNeighbourVotes(model, slots);
  const scores = createItemScores(sources, slots);
  const facts = createVisitFacts(productCount);
  const nextOfLast = new ScoreBoard(productCount);
  /** Boards in the order of `SHARES` and `MORE_SHARES`, and how many of their best become candidates. */
  const boards: readonly { readonly board: ScoreBoard; readonly take: number }[] = [
    { board: votes.close, take: 80 },
    { board: votes.plain, take: 20 },
    { board: votes.next, take: 20 },
    { board: votes.holders, take: 0 },
    { board: votes.shared, take: 0 },
    { board: scores.nearLast, take: 20 },
    { board: scores.nearSum, take: 40 },
    { board: scores.nearMost, take: 0 },
    { board: scores.nearCount, take: 0 },
    { board: scores.followsLast, take: 20 },
    { board: scores.followsSum, take: 40 },
    { board: scores.followsSecond, take: 0 },
    { board: nextOfLast, take: 0 },
    { board: scores.walk, take: 40 },
    { board: scores.longWalk, take: 20 },
  ];
  const ranked = [votes.close, votes.plain, scores.nearSum, scores.followsSum, scores.walk, scores.longWalk];
  const raw = [votes.close, scores.nearLast, scores.nearMost, scores.followsLast, scores.followsSum, nextOfLast];
  const recentlyPopular = mostPopularLately(sources);
  const top = createTopK();
  const isCandidate = new Uint8Array(productCount);
  const candidates = new Uint32Array(MAX_CANDIDATES);
  /** Slots of the candidates. */
  const places = new Uint32Array(MAX_CANDIDATES);
  const rows = new Float32Array(MAX_CANDIDATES * FEATURE_COUNT);
  // Candidates that a board scores, and their scores.
  const rankedPlaces = new Uint32Array(MAX_CANDIDATES);
  const rankedScores = new Float64Array(MAX_CANDIDATES);
  const falling = createFallingOrder();
  const direction = new Float64Array(dimensions);

  function gather(): number {
    let count = 0;
    const put = (product: number) => {
      if (isCandidate[product] === 1 || count === MAX_CANDIDATES) return;
      isCandidate[product] = 1;
      places[count] = slots.of(product);
      candidates[count++] = product;
    };
    for (const product of facts.newest()) put(product);
    for (const { board, take } of boards) {
      if (take === 0) continue;
      top.reset(take);
      for (let t = 0; t < board.count; t++) {
        const slot = board.touched[t]!;
        top.offer(slots.products[slot]!, board.values[slot]!);
      }
      for (const product of top.take().indices) put(product);
    }
    for (const product of recentlyPopular) put(product);
    for (let c = 0; c < count; c++) isCandidate[candidates[c]!] = 0;
    return count;
  }

  function writeShare({ values }: ScoreBoard, count: number, column: number): void {
    let most = 0;
    for (let c = 0; c < count; c++) most = Math.max(most, values[places[c]!]!);
    const scale = most > 0 ? 1 / most : 0;
    for (let c = 0; c < count; c++) rows[c * FEATURE_COUNT + column] = values[places[c]!]! * scale;
  }

  function writeRank({ values }: ScoreBoard, count: number, column: number): void {
    let scored = 0;
    for (let c = 0; c < count; c++) {
      rows[c * FEATURE_COUNT + column] = NO_RANK;
      const value = values[places[c]!]!;
      if (!(value > 0)) continue;
      rankedScores[scored] = value;
      rankedPlaces[scored++] = c;
    }
    const order = falling.of(rankedScores, rankedPlaces, scored);
    for (let rank = 0; rank < scored; rank++) rows[rankedPlaces[order[rank]!]! * FEATURE_COUNT + column] = rank + 1;
  }

  /** The direction of the newest ten steps, later ones counting more. */
  function turnTo({ items }: VisitQuery): void {
    direction.fill(0);
    let weight = 1;
    for (let at = items.length - 1; at >= Math.max(0, items.length - 10); at--) {
      const from = items[at]! * dimensions;
      for (let d = 0; d < dimensions; d++) direction[d]! += weight * vectors[from + d]!;
      weight *= 0.75;
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += direction[d]! ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let d = 0; d < dimensions; d++) direction[d]! *= scale;
  }

  function writeItem(product: number, last: number, column: number): void {
    const from = product * STATS.length;
    for (let s = 0; s < STATS.length; s++) rows[column++] = stats[from + s]!;
    rows[column++] = (stats[from + statAt("popular5")]! + SMALL) / (stats[from + statAt("popular100")]! + SMALL);
    const lastPopular = stats[last * STATS.length + statAt("popular20")]!;
    rows[column++] = stats[from + statAt("popular20")]! / (lastPopular + SMALL);
    let likeLast = 0;
    let likeVisit = 0;
    for (let d = 0; d < dimensions; d++) {
      const value = vectors[product * dimensions + d]!;
      likeLast += value * vectors[last * dimensions + d]!;
      likeVisit += value * direction[d]!;
    }
    rows[column++] = likeLast;
    rows[column] = likeVisit;
  }

  return {
    candidates,
    rows,
    close: votes.close,
    slots,
    make(query) {
      const { items } = query;
      const last = items.at(-1);
      if (last === undefined) return 0;
      for (const { board } of boards) board.clear();
      slots.clear();
      const neighbours = votes.ask(items);
      scores.ask(items);
      addEdges(nextGraph, last, 1, slots, nextOfLast);
      facts.read(query);
      turnTo(query);
      const count = gather();
      let column = 0;
      for (const { board } of boards) writeShare(board, count, column++);
      for (const board of ranked) writeRank(board, count, column++);
      for (const { values } of raw) {
        for (let c = 0; c < count; c++) rows[c * FEATURE_COUNT + column] = values[places[c]!]!;
        column++;
      }
      const lastStats = last * STATS.length;
      let mostFollowing = 0;
      const { touched, values, count: following } = scores.followsLast;
      for (let t = 0; t < following; t++) mostFollowing = Math.max(mostFollowing, values[touched[t]!]!);
      const situation = [
        ...facts.situation(),
        stats[lastStats + statAt("popular20")]!,
        stats[lastStats + statAt("repeated")]!,
        stats[lastStats + statAt("ended")]!,
        neighbours,
        mostFollowing,
      ];
      for (let c = 0; c < count; c++) {
        const product = candidates[c]!;
        const from = c * FEATURE_COUNT + column;
        writeItem(product, last, from);
        facts.write(product, rows, from + ITEM.length);
        for (let s = 0; s < situation.length; s++) rows[from + ITEM.length + VISIT.length + s] = situation[s]!;
      }
      return count;
    },
  };
}

function mostPopularLately({ stats, neighbours }: RankerSources): Uint32Array {
  const top = createTopK();
  top.reset(RECENTLY_POPULAR);
  for (let product = 0; product < neighbours.productCount; product++) {
    const score = stats[product * STATS.length + statAt("popular5")]!;
    if (score > 0) top.offer(product, score);
  }
  return top.take().indices;
}
