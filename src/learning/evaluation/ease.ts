/**
 * EASE^R (Steck: "Embarrassingly shallow autoencoders for sparse data", WWW 2019): weights B of all pairs of products
 * with a zero diagonal that restore the rows best, B = I - P / diag(P) with P = (X'X + lambda I)^-1. A baseline: exact,
 * without position or time.
 *
 * Cost: products^3 / 2 multiplications for the inverse by Cholesky's decomposition (2,000 products: some 5 s, 4,000:
 * some 40 s in one thread) and 8 bytes for each pair while fitting; 4 bytes after it.
 */
import { type Rows, rowCount, rowOf } from "../common/rows.js";

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
  // Places without a product fill the last tile: 1 on the diagonal, else 0.
  const width = Math.ceil(n / TILE) * TILE;
  const matrix = new Float64Array(width * width);
  for (let r = 0; r < rowCount(rows); r++) {
    const row = rowOf(rows, r);
    for (const a of row) for (const b of row) matrix[place[a]! * width + place[b]!]!++;
  }
  for (let i = 0; i < width; i++) matrix[i * width + i]! += i < n ? lambda : 1;
  const inverse = invert(matrix, width);
  const weights = new Float32Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) if (i !== j) weights[i * n + j] = -inverse[i * width + j]! / inverse[j * width + j]!;
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

/** Rows worked on at a time: each row that is read from memory serves so many. */
const TILE = 4;

/** The inverse of a symmetric positive definite matrix by rows; `n` is a multiple of the tile, the matrix is overwritten. */
function invert(matrix: Float64Array, n: number): Float64Array {
  const rows = Array.from({ length: n }, (_, i) => matrix.subarray(i * n, (i + 1) * n));
  for (let i = 0; i < n; i += TILE) decomposeTile(rows, i);
  for (let i = 0; i < n; i++) rows[i]!.fill(0, i + 1);
  for (let i = 0; i < n; i += TILE) invertTile(rows, i);
  const inverse = new Float64Array(n * n);
  for (let k = 0; k < n; k += TILE) {
    const [a, b, c, d] = tileOf(rows, k);
    for (let i = 0; i < k + TILE; i++) {
      const target = inverse.subarray(i * n, (i + 1) * n);
      const [fa, fb, fc, fd] = [a[i]!, b[i]!, c[i]!, d[i]!];
      for (let j = 0; j <= i; j++) target[j]! += fa * a[j]! + fb * b[j]! + fc * c[j]! + fd * d[j]!;
    }
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) inverse[j * n + i] = inverse[i * n + j]!;
  return inverse;
}

type Tile = readonly [Float64Array, Float64Array, Float64Array, Float64Array];

function tileOf(rows: readonly Float64Array[], i: number): Tile {
  return [rows[i]!, rows[i + 1]!, rows[i + 2]!, rows[i + 3]!];
}

/** Cholesky's factor of the rows from i on, those before being done. */
function decomposeTile(rows: readonly Float64Array[], i: number): void {
  const tile = tileOf(rows, i);
  const [a, b, c, d] = tile;
  for (let j = 0; j < i; j++) {
    const other = rows[j]!;
    let [sa, sb, sc, sd] = [a[j]!, b[j]!, c[j]!, d[j]!];
    for (let k = 0; k < j; k++) {
      const value = other[k]!;
      sa -= a[k]! * value;
      sb -= b[k]! * value;
      sc -= c[k]! * value;
      sd -= d[k]! * value;
    }
    const diagonal = other[j]!;
    a[j] = sa / diagonal;
    b[j] = sb / diagonal;
    c[j] = sc / diagonal;
    d[j] = sd / diagonal;
  }
  for (const [t, row] of tile.entries())
    for (let j = i; j <= i + t; j++) {
      let sum = row[j]!;
      for (let k = 0; k < j; k++) sum -= row[k]! * rows[j]![k]!;
      row[j] = j === i + t ? Math.sqrt(sum) : sum / rows[j]![j]!;
    }
}

/** Turns the rows from i on of a lower triangle into those of its inverse, those before being done. */
function invertTile(rows: readonly Float64Array[], i: number): void {
  const tile = tileOf(rows, i);
  const factors = tile.map((row) => row.slice(0, i + TILE));
  for (const row of tile) row.fill(0);
  const [a, b, c, d] = tile;
  const [fa, fb, fc, fd] = [factors[0]!, factors[1]!, factors[2]!, factors[3]!];
  for (let k = 0; k < i; k++) {
    const other = rows[k]!;
    const [va, vb, vc, vd] = [fa[k]!, fb[k]!, fc[k]!, fd[k]!];
    for (let j = 0; j <= k; j++) {
      const value = other[j]!;
      a[j]! -= va * value;
      b[j]! -= vb * value;
      c[j]! -= vc * value;
      d[j]! -= vd * value;
    }
  }
  for (const [t, row] of tile.entries()) {
    const factor = factors[t]!;
    row[i + t] = 1;
    for (let k = i; k < i + t; k++) for (let j = 0; j <= k; j++) row[j]! -= factor[k]! * rows[k]![j]!;
    for (let j = 0; j <= i + t; j++) row[j]! /= factor[i + t]!;
  }
}
