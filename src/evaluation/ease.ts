/**
 * EASE^R (Steck: "Embarrassingly shallow autoencoders for sparse data", WWW 2019): weights B of all pairs of products
 * with a zero diagonal that restore the rows best, B = I - P / diag(P) with P = (X'X + lambda I)^-1. A baseline: exact,
 * without position or time.
 *
 * Cost: products^3 / 2 multiplications for the inverse by Cholesky's decomposition (2,000 products: some 5 s, 4,000:
 * some 40 s in one thread) and 8 bytes for each pair while fitting; 4 bytes after it.
 */
import { type Rows, rowCount, rowOf } from "../algorithms/rows.js";

export interface Ease {
  /** Place of each product in the matrix, -1 for those in no row. */
  readonly place: Int32Array;
  /** Product of each place. */
  readonly products: Uint32Array;
  /** B by rows: `weights[i * places + j]` is what i in the query says for j. */
  readonly weights: Float32Array;
}

/** Rows hold a product once. */
export function fitEase(rows: Rows, productCount: number, lambda: number): Ease {
  const products = Uint32Array.from(new Set(rows.items)).sort();
  const n = products.length;
  const place = new Int32Array(productCount).fill(-1);
  for (let i = 0; i < n; i++) place[products[i]!] = i;
  const matrix = new Float64Array(n * n);
  for (let r = 0; r < rowCount(rows); r++) {
    const row = rowOf(rows, r);
    for (const a of row) for (const b of row) matrix[place[a]! * n + place[b]!]!++;
  }
  for (let i = 0; i < n; i++) matrix[i * n + i]! += lambda;
  const inverse = invert(matrix, n);
  const weights = new Float32Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) if (i !== j) weights[i * n + j] = -inverse[i * n + j]! / inverse[j * n + j]!;
  return { place, products, weights };
}

/** Sums of the weights of the products asked with, by place. Products in no row say nothing. */
export function easeScores({ place, products, weights }: Ease, items: Iterable<number>): Float64Array {
  const n = products.length;
  const scores = new Float64Array(n);
  for (const item of new Set(items)) {
    const i = place[item] ?? -1;
    if (i >= 0) for (let j = 0; j < n; j++) scores[j]! += weights[i * n + j]!;
  }
  return scores;
}

/** The inverse of a symmetric positive definite matrix, which is overwritten. */
function invert(a: Float64Array, n: number): Float64Array {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j]!;
      const [ri, rj] = [i * n, j * n];
      for (let k = 0; k < j; k++) sum -= a[ri + k]! * a[rj + k]!;
      a[ri + j] = i === j ? Math.sqrt(sum) : sum / a[rj + j]!;
    }
  }
  // The lower triangle becomes its own inverse, row by row.
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    row.fill(0, 0, i + 1);
    row[i] = 1;
    for (let k = 0; k < i; k++) {
      const factor = a[i * n + k]!;
      const rk = k * n;
      for (let j = 0; j <= k; j++) row[j]! -= factor * a[rk + j]!;
    }
    const diagonal = a[i * n + i]!;
    for (let j = 0; j <= i; j++) a[i * n + j] = row[j]! / diagonal;
  }
  const inverse = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const rk = k * n;
    for (let i = 0; i <= k; i++) {
      const factor = a[rk + i]!;
      const ri = i * n;
      for (let j = 0; j <= i; j++) inverse[ri + j]! += factor * a[rk + j]!;
    }
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) inverse[j * n + i] = inverse[i * n + j]!;
  return inverse;
}
