/**
 * Popularity: meetings of visitors with products, each counted by its weight and halved with every half-life of age at
 * the cut-off. What is asked for at one time is what sold lately, not what ever sold; with half-life H a product met
 * once a day settles near 1.44 * H in days. One pass over the meetings.
 */
import { type Candidates, NO_CANDIDATES } from "./candidates.js";
import { type Rows, rowCount, rowOf } from "./rows.js";
import type { Section } from "./section.js";
import { createSectionReader } from "./section-reader.js";
import { createTopK } from "./top-k.js";

/** Meetings of a visitor and a product, in any order; the three arrays have one length. */
export interface Meetings {
  readonly productIndices: Uint32Array;
  /** Milliseconds. */
  readonly at: Float64Array;
  /** What one meeting counts; an order says more than a view. */
  readonly weights: Float32Array;
}

export interface PopularityParams {
  /** Time from which ages are counted, ms. Later meetings count as if they happened then. */
  readonly cutOff: number;
  /** Age at which a meeting counts half; above 0, Infinity for no decay. */
  readonly halfLifeMs: number;
}

/** Decayed weight of every product; 0 for those never met. Products outside the catalogue are ignored. */
export function popularity(meetings: Meetings, productCount: number, params: PopularityParams): Float32Array {
  const { cutOff, halfLifeMs } = params;
  if (!(halfLifeMs > 0)) throw new RangeError("halfLifeMs must be above 0");
  const sums = new Float64Array(productCount);
  for (let i = 0; i < meetings.productIndices.length; i++) {
    const product = meetings.productIndices[i]!;
    if (product >= productCount) continue;
    const age = Math.max(0, cutOff - meetings.at[i]!);
    sums[product]! += meetings.weights[i]! * 2 ** (-age / halfLifeMs);
  }
  return Float32Array.from(sums);
}

/** The k products of the highest score above 0. `allowed` names the products that may be proposed; all when absent. */
export function mostPopular(scores: Float32Array, k: number, allowed?: Iterable<number>): Candidates {
  const top = createTopK();
  top.reset(k);
  for (const product of allowed === undefined ? scores.keys() : new Set(allowed)) {
    const score = scores[product] ?? 0;
    if (score > 0) top.offer(product, score);
  }
  return top.take();
}

/** The k most popular products of each group, best first; a group is a row of product indices. */
export function mostPopularByGroup(scores: Float32Array, groups: Rows, k: number): GroupPopularity {
  const best = Array.from({ length: rowCount(groups) }, (_, group) => mostPopular(scores, k, rowOf(groups, group)));
  const offsets = new Uint32Array(best.length + 1);
  for (const [group, { indices }] of best.entries()) offsets[group + 1] = offsets[group]! + indices.length;
  const products = new Uint32Array(offsets[best.length]!);
  for (const [group, { indices }] of best.entries()) products.set(indices, offsets[group]!);
  return { scores, best: { offsets, items: products } };
}

/** Popularity with its leaders by group. */
export interface GroupPopularity {
  readonly scores: Float32Array;
  /** Row g: the most popular products of group g, best first. */
  readonly best: Rows;
}

/** The leaders of a group, at most k and at most as many as were kept; none for an unknown group. */
export function popularInGroup(popular: GroupPopularity, group: number, k: number): Candidates {
  if (group >= rowCount(popular.best)) return NO_CANDIDATES;
  const indices = rowOf(popular.best, group).slice(0, k);
  return { indices, scores: Float64Array.from(indices, (product) => popular.scores[product]!) };
}

const FORMAT = 1;

export function encodePopularity({ scores, best }: GroupPopularity): Section {
  return { formatNumber: FORMAT, numbers: {}, arrays: { scores, offsets: best.offsets, items: best.items } };
}

/** Throws an Error for a section of another format or with a part missing. */
export function decodePopularity(section: Section): GroupPopularity {
  const read = createSectionReader("Popularity scores", FORMAT, section);
  const [offsets, items] = [read.uint32("offsets"), read.uint32("items")];
  read.rows("offsets", Math.max(0, offsets.length - 1), items.length);
  return { scores: read.float32("scores"), best: { offsets, items } };
}
