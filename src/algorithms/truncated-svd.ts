/**
 * The leading right singular vectors of a sparse matrix: the directions in which its rows differ most.
 *
 * Randomised subspace iteration (Halko, Martinsson, Tropp: Finding structure with randomness, SIAM Review 2011,
 * algorithms 4.4 and 5.1) on the columns' side: V = orth(random), then `iterations` times V = orth(A' A V), and at the
 * end the eigenvectors of the small matrix (A V)'(A V) turn V to the singular vectors. Only matrices of columns x l are
 * made orthonormal, so rows, which are more, cost one product each. `oversampling` extra directions sharpen the last
 * ones wanted.
 *
 * The random matrix is uniform in [-1, 1) from the generator that is passed in: no transcendental function is asked,
 * so the same input and seed give the same bits. Signs are fixed by making the largest entry of each vector positive.
 *
 * Time: 2 * (iterations + 1) * entries * l + iterations * columns * l^2, with l = rank + oversampling.
 * Memory: 16 bytes * columns * l.
 */
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { SparseRows } from "./text-features.js";

export interface SvdParams {
  /** Vectors wanted; fewer come back when the matrix has fewer independent columns. */
  readonly rank: number;
  readonly oversampling: number;
  readonly iterations: number;
}

export interface TruncatedSvd {
  readonly rank: number;
  /** Falling, all above 0. */
  readonly singularValues: Float64Array;
  /** columns x rank, column of the matrix by column: entry (c, j) is `vectors[c * rank + j]`. */
  readonly vectors: Float64Array;
}

/** Numbers in [0, 1). */
export type Random = () => number;

export function truncatedSvd(matrix: SparseRows, params: SvdParams, random: Random): TruncatedSvd {
  const columns = matrix.columnCount;
  const width = Math.min(params.rank + params.oversampling, columns, matrix.offsets.length - 1);
  let basis = new Float64Array(columns * width);
  for (let i = 0; i < basis.length; i++) basis[i] = 2 * random() - 1;
  orthonormalise(basis, columns, width);
  for (let i = 0; i < params.iterations; i++) {
    basis = gramTimes(matrix, basis, width).product;
    orthonormalise(basis, columns, width);
  }
  const { inner } = gramTimes(matrix, basis, width);
  return rotate(basis, columns, width, inner, params.rank);
}

/** A'A times `basis`, row by row of A so that nothing of the size of its rows is held; and (A basis)'(A basis). */
function gramTimes(matrix: SparseRows, basis: Float64Array, width: number) {
  const product = new Float64Array(basis.length);
  const inner = new Float64Array(width * width);
  const projected = new Float64Array(width);
  for (let r = 0; r + 1 < matrix.offsets.length; r++) {
    const begin = matrix.offsets[r]!;
    const end = matrix.offsets[r + 1]!;
    projected.fill(0);
    for (let at = begin; at < end; at++) {
      const value = matrix.values[at]!;
      const from = matrix.columns[at]! * width;
      for (let j = 0; j < width; j++) projected[j]! += value * basis[from + j]!;
    }
    for (let at = begin; at < end; at++) {
      const value = matrix.values[at]!;
      const to = matrix.columns[at]! * width;
      for (let j = 0; j < width; j++) product[to + j]! += value * projected[j]!;
    }
    for (let i = 0; i < width; i++) {
      const value = projected[i]!;
      for (let j = 0; j <= i; j++) inner[i * width + j]! += value * projected[j]!;
    }
  }
  return { product, inner };
}

/**
 * Makes the columns orthonormal by Gram-Schmidt, twice, which is enough (Giraud, Langou 2005). A column that depends on
 * the earlier ones becomes zero; its singular value is 0 then and it is dropped at the end.
 */
function orthonormalise(basis: Float64Array, rows: number, width: number): void {
  const byColumn = new Float64Array(basis.length);
  for (let r = 0; r < rows; r++) for (let j = 0; j < width; j++) byColumn[j * rows + r] = basis[r * width + j]!;
  for (let j = 0; j < width; j++) {
    const column = byColumn.subarray(j * rows, (j + 1) * rows);
    const before = Math.sqrt(dot(column, column));
    for (let pass = 0; pass < 2; pass++) {
      for (let i = 0; i < j; i++) {
        const other = byColumn.subarray(i * rows, (i + 1) * rows);
        const shared = dot(column, other);
        for (let r = 0; r < rows; r++) column[r]! -= shared * other[r]!;
      }
    }
    const length = Math.sqrt(dot(column, column));
    const scale = length > before * 1e-10 && length > 0 ? 1 / length : 0;
    for (let r = 0; r < rows; r++) column[r]! *= scale;
  }
  for (let r = 0; r < rows; r++) for (let j = 0; j < width; j++) basis[r * width + j] = byColumn[j * rows + r]!;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function rotate(basis: Float64Array, columns: number, width: number, inner: Float64Array, wanted: number) {
  if (width === 0) return { rank: 0, singularValues: new Float64Array(0), vectors: new Float64Array(0) };
  const symmetric = new Matrix(width, width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      symmetric.set(i, j, inner[i * width + j]!);
      symmetric.set(j, i, inner[i * width + j]!);
    }
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
  const largest = Math.max(0, ...realEigenvalues);
  const order = realEigenvalues
    .map((value, j) => ({ value, j }))
    .filter(({ value }) => value > largest * 1e-10)
    .sort((a, b) => b.value - a.value || a.j - b.j)
    .slice(0, wanted);
  const rank = order.length;
  const vectors = new Float64Array(columns * rank);
  for (const [to, { j }] of order.entries()) {
    const turn = eigenvectorMatrix.getColumn(j);
    let extreme = 0;
    for (let c = 0; c < columns; c++) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += basis[c * width + i]! * turn[i]!;
      vectors[c * rank + to] = sum;
      if (Math.abs(sum) > Math.abs(extreme)) extreme = sum;
    }
    if (extreme < 0) for (let c = 0; c < columns; c++) vectors[c * rank + to]! *= -1;
  }
  return { rank, singularValues: Float64Array.from(order, ({ value }) => Math.sqrt(value)), vectors };
}
