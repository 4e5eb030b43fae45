/**
 * Cart complements: what goes with the whole cart, learned from orders alone. A product's score is the sum of two
 * estimates of how likely it lies in the same basket:
 *
 *   neighbours  of the `neighbours` most similar past baskets the share, by similarity, that hold it, see
 *               `neighbours.ts`
 *   ridge       the sum of the cart products' weights for it, see `neighbourhood-ridge.ts`
 *
 * Neighbours lead when the cart holds one product, ridge when it holds many; together they are at least as good as
 * either for any cart. One query looks at no more than 30,000 postings and
 * `neighbours` baskets: below a millisecond with 25 products of a catalogue of 4,000.
 */

import { type Candidates, type Explanation, NO_CANDIDATES } from "../../common/candidates.js";
import { basketsByProduct, distinctBaskets, type Rows, rowCount, rowOf, rowsFrom } from "../../common/rows.js";
import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";
import { createTopK } from "../../common/top-k.js";
import { type ItemWeights, neighbourhoodRidge, type RidgeParams } from "./neighbourhood-ridge.js";
import { createBasketSearch } from "./neighbours.js";

export interface CartParams {
  /** Weight of each basket, above 0, for example less with age; default 1. */
  readonly basketWeights?: Float32Array;
  /** Maximum baskets, the last ones given. */
  readonly maxBaskets?: number;
  /** Maximum products read of a basket. */
  readonly maxBasketLength?: number;
  /** Maximum baskets for finding neighbours by one product, the last ones given. */
  readonly maxPostings?: number;
  /** Number of most similar baskets used. */
  readonly neighbours?: number;
  readonly ridge?: RidgeParams;
}

const CART_DEFAULTS = {
  maxBaskets: 100_000,
  maxBasketLength: 200,
  maxPostings: 1_000,
  neighbours: 200,
  ridge: { lambda: 20, neighbours: 100, maxProducts: 50_000 },
} as const;

export interface CartComplements {
  readonly productCount: number;
  readonly neighbours: number;
  readonly baskets: Rows;
  readonly basketWeights: Float32Array;
  /** (sum of the IDF of its products)^0.6 of each basket. */
  readonly basketNorms: Float32Array;
  readonly idf: Float32Array;
  /** Row p: baskets with product p that can become neighbours, ascending. */
  readonly postings: Rows;
  readonly ridge: ItemWeights;
}

const NORM_POWER = 0.6;
const MAX_BECAUSE_OF = 3;

/** Learns from orders, oldest first. Baskets of fewer than two products are left out. */
export function fitCartComplements(baskets: Rows, productCount: number, params: CartParams = {}): CartComplements {
  const settings = { ...CART_DEFAULTS, ...params };
  const distinct = distinctBaskets(baskets, productCount, settings.maxBasketLength);
  const telling = [...Array(rowCount(distinct)).keys()].filter((r) => rowOf(distinct, r).length > 1);
  const keptRows = telling.slice(-settings.maxBaskets);
  const kept = rowsFrom(keptRows.map((r) => rowOf(distinct, r)));
  const basketWeights = Float32Array.from(keptRows, (r) => params.basketWeights?.[r] ?? 1);
  const byProduct = basketsByProduct(kept, productCount);
  const idf = Float32Array.from({ length: productCount }, (_, p) =>
    Math.log((keptRows.length + 1) / (rowOf(byProduct, p).length + 0.5)),
  );
  const basketNorms = Float32Array.from(
    keptRows,
    (_, r) => rowOf(kept, r).reduce((sum, item) => sum + idf[item]!, 0) ** NORM_POWER,
  );
  const newest = Array.from({ length: productCount }, (_, p) => rowOf(byProduct, p).slice(-settings.maxPostings));
  return {
    productCount,
    neighbours: settings.neighbours,
    baskets: kept,
    basketWeights,
    basketNorms,
    idf,
    postings: rowsFrom(newest),
    ridge: neighbourhoodRidge(kept, ridgeWeights(kept, basketWeights), productCount, settings.ridge),
  };
}

/** Weights by which long baskets, whose pairs say less, do not outweigh the others; their mean is kept. */
function ridgeWeights(baskets: Rows, basketWeights: Float32Array): Float32Array {
  const weights = basketWeights.map((weight, r) => weight / Math.sqrt(rowOf(baskets, r).length));
  const sum = (of: Float32Array) => of.reduce((total, weight) => total + weight, 0);
  const scale = sum(basketWeights) / sum(weights);
  return weights.map((weight) => weight * scale);
}

/** The k products that go best with a cart; never one that is in it. Products outside the catalogue are ignored. */
export type ComplementSearch = (items: Uint32Array, k: number) => Candidates;

/** Makes a search for many carts, in scratch space of its own: 8 bytes a product and 12 a basket. Calls must not overlap. */
export function createComplementSearch(cart: CartComplements): ComplementSearch {
  const findBaskets = createBasketSearch(cart);
  // By product; all 0 between carts.
  const scores = new Float64Array(cart.productCount);
  const top = createTopK();
  return (items, k) => {
    const inCart = knownProducts(cart, items);
    if (inCart.length === 0) return NO_CANDIDATES;
    const met: number[] = [];
    const add = (product: number, score: number) => {
      if (scores[product] === 0) met.push(product);
      scores[product]! += score;
    };
    const { indices: similar, scores: similarities } = findBaskets(inCart);
    const total = similarities.reduce((sum, similarity) => sum + similarity, 0);
    for (let s = 0; s < similar.length; s++) {
      const share = similarities[s]! / total;
      for (let i = cart.baskets.offsets[similar[s]!]!; i < cart.baskets.offsets[similar[s]! + 1]!; i++) {
        add(cart.baskets.items[i]!, share);
      }
    }
    const { products, weights } = cart.ridge;
    for (const item of inCart) {
      for (let i = products.offsets[item]!; i < products.offsets[item + 1]!; i++) add(products.items[i]!, weights[i]!);
    }
    for (const item of inCart) scores[item] = 0;
    top.reset(k);
    for (const product of met) {
      if (scores[product]! > 0) top.offer(product, scores[product]!);
      // A sum that passed through 0 has entered its product twice.
      scores[product] = 0;
    }
    return top.take();
  };
}

/**
 * Why a product goes with the cart; undefined if the cart holds it or nothing proposes it. Because of: the up to three cart
 * products that contribute most. Counts: `neighbours` similar baskets with the product, `neighbour_share` their share of
 * all similar baskets by similarity, `ridge` the sum of the cart's weights for it, `pair_count` baskets with it and the
 * first of the named products.
 */
export function explainComplement(
  cart: CartComplements,
  items: Uint32Array,
  productIndex: number,
): Explanation | undefined {
  const inCart = knownProducts(cart, items);
  if (inCart.includes(productIndex)) return undefined;
  const parts = new Map(inCart.map((item) => [item, ridgeWeight(cart, item, productIndex)]));
  const ridge = [...parts.values()].reduce((sum, weight) => sum + weight, 0);
  const { indices: similar, scores: similarities } = createBasketSearch(cart)(inCart);
  const total = similarities.reduce((sum, similarity) => sum + similarity, 0);
  let neighbours = 0;
  let share = 0;
  for (const [s, basket] of similar.entries()) {
    const row = rowOf(cart.baskets, basket);
    if (!row.includes(productIndex)) continue;
    neighbours++;
    const part = similarities[s]! / total;
    share += part;
    const shared = inCart.filter((item) => row.includes(item));
    for (const item of shared) parts.set(item, parts.get(item)! + part / shared.length);
  }
  if (share + ridge <= 0) return undefined;
  const becauseOf = inCart
    .filter((item) => parts.get(item)! > 0)
    .sort((a, b) => parts.get(b)! - parts.get(a)! || b - a)
    .slice(0, MAX_BECAUSE_OF);
  const pairCount = becauseOf.length === 0 ? 0 : basketsWithBoth(cart, becauseOf[0]!, productIndex);
  return { becauseOf, counts: { neighbours, neighbour_share: share, ridge, pair_count: pairCount } };
}

/** The different products that the catalogue has, ascending, so that sums are added up in one order whatever the cart's. */
export function knownProducts(cart: CartComplements, items: Uint32Array): number[] {
  return [...new Set(items)].filter((item) => item < cart.productCount).sort((a, b) => a - b);
}

function ridgeWeight(cart: CartComplements, from: number, to: number): number {
  const at = rowOf(cart.ridge.products, from).indexOf(to);
  return at < 0 ? 0 : cart.ridge.weights[cart.ridge.products.offsets[from]! + at]!;
}

function basketsWithBoth(cart: CartComplements, a: number, b: number): number {
  return rowOf(cart.postings, a).filter((basket) => rowOf(cart.baskets, basket).includes(b)).length;
}

const FORMAT = 1;

export function encodeCartComplements(cart: CartComplements): Section {
  return {
    formatNumber: FORMAT,
    numbers: { productCount: cart.productCount, neighbours: cart.neighbours },
    arrays: {
      basketOffsets: cart.baskets.offsets,
      basketItems: cart.baskets.items,
      basketWeights: cart.basketWeights,
      basketNorms: cart.basketNorms,
      idf: cart.idf,
      postingOffsets: cart.postings.offsets,
      postings: cart.postings.items,
      ridgeOffsets: cart.ridge.products.offsets,
      ridgeProducts: cart.ridge.products.items,
      ridgeWeights: cart.ridge.weights,
    },
  };
}

/** Throws an Error for a section of another format, with a part missing or with rows that do not fit each other. */
export function decodeCartComplements(section: Section): CartComplements {
  const read = createSectionReader("Cart complements", FORMAT, section);
  const productCount = read.number("productCount");
  const basketWeights = read.float32("basketWeights");
  const baskets = { offsets: read.uint32("basketOffsets"), items: read.uint32("basketItems") };
  const postings = { offsets: read.uint32("postingOffsets"), items: read.uint32("postings") };
  const products = { offsets: read.uint32("ridgeOffsets"), items: read.uint32("ridgeProducts") };
  read.rows("basketOffsets", basketWeights.length, baskets.items.length);
  read.rows("postingOffsets", productCount, postings.items.length);
  read.rows("ridgeOffsets", productCount, products.items.length);
  return {
    productCount,
    neighbours: read.number("neighbours"),
    baskets,
    basketWeights,
    basketNorms: read.float32("basketNorms"),
    idf: read.float32("idf"),
    postings,
    ridge: { products, weights: read.float32("ridgeWeights") },
  };
}
