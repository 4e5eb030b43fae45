/**
 * What a re-ranker looks products up in, fitted from visits: session neighbours, an item graph, a small embedding of
 * the products and a few numbers about each. Everything is counted in shares of sessions, not in days, so that shops of
 * any size and pace look alike to the trees.
 */
import { fitItemGraph, type ItemGraph } from "../../common/item-graph.js";
import { createRandom } from "../../common/random.js";
import { rowCount } from "../../common/rows.js";
import { type ItemVectors, learnItemVectors } from "../../sources/sessions/item-vectors.js";
import { type SessionNeighbours, sessionRecency } from "../../sources/sessions/session-neighbours.js";
import { truncatedSvd } from "../../text/truncated-svd.js";
import type { Visits } from "./visits.js";

/** What products become points by: the graph of what is near, or vectors learned from visits, which take many of these. */
export type Embedding = "graph" | "visits";

export interface RankerSources {
  readonly neighbours: SessionNeighbours;
  /** Products near a product in sessions, by cosine. */
  readonly near: ItemGraph;
  readonly embedding: ItemVectors;
  readonly embeddedBy: Embedding;
  /** `STATS.length` numbers a product. */
  readonly stats: Float32Array;
}

/**
 * `popular…` is steps per session in the newest 5 %, 20 % and all of the sessions; `lastSeen` the share of sessions since
 * the product's last step.
 */
export const STATS = ["popular5", "popular20", "popular100", "lastSeen"] as const;

/** Place of a number in a product's stats. */
export function statAt(name: (typeof STATS)[number]): number {
  return STATS.indexOf(name);
}

/** The newest sessions of a `popular…`, in percent, and its place in a product's stats. */
const WINDOWS = ([5, 20, 100] as const).map((percent) => ({ percent, stat: statAt(`popular${percent}`) }));
const NEAR_BY_STEPS = [1, 0.8, 0.64, 0.5, 0.4, 0.3, 0.25, 0.2];
const NEAR = { after: NEAR_BY_STEPS, before: NEAR_BY_STEPS, balance: 0.5, keep: 80 };
/** Newest steps that a visit's direction is made of, and the weight of one beside the step after it. */
const STEPS = 10;
const STEP_DECAY = 0.75;
const EMBEDDING = { rank: 32, oversampling: 8, iterations: 3 } as const;

/** `neighbours` are those of the same visits. 40,000 products and 600,000 steps take some 20 s by visits, 5 s by the graph. */
export function fitRankerSources(
  visits: Visits,
  neighbours: SessionNeighbours,
  seed: number,
  embeddedBy: Embedding = "graph",
): RankerSources {
  const { sessions, endedAt } = visits;
  const { productCount, params } = neighbours;
  const recency = sessionRecency(endedAt, params.sessionDecayDays);
  const near = fitItemGraph(sessions, recency, productCount, NEAR);
  return {
    neighbours,
    near,
    embedding:
      embeddedBy === "visits" ? learnItemVectors(sessions, productCount, seed) : embed(near, productCount, seed),
    embeddedBy,
    stats: productStats(visits, productCount),
  };
}

/** Products as points: leading directions of the graph, each scaled by the root of its singular value. */
function embed({ edges, weights }: ItemGraph, productCount: number, seed: number): ItemVectors {
  const matrix = { offsets: edges.offsets, columns: edges.items, values: weights, columnCount: productCount };
  const { rank, vectors: directions, singularValues } = truncatedSvd(matrix, EMBEDDING, createRandom(seed));
  const vectors = new Float32Array(productCount * rank);
  const roots = singularValues.map(Math.sqrt);
  for (let p = 0; p < productCount; p++) {
    let squares = 0;
    for (let d = 0; d < rank; d++) squares += (directions[p * rank + d]! * roots[d]!) ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let d = 0; d < rank; d++) vectors[p * rank + d] = directions[p * rank + d]! * roots[d]! * scale;
  }
  const placeWeights = Float32Array.from({ length: STEPS }, (_, i) => STEP_DECAY ** i);
  return { vectors, dimensions: rank, placeWeights, productWeights: new Float32Array(productCount).fill(1) };
}

function productStats({ sessions, runs }: Visits, productCount: number): Float32Array {
  const { offsets, items } = sessions;
  const total = rowCount(sessions);
  const stats = new Float32Array(productCount * STATS.length);
  const lastRow = new Int32Array(productCount).fill(-1);
  for (let s = 0; s < total; s++) {
    const windows = WINDOWS.filter(({ percent }) => s >= Math.floor(total * (1 - percent / 100)));
    for (let at = offsets[s]!; at < offsets[s + 1]!; at++) {
      const from = items[at]! * STATS.length;
      for (const { percent, stat } of windows) stats[from + stat]! += runs[at]! / ((percent / 100) * total);
      lastRow[items[at]!] = s;
    }
  }
  const lastSeen = statAt("lastSeen");
  for (let p = 0; p < productCount; p++)
    stats[p * STATS.length + lastSeen] = lastRow[p] === -1 ? 1 : 1 - lastRow[p]! / total;
  return stats;
}
