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
 * Cost: baskets * length^2 / 2 for G; products * neighbours^3 / 6 for the systems (100 neighbours: some 0.6 ms a
 * product). G is a triangle of `maxProducts`^2 / 2 numbers (4,000: 32 MB) while fitting; only the most ordered products
 * take part.
 */
import { type Rows, rowCount } from "./rows.js";
import { createTopK } from "./top-k.js";

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
  const chosen = mostOrdered(baskets, productCount, params.maxProducts);
  const gram = gramTriangle(baskets, basketWeights, productCount, chosen);
  const n = chosen.length;
  const at = (a: number, b: number) => gram[a > b ? (a * (a + 1)) / 2 + b : (b * (b + 1)) / 2 + a]!;

  const found: { readonly from: number; readonly to: number; readonly weight: number }[] = [];
  const top = createTopK();
  const matrix = new Float64Array(params.neighbours ** 2);
  for (let j = 0; j < n; j++) {
    top.reset(params.neighbours);
    for (let i = 0; i < n; i++) {
      const both = i === j ? 0 : at(i, j);
      if (both > 0) top.offer(i, both / Math.sqrt(at(i, i)));
    }
    const near = top.take().indices;
    const m = near.length;
    const weights = new Float64Array(m);
    for (let a = 0; a < m; a++) {
      for (let b = 0; b < a; b++) matrix[a * m + b] = at(near[a]!, near[b]!);
      matrix[a * m + a] = at(near[a]!, near[a]!) + params.lambda;
      weights[a] = at(near[a]!, j);
    }
    solveInPlace(matrix, weights);
    for (let a = 0; a < m; a++) found.push({ from: chosen[near[a]!]!, to: chosen[j]!, weight: weights[a]! });
  }
  return byFrom(found, productCount);
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

/** Weighted baskets with both of two chosen products, in the lower triangle by rows; the diagonal counts one product. */
function gramTriangle(baskets: Rows, weights: Float32Array, productCount: number, chosen: Uint32Array): Float32Array {
  const position = new Int32Array(productCount).fill(-1);
  for (let i = 0; i < chosen.length; i++) position[chosen[i]!] = i;
  const gram = new Float32Array((chosen.length * (chosen.length + 1)) / 2);
  for (let r = 0; r < rowCount(baskets); r++) {
    const row: number[] = [];
    for (let i = baskets.offsets[r]!; i < baskets.offsets[r + 1]!; i++) {
      const p = position[baskets.items[i]!]!;
      if (p >= 0) row.push(p);
    }
    row.sort((a, b) => a - b);
    for (let x = 0; x < row.length; x++) {
      const start = (row[x]! * (row[x]! + 1)) / 2;
      for (let y = 0; y <= x; y++) gram[start + row[y]!]! += weights[r]!;
    }
  }
  return gram;
}

/**
 * Solves A x = b by Cholesky's decomposition. A is symmetric and positive definite; its lower triangle lies by rows at
 * the front of `matrix` and is overwritten, as b is by x.
 */
function solveInPlace(matrix: Float64Array, b: Float64Array): void {
  const m = b.length;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * m + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i * m + k]! * matrix[j * m + k]!;
      matrix[i * m + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * m + j]!;
    }
  }
  for (let i = 0; i < m; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= matrix[i * m + k]! * b[k]!;
    b[i] = sum / matrix[i * m + i]!;
  }
  for (let i = m - 1; i >= 0; i--) {
    let sum = b[i]!;
    for (let k = i + 1; k < m; k++) sum -= matrix[k * m + i]! * b[k]!;
    b[i] = sum / matrix[i * m + i]!;
  }
}

/** Triples given by ascending `to`, as rows by `from`. */
function byFrom(found: readonly { from: number; to: number; weight: number }[], productCount: number): ItemWeights {
  const offsets = new Uint32Array(productCount + 1);
  for (const { from } of found) offsets[from + 1]!++;
  for (let p = 0; p < productCount; p++) offsets[p + 1]! += offsets[p]!;
  const next = offsets.slice();
  const items = new Uint32Array(found.length);
  const weights = new Float32Array(found.length);
  for (const { from, to, weight } of found) {
    const place = next[from]!++;
    items[place] = to;
    weights[place] = weight;
  }
  return { products: { offsets, items }, weights };
}
