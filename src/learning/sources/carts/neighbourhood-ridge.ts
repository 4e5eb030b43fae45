/**
 * Item-to-item weights by ridge regression inside each product's neighbourhood: the weight of "i lies in the basket"
 * for "j lies in it too", given the other neighbours of j.
 *
 * EASE^R (Steck: "Embarrassingly shallow autoencoders for sparse data", WWW 2019) solves this for all products at once,
 * by an inverse that grows with the cube of the catalogue. Here each product j has its own small system over its `neighbours`
 * nearest products by cosine, as SLIM with feature selection (Ning, Karypis, ICDM 2011) restricts it:
 *
 *   (G + lambda I) w = g      G: baskets with both of two neighbours; g: baskets with neighbour and j
 *
 * Each column is the exact least-squares one for the products it may use, so that no sparse inverse of the whole (SANSA:
 * Spišák et al., RecSys 2023) with the same products does better on the data it is learned from. On held-out orders it
 * is even better than the whole inverse, whose many tiny weights are mostly noise: hidden lines of a wholesaler (3,700
 * products, newest month of train, all baskets alike) HR@20 / MRR@20
 *
 *   EASE^R .438 / .173     50 neighbours .450 / .178     100: .447 / .178     200: .447 / .178     400: .442 / .175
 *
 * Cost: baskets * length^2 / 2 for G; products * neighbours^3 / 6 for the systems (100 neighbours: some 0.5 ms a
 * product). G holds 8 bytes for each pair of products that was ever ordered together while fitting, `MAX_PAIRS` at most:
 * the least ordered products are left out of it until it fits.
 */

import { solvePositiveDefinite } from "../../common/positive-definite.js";
import type { Rows } from "../../common/rows.js";
import { basketsByProduct } from "../../common/rows.js";
import { createTopK } from "../../common/top-k.js";

export interface RidgeParams {
  /** Added to the diagonal, in baskets. */
  readonly lambda: number;
  /** Products in one system. */
  readonly neighbours: number;
  readonly maxProducts: number;
}

/** Weights by the product that is in the basket: row i tells which products it speaks for, ascending. */
export interface ItemWeights {
  readonly products: Rows;
  /** May be negative: a substitute speaks against. */
  readonly weights: Float32Array;
}

/** Baskets hold a product once; `basketWeights` says what each of them counts. */
export function neighbourhoodRidge(
  baskets: Rows,
  basketWeights: Float32Array,
  productCount: number,
  params: RidgeParams,
): ItemWeights {
  const gram = gramWithin(baskets, basketWeights, productCount, params.maxProducts);
  const { chosen, rows, counts, ordered } = gram;
  const n = chosen.length;
  /** How often the products of a system were ordered with one of them, by place in the system. */
  const placeIn = new Int32Array(n).fill(-1);

  // Columns one after the other: the products each draws from, and their weights.
  const columns = new Uint32Array(n + 1);
  const froms = new Uint32Array(n * params.neighbours);
  const found = new Float32Array(froms.length);
  const top = createTopK();
  const matrix = new Float64Array(params.neighbours ** 2);
  for (let j = 0; j < n; j++) {
    top.reset(params.neighbours);
    for (let p = rows.offsets[j]!; p < rows.offsets[j + 1]!; p++) {
      const i = rows.items[p]!;
      top.offer(i, counts[p]! / Math.sqrt(ordered[i]!));
    }
    const near = top.take().indices;
    const m = near.length;
    const weights = new Float64Array(m);
    for (let a = 0; a < m; a++) placeIn[near[a]!] = a;
    matrix.fill(0, 0, m * m);
    for (let a = 0; a < m; a++) {
      const i = near[a]!;
      matrix[a * m + a] = ordered[i]! + params.lambda;
      for (let p = rows.offsets[i]!; p < rows.offsets[i + 1]!; p++) {
        const b = placeIn[rows.items[p]!]!;
        if (b >= 0) matrix[a * m + b] = counts[p]!;
        else if (rows.items[p] === j) weights[a] = counts[p]!;
      }
    }
    for (let a = 0; a < m; a++) placeIn[near[a]!] = -1;
    solvePositiveDefinite(matrix, weights, m);
    const begin = columns[j]!;
    for (let a = 0; a < m; a++) {
      froms[begin + a] = chosen[near[a]!]!;
      found[begin + a] = weights[a]!;
    }
    columns[j + 1] = begin + m;
  }
  return byFrom({ offsets: columns, items: froms }, found, chosen, productCount);
}

/** The products that occur in most baskets, ascending by index; ties go to the smaller index. */
function mostOrdered(baskets: Rows, productCount: number, most: number): Uint32Array {
  const counts = new Uint32Array(productCount);
  for (const item of baskets.items) counts[item]!++;
  const ordered = Uint32Array.from(counts.keys()).filter((p) => counts[p]! > 0);
  return ordered
    .sort((a, b) => counts[b]! - counts[a]! || a - b)
    .slice(0, most)
    .sort();
}

/** How often products were ordered, and ordered together, by what baskets weigh; in places of `chosen`. */
interface Gram {
  /** Product of each place, ascending. */
  readonly chosen: Uint32Array;
  /** Row i: places ordered together with i, ascending, without i itself. */
  readonly rows: Rows;
  /** Aligned with `rows.items`. */
  readonly counts: Float32Array;
  readonly ordered: Float64Array;
}

/** 256 MB. */
const MAX_PAIRS = 32_000_000;

/** Of the most ordered products, as many as `MAX_PAIRS` allows. */
function gramWithin(baskets: Rows, weights: Float32Array, productCount: number, maxProducts: number): Gram {
  for (let most = maxProducts; ; most = Math.floor(most / 2)) {
    const chosen = mostOrdered(baskets, productCount, most);
    const found = gramOf(baskets, weights, productCount, chosen);
    if (found !== undefined) return found;
  }
}

/** Undefined when there are too many pairs. */
function gramOf(baskets: Rows, weights: Float32Array, productCount: number, chosen: Uint32Array): Gram | undefined {
  const n = chosen.length;
  const position = new Int32Array(productCount).fill(-1);
  for (let i = 0; i < n; i++) position[chosen[i]!] = i;
  const holding = basketsByProduct(baskets, productCount);
  const sums = new Float64Array(n);
  const ordered = new Float64Array(n);
  const offsets = new Uint32Array(n + 1);
  let items = new Uint32Array(1 << 16);
  let counts = new Float32Array(1 << 16);
  let size = 0;
  for (let i = 0; i < n; i++) {
    const met: number[] = [];
    for (let h = holding.offsets[chosen[i]!]!; h < holding.offsets[chosen[i]! + 1]!; h++) {
      const r = holding.items[h]!;
      const weight = weights[r]!;
      ordered[i]! += weight;
      for (let p = baskets.offsets[r]!; p < baskets.offsets[r + 1]!; p++) {
        const place = position[baskets.items[p]!]!;
        if (place < 0 || place === i) continue;
        if (sums[place] === 0) met.push(place);
        sums[place]! += weight;
      }
    }
    if (size + met.length > MAX_PAIRS) return undefined;
    while (size + met.length > items.length) {
      items = enlarged(items, new Uint32Array(items.length * 2));
      counts = enlarged(counts, new Float32Array(counts.length * 2));
    }
    met.sort((a, b) => a - b);
    for (const place of met) {
      items[size] = place;
      counts[size++] = sums[place]!;
      sums[place] = 0;
    }
    offsets[i + 1] = size;
  }
  return { chosen, rows: { offsets, items }, counts, ordered };
}

function enlarged<T extends Uint32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Columns of the products `chosen`, which ascend, as rows by the products they draw from. */
function byFrom(columns: Rows, values: Float32Array, chosen: Uint32Array, productCount: number): ItemWeights {
  const count = columns.offsets.at(-1)!;
  const offsets = new Uint32Array(productCount + 1);
  for (let p = 0; p < count; p++) offsets[columns.items[p]! + 1]!++;
  for (let p = 0; p < productCount; p++) offsets[p + 1]! += offsets[p]!;
  const next = offsets.slice();
  const items = new Uint32Array(count);
  const weights = new Float32Array(count);
  for (let j = 0; j < chosen.length; j++) {
    for (let p = columns.offsets[j]!; p < columns.offsets[j + 1]!; p++) {
      const place = next[columns.items[p]!]!++;
      items[place] = chosen[j]!;
      weights[place] = values[p]!;
    }
  }
  return { products: { offsets, items }, weights };
}
