import { isAscii } from "node:buffer";
import type { VectorIndex } from "../../adapters/vector-index.js";
import { DataDamaged } from "../../domain/errors.js";
import type { ModelManifest, SnapshotBytes } from "../../domain/model.js";
import type { Section } from "../common/section.js";
import { UnknownFormat } from "../common/section.js";
import { type CartRankingParts, decodeCartRanking, encodeCartRanking } from "../rank/carts/ranking.js";
import type { Ranker } from "../rank/visits/ranker.js";
import { decodeRanker, encodeRanker, RANKER_PARTS } from "../rank/visits/ranker-section.js";
import { type BlendWeights, decodeBlendWeights, encodeBlendWeights } from "../sources/blend-weights.js";
import { type CartComplements, decodeCartComplements, encodeCartComplements } from "../sources/carts/complements.js";
import { type DailyCounts, decodeDailyCounts, encodeDailyCounts } from "../sources/popularity/daily-counts.js";
import { decodeRules, encodeRules, type Rules } from "../sources/rules/association-rules.js";
import {
  decodeSessionNeighbours,
  encodeSessionNeighbours,
  type SessionNeighbours,
} from "../sources/sessions/session-neighbours.js";
import type { SemanticModel } from "../sources/texts.js";
import { decodeEmbedder, encodeEmbedder } from "../text/embedder.js";
import { type Container, encodeContainer, type Room } from "./container.js";
import { encodeTextVectors, TEXT_VECTORS, type TextVectors } from "./text-vectors.js";
import { inParts, type Steps } from "./yielding-steps.js";

/** Format of the whole snapshot: which sections there are and what they mean. */
export const SNAPSHOT_FORMAT = 1;

/** Everything a training fitted. An algorithm that had too little data is undefined. */
export interface Fitted {
  readonly productIds: readonly string[];
  /** By product index. */
  readonly popularity: Float32Array;
  /** What was done with each product on each of the last days; absent in older snapshots. */
  readonly daily?: DailyCounts | undefined;
  readonly rules: Rules | undefined;
  readonly cart: CartComplements | undefined;
  /** Ranks the proposals of the cart and its rules. */
  readonly cartRanking: CartRankingParts | undefined;
  readonly sessions: SessionNeighbours | undefined;
  /** Ranks the proposals of sessions; its neighbours are `sessions`. */
  readonly ranker: Ranker | undefined;
  readonly semantic: SemanticModel | undefined;
  /** Weights of the sources in `recommended`; absent in older snapshots. */
  readonly blend?: BlendWeights | undefined;
  /** For the next training only: `decodeSnapshot` leaves them out, `readTextVectors` reads them. */
  readonly textVectors?: TextVectors | undefined;
}

const PLAIN = { formatNumber: 1, numbers: {} } as const;

/** `room` allocates the pieces. */
export function encodeSnapshot(manifest: ModelManifest, fitted: Fitted, room?: Room): SnapshotBytes {
  const sections = new Map<string, Section>();
  sections.set("products", encodeStrings(fitted.productIds));
  sections.set("popularity", { ...PLAIN, arrays: { scores: fitted.popularity } });
  if (fitted.daily) sections.set("daily_counts", encodeDailyCounts(fitted.daily));
  if (fitted.rules) sections.set("association_rules", encodeRules(fitted.rules));
  if (fitted.cart) sections.set("cart_complements", encodeCartComplements(fitted.cart));
  if (fitted.cartRanking) sections.set("cart_ranking", encodeCartRanking(fitted.cartRanking));
  if (fitted.sessions) sections.set("session_neighbours", encodeSessionNeighbours(fitted.sessions));
  if (fitted.ranker) {
    const parts = encodeRanker(fitted.ranker);
    for (const part of RANKER_PARTS) sections.set(`ranker_${part}`, parts[part]);
  }
  if (fitted.semantic) {
    const { embedder, textDimensions, rows, vectors, index } = fitted.semantic;
    sections.set("embedder", encodeEmbedder(embedder));
    const arrays = { rows, vectors, index: index.encode() };
    sections.set("vectors", { ...PLAIN, numbers: { textDimensions }, arrays });
  }
  if (fitted.blend) sections.set("blend", encodeBlendWeights(fitted.blend));
  if (fitted.textVectors) sections.set(TEXT_VECTORS, encodeTextVectors(fitted.textVectors));
  return encodeContainer({ manifest, sections }, room);
}

export interface DecodedSnapshot {
  readonly manifest: ModelManifest;
  readonly fitted: Fitted;
  /** Parts that another version of this program wrote in a format of its own: they are left out until the next training. */
  readonly unread: readonly string[];
}

/** Opens an index over the vectors of which it was built. */
export type OpenIndex = (index: Uint8Array, vectors: Float32Array) => VectorIndex;

/** The vectors of a snapshot and their index; undefined when it has none. */
export function indexedVectors({ sections }: Container): Parameters<OpenIndex> | undefined {
  const { index, vectors } = sections.get("vectors")?.arrays ?? {};
  return index instanceof Uint8Array && vectors instanceof Float32Array ? [index, vectors] : undefined;
}

/**
 * Reads what `encodeSnapshot` wrote, of this or another version, in steps of some milliseconds each. Throws DataDamaged or
 * another Error for anything else.
 */
export function* snapshotSteps({ manifest, sections }: Container, openIndex: OpenIndex): Steps<DecodedSnapshot> {
  if (manifest.formatNumber !== SNAPSHOT_FORMAT)
    throw new DataDamaged(`The model snapshot has contents of format ${manifest.formatNumber}`);
  const unread: string[] = [];
  function* unlessUnknown<T>(name: string, decode: () => T): Steps<T | undefined> {
    yield;
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      unread.push(name);
      return undefined;
    }
  }
  function* optional<T>(name: string, decode: (section: Section) => T): Steps<T | undefined> {
    const section = sections.get(name);
    return section && (yield* unlessUnknown(name, () => decode(section)));
  }
  const products = sections.get("products");
  const scores = sections.get("popularity")?.arrays.scores;
  if (products === undefined || !(scores instanceof Float32Array))
    throw new DataDamaged("The model snapshot lacks its products");
  const sessions = yield* optional("session_neighbours", decodeSessionNeighbours);
  const fitted: Fitted = {
    productIds: yield* decodeStrings(products),
    popularity: scores,
    daily: yield* optional("daily_counts", (section) => decodeDailyCounts(section, scores.length)),
    rules: yield* optional("association_rules", decodeRules),
    cart: yield* optional("cart_complements", decodeCartComplements),
    cartRanking: yield* optional("cart_ranking", decodeCartRanking),
    sessions,
    ranker: sessions && (yield* unlessUnknown("ranker", () => decodeRankerOf(sessions, sections))),
    semantic: yield* optional("embedder", (section) => decodeSemantic(section, sections.get("vectors"), openIndex)),
    blend: yield* optional("blend", decodeBlendWeights),
  };
  return { manifest, fitted, unread };
}

/** Undefined when the snapshot holds none of its parts. */
function decodeRankerOf(sessions: SessionNeighbours, sections: ReadonlyMap<string, Section>): Ranker | undefined {
  const { near, products, trees } = Object.fromEntries(
    RANKER_PARTS.map((part) => [part, sections.get(`ranker_${part}`)]),
  );
  if (near && products && trees) return decodeRanker({ near, products, trees }, sessions);
  if (near || products || trees) throw new DataDamaged("The model snapshot lacks parts of its ranker");
  return undefined;
}

function decodeSemantic(embedder: Section, vectors: Section | undefined, openIndex: OpenIndex): SemanticModel {
  const { rows, vectors: values, index } = vectors?.arrays ?? {};
  if (!(rows instanceof Uint32Array) || !(values instanceof Float32Array) || !(index instanceof Uint8Array))
    throw new DataDamaged("The model snapshot lacks its vectors");
  const textDimensions = vectors?.numbers.textDimensions ?? 0;
  return { embedder: decodeEmbedder(embedder), textDimensions, rows, vectors: values, index: openIndex(index, values) };
}

const STRINGS_FORMAT = 1;

/** A list of texts as one section: UTF-8 bytes and where each text ends. */
export function encodeStrings(texts: readonly string[]): Section {
  const encoder = new TextEncoder();
  const parts = texts.map((text) => encoder.encode(text));
  const ends = new Uint32Array(texts.length);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const [i, part] of parts.entries()) {
    bytes.set(part, at);
    at += part.length;
    ends[i] = at;
  }
  return { formatNumber: STRINGS_FORMAT, numbers: {}, arrays: { bytes, ends } };
}

export function* decodeStrings(section: Section): Steps<string[]> {
  const { bytes, ends } = section.arrays;
  if (section.formatNumber !== STRINGS_FORMAT || !(bytes instanceof Uint8Array) || !(ends instanceof Uint32Array))
    throw new DataDamaged("A list of texts in the model snapshot cannot be read");
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // A cut out of one text takes a tenth of the time of a text from bytes. Only ASCII has a character for each byte.
  const all = isAscii(buffer) ? buffer.toString("latin1") : undefined;
  const texts: string[] = [];
  yield* inParts(ends.length, (from, to) => {
    for (let n = from, start = ends[from - 1] ?? 0; n < to; n++) {
      const end = ends[n]!;
      texts.push(all?.slice(start, end) ?? buffer.toString("utf8", start, end));
      start = end;
    }
  });
  return texts;
}
