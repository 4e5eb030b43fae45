/**
 * Diversity within a list by maximal marginal relevance (Carbonell, Goldstein: The use of MMR, SIGIR 1998):
 *
 *   next      = the product of greatest (1 - diversity) * relevance - diversity * likeness
 *   relevance = 1 - place / products,  place = 0 for the first by score
 *   likeness  = greatest similarity to a product that has its place already, 0 to 1
 *
 * Relevance is the place and not the score: scores of a learned order, of blended sources and of popularity fall in
 * very different ways, and one setting has to mean the same for all of them. Of 50 products at 0.5, one steps ahead of
 * another ten places before it when it is less like what is shown by a fifth.
 *
 * Similarity is the cosine of the products' vectors, opposite ones counting as unlike; without a vector on both sides
 * it is that of category and brand. Products come in tiers (proposals, then popular products): a tier stays behind the one
 * before it, so that diversity never replaces a proposal by a product that is merely popular.
 *
 * The likeness of a product only grows, so its last sum is an upper bound. A product is compared further only while no other
 * has a greater bound (lazy evaluation: Minoux 1978). Time: at most products * wanted cosines, mostly a
 * third of them.
 */
import type { Product } from "../../domain/product.js";

/** Products that are arranged, of each that is wanted; and at most: time grows with the square. */
const PER_WANTED = 5;
export const MOST_ARRANGED = 100;

export interface DiversityParams {
  /** 0, the order of the scores, to 1: as unlike as possible, whatever their scores. */
  readonly diversity: number;
  /** Products that the list shows. */
  readonly count: number;
  /** A unit vector, the same length for all; undefined when the product has none. */
  readonly vectorOf: (product: Product) => Float32Array | undefined;
}

/** Puts found products into the order of a list. */
export interface Arrangement {
  /** How many products it reorders; those after them keep their places. */
  readonly window: number;
  /** The first `wanted` products of the list, fewer when there are fewer. */
  arrange(tiers: readonly (readonly Product[])[], wanted: number): Product[];
}

/** Undefined where the order of the scores stays. */
export function arrangement({ diversity, count, vectorOf }: DiversityParams): Arrangement | undefined {
  if (!(diversity > 0)) return undefined;
  const window = Math.min(count * PER_WANTED, MOST_ARRANGED);
  return { window, arrange: (tiers, wanted) => arrange(tiers, wanted, { window, diversity, vectorOf }) };
}

interface Candidate {
  readonly product: Product;
  readonly vector: Float32Array | undefined;
  /** Its part of the sum that stays. */
  readonly relevance: number;
  /** The sum by the products that have a place and were compared with it, the first `compared` ones: it only falls. */
  bound: number;
  compared: number;
}

function arrange(
  tiers: readonly (readonly Product[])[],
  wanted: number,
  { window, diversity, vectorOf }: Pick<DiversityParams, "diversity" | "vectorOf"> & { readonly window: number },
): Product[] {
  const all = tiers.flat();
  const size = Math.min(all.length, window);
  const placed: Candidate[] = [];
  let place = 0;
  for (const tier of tiers) {
    const left = tier.slice(0, size - place).map((product, i): Candidate => {
      const relevance = (1 - diversity) * (1 - (place + i) / size);
      return { product, vector: vectorOf(product), relevance, bound: relevance, compared: 0 };
    });
    place += left.length;
    while (left.length > 0 && placed.length < wanted) placed.push(...left.splice(nextOf(left, placed, diversity), 1));
  }
  return [...placed.map(({ product }) => product), ...all.slice(size)].slice(0, wanted);
}

/** Index of the best in `left`, which is in the order of relevance; the first of equal ones. */
function nextOf(left: readonly Candidate[], placed: readonly Candidate[], diversity: number): number {
  for (;;) {
    let first = 0;
    let best = Number.NEGATIVE_INFINITY;
    let second = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < left.length; i++) {
      const { bound } = left[i]!;
      if (bound > best) {
        second = best;
        best = bound;
        first = i;
      } else if (bound > second) second = bound;
    }
    const candidate = left[first]!;
    if (candidate.compared === placed.length) return first;
    while (candidate.bound >= second && candidate.compared < placed.length) {
      const likeness = similarity(candidate, placed[candidate.compared++]!);
      candidate.bound = Math.min(candidate.bound, candidate.relevance - diversity * likeness);
    }
  }
}

function similarity(a: Candidate, b: Candidate): number {
  if (a.vector !== undefined && b.vector !== undefined) return Math.max(0, dot(a.vector, b.vector));
  return sharedFacts(a.product, b.product);
}

/** Share of what both products tell, narrowest category and brand, that is the same. */
function sharedFacts(a: Product, b: Product): number {
  const facts: readonly (readonly [string | undefined, string | undefined])[] = [
    [a.categories.at(-1)?.categoryId, b.categories.at(-1)?.categoryId],
    [a.brand, b.brand],
  ];
  const told = facts.filter(([inA, inB]) => inA && inB);
  return told.length === 0 ? 0 : told.filter(([inA, inB]) => inA === inB).length / told.length;
}

/** Four sums at once: each addition need not wait for the one before it. */
function dot(a: Float32Array, b: Float32Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = a.length - (a.length % 4);
  for (let d = 0; d < whole; d += 4) {
    s0 += a[d]! * b[d]!;
    s1 += a[d + 1]! * b[d + 1]!;
    s2 += a[d + 2]! * b[d + 2]!;
    s3 += a[d + 3]! * b[d + 3]!;
  }
  for (let d = whole; d < a.length; d++) s0 += a[d]! * b[d]!;
  return s0 + s1 + s2 + s3;
}
