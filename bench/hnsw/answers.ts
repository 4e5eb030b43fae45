/** Queries, what exact search answers to them, and how much of it others find. */
import { exactSearch } from "../../src/adapters/hnsw/exact-index.js";
import type { Nearest } from "../../src/adapters/vector-index.js";
import type { Catalogue } from "./catalogues.js";

export const RECALL_AT = 10;
const QUERIES = 500;
/** Above this difference two similarities are different ones: 32-bit sums in another order differ by less. */
const ROUNDING = 1e-5;

export interface Queries {
  /** Rows of the catalogue that are asked with. */
  readonly rows: readonly number[];
  readonly vectors: readonly Float32Array[];
  /** How many there are to find. */
  readonly wanted: number;
  /** The similarity of the tenth nearest, by exact search. */
  readonly last: readonly number[];
}

/** 500 vectors of the catalogue, evenly spread: similar products are asked for with a product's own vector. */
export function queriesOf({ vectors, count, dimensions }: Catalogue): Queries {
  const asked = Math.min(QUERIES, count);
  const rows = Array.from({ length: asked }, (_, n) => Math.floor((n * count) / asked));
  const own = rows.map((row) => vectors.slice(row * dimensions, (row + 1) * dimensions));
  const answers = own.map((query) => exactSearch(vectors, dimensions, query, RECALL_AT).similarities);
  const wanted = answers.reduce((sum, { length }) => sum + length, 0);
  return { rows, vectors: own, wanted, last: answers.map((similarities) => similarities.at(-1) ?? 0) };
}

/** Share of the ten nearest among the first ten of each answer. One as near as the tenth counts, as it may be a copy of it. */
export function recallOf(answers: readonly Pick<Nearest, "similarities">[], { wanted, last }: Queries): number {
  let found = 0;
  for (const [n, { similarities }] of answers.entries())
    found += similarities.slice(0, RECALL_AT).filter((similarity) => similarity >= last[n]! - ROUNDING).length;
  return found / wanted;
}
