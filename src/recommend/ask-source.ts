/**
 * Asks a source for candidates that a filter lets through. As of few products few are among a source's best, more are
 * asked for, and what the source would have to look for among all products is looked for among the few alone: what is
 * proposed is what would be proposed if the shop had no other products.
 */
import type { Candidates } from "../algorithms/candidates.js";
import type { List, ServingModel, Source, SourceQuery } from "../model/source.js";
import type { Passing } from "./passing.js";
import type { Shelf } from "./shelf.js";

/** So many candidates are to pass of a source that looks among all products, and most it is asked for: its time grows with them. */
const PASSING_OF_ALL = 100;
const MOST_OF_ALL = 2000;
/** And for which looks among few, or at what visitors met together. */
const MOST_OF_FEW = 5000;
/**
 * Of what is similar to what is viewed, this share is enough: the search of an index takes its time by how many are wanted,
 * and what comes after is next to never shown. (With all 200 instead of 100, 96.1 % of 3,000 lists of `alternative` are the
 * same and 99.3 % of their products, those of `recommended` all; 50,000 products.)
 */
const SIMILAR_ENOUGH = 0.5;

/** What a filter means for the sources of a model. */
export interface Narrowing {
  readonly passes: (productIndex: number) => boolean;
  /** All products that pass, when they are few. */
  readonly among: Uint32Array | undefined;
  /** Of so many candidates one passes, as far as is known. */
  readonly oneOf: number;
}

export function narrowing(filter: Passing | undefined, shelf: Shelf): Narrowing | undefined {
  const { model, catalog } = shelf;
  if (filter === undefined || model === undefined) return undefined;
  const few = filter.few();
  if (few === undefined) {
    const passes = (index: number) => {
      const product = shelf.product(index);
      return product !== undefined && filter.passes(product);
    };
    return { passes, among: undefined, oneOf: Math.max(1, catalog.size / Math.max(1, filter.atMost)) };
  }
  const { among, has } = few.indices(model);
  return { passes: has, among, oneOf: 1 };
}

/** The `k` best that pass. */
export function askSource(
  source: Source,
  query: SourceQuery,
  list: List,
  k: number,
  to: Narrowing | undefined,
): Candidates {
  const asked =
    to === undefined
      ? Math.ceil(source.name === "semantic" ? k * SIMILAR_ENOUGH : k)
      : to.among
        ? MOST_OF_FEW
        : Math.max(k, Math.min(MOST_OF_ALL, Math.ceil(Math.min(k, PASSING_OF_ALL) * to.oneOf)));
  const found = list === "recommended" ? source.complements(query, asked) : source.alternatives(query, asked);
  return to === undefined ? found : kept(found, k, to.passes);
}

/** The `k` most popular that pass. */
export function mostPopular(
  { byPopularity, popularity }: Pick<ServingModel, "byPopularity" | "popularity">,
  k: number,
  to: Narrowing | undefined,
): Candidates {
  const scoresOf = (indices: Uint32Array) => Float64Array.from(indices, (product) => popularity[product]!);
  if (to?.among !== undefined) {
    const indices = to.among
      .slice()
      .sort((a, b) => popularity[b]! - popularity[a]! || a - b)
      .subarray(0, k);
    return { indices, scores: scoresOf(indices) };
  }
  if (to === undefined) return { indices: byPopularity.subarray(0, k), scores: scoresOf(byPopularity.subarray(0, k)) };
  const found: number[] = [];
  for (const index of byPopularity) {
    if (found.length === k) break;
    if (to.passes(index)) found.push(index);
  }
  const indices = Uint32Array.from(found);
  return { indices, scores: scoresOf(indices) };
}

function kept({ indices, scores }: Candidates, k: number, passes: (index: number) => boolean): Candidates {
  const places: number[] = [];
  for (let i = 0; i < indices.length && places.length < k; i++) if (passes(indices[i]!)) places.push(i);
  return {
    indices: Uint32Array.from(places, (i) => indices[i]!),
    scores: Float64Array.from(places, (i) => scores[i]!),
  };
}
