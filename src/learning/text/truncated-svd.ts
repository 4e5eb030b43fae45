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
 * Time: 2 * (iterations + 1) * entries * l + 2 * iterations * columns * l^2 + rows * l^2, with l = rank + oversampling.
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
  const wanted = Math.min(params.rank + params.oversampling, columns, matrix.offsets.length - 1);
  let basis: Float64Array = Float64Array.from({ length: columns * wanted }, () => 2 * random() - 1);
  let width = wanted;
  for (let i = 0; i < params.iterations; i++) {
    if (i > 0) ({ basis, width } = orthonormalise(basis, columns, width));
    basis = gramTimes(matrix, basis, width);
  }
  // The last basis is never made orthonormal: what would do it, `whiten`, is folded into the small matrices.
  const whiten = whitening(basis, columns, width);
  const outer = new Float64Array(width * width);
  for (const row of projections(matrix, basis, width)) addOuter(outer, row);
  const inner = congruent(outer, width, whiten.matrix, whiten.count);
  const { values, vectors: turn } = eigen(inner, whiten.count, params.rank);
  const whole = times(whiten.matrix, width, whiten.count, turn, values.length);
  const vectors = times(basis, columns, width, whole, values.length);
  fixSigns(vectors, columns, values.length);
  return { rank: values.length, singularValues: values.map(Math.sqrt), vectors };
}

/** The rows of A times `basis`, one after the other in the same array. */
function* projections(matrix: SparseRows, basis: Float64Array, width: number): Generator<Float64Array> {
  const projected = new Float64Array(width);
  for (let r = 0; r + 1 < matrix.offsets.length; r++) {
    projected.fill(0);
    for (let at = matrix.offsets[r]!; at < matrix.offsets[r + 1]!; at++) {
      const value = matrix.values[at]!;
      const from = matrix.columns[at]! * width;
      for (let j = 0; j < width; j++) projected[j]! += value * basis[from + j]!;
    }
    yield projected;
  }
}

/** A'A times `basis`, row by row of A, so that nothing as long as A is held. */
function gramTimes(matrix: SparseRows, basis: Float64Array, width: number): Float64Array {
  const product = new Float64Array(matrix.columnCount * width);
  let r = 0;
  for (const projected of projections(matrix, basis, width)) {
    for (let at = matrix.offsets[r]!; at < matrix.offsets[r + 1]!; at++) {
      const value = matrix.values[at]!;
      const to = matrix.columns[at]! * width;
      for (let j = 0; j < width; j++) product[to + j]! += value * projected[j]!;
    }
    r++;
  }
  return product;
}

/** Columns that are orthonormal, up to half of the digits, and span the same space. */
function orthonormalise(basis: Float64Array, rows: number, width: number): { basis: Float64Array; width: number } {
  const { matrix, count } = whitening(basis, rows, width);
  return { basis: times(basis, rows, width, matrix, count), width: count };
}

/**
 * What makes the columns of `basis` orthonormal when multiplied from the right (width x count): with the eigenvectors U
 * and eigenvalues L of B'B it is U L^-1/2. Directions of no weight are dropped, so `count` may be less than the width.
 */
function whitening(basis: Float64Array, rows: number, width: number): { matrix: Float64Array; count: number } {
  const { values, vectors } = eigen(innerProducts(basis, rows, width), width, width);
  const count = values.length;
  for (let i = 0; i < vectors.length; i++) vectors[i]! /= Math.sqrt(values[i % count]!);
  return { matrix: vectors, count };
}

/** The lower triangle of basis' basis, four rows at a time so that the triangle is read a quarter as often. */
function innerProducts(basis: Float64Array, rows: number, width: number): Float64Array {
  const inner = new Float64Array(width * width);
  const whole = rows - (rows % 4);
  for (let r = 0; r < whole; r += 4) {
    const a = r * width;
    const b = a + width;
    const c = b + width;
    const d = c + width;
    for (let i = 0; i < width; i++) {
      const ai = basis[a + i]!;
      const bi = basis[b + i]!;
      const ci = basis[c + i]!;
      const di = basis[d + i]!;
      const to = i * width;
      for (let j = 0; j <= i; j++) {
        inner[to + j]! += ai * basis[a + j]! + bi * basis[b + j]! + ci * basis[c + j]! + di * basis[d + j]!;
      }
    }
  }
  for (let r = whole; r < rows; r++) addOuter(inner, basis.subarray(r * width, (r + 1) * width));
  return inner;
}

/** Adds the lower triangle of row' row. */
function addOuter(inner: Float64Array, row: Float64Array): void {
  const width = row.length;
  for (let i = 0; i < width; i++) {
    const value = row[i]!;
    for (let j = 0; j <= i; j++) inner[i * width + j]! += value * row[j]!;
  }
}

/** turn' M turn (count x count) of a symmetric M, given by its lower triangle (width x width). */
function congruent(lower: Float64Array, width: number, turn: Float64Array, count: number): Float64Array {
  const whole = lower.slice();
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) whole[j * width + i] = whole[i * width + j]!;
  const turned = times(whole, width, width, turn, count);
  const across = new Float64Array(count * width);
  for (let i = 0; i < width; i++) for (let j = 0; j < count; j++) across[j * width + i] = turn[i * count + j]!;
  return times(across, count, width, turned, count);
}

/** The largest eigenvalues of a symmetric matrix given by its lower triangle, falling, and their vectors (width x count). */
function eigen(lower: Float64Array, width: number, wanted: number) {
  if (width === 0) return { values: new Float64Array(0), vectors: new Float64Array(0) };
  const symmetric = new Matrix(width, width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      symmetric.set(i, j, lower[i * width + j]!);
      symmetric.set(j, i, lower[i * width + j]!);
    }
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
  const largest = Math.max(0, ...realEigenvalues);
  const order = realEigenvalues
    .map((value, j) => ({ value, j }))
    .filter(({ value }) => value > largest * 1e-12)
    .sort((a, b) => b.value - a.value || a.j - b.j)
    .slice(0, wanted);
  const vectors = new Float64Array(width * order.length);
  for (const [to, { j }] of order.entries()) {
    for (let i = 0; i < width; i++) vectors[i * order.length + to] = eigenvectorMatrix.get(i, j);
  }
  return { values: Float64Array.from(order, ({ value }) => value), vectors };
}

/**
 * `basis` (rows x width) times `turn` (width x count). Four rows of `turn` at a time, so that the product is read and
 * written a quarter as often.
 */
function times(basis: Float64Array, rows: number, width: number, turn: Float64Array, count: number): Float64Array {
  const product = new Float64Array(rows * count);
  const whole = width - (width % 4);
  for (let r = 0; r < rows; r++) {
    const from = r * width;
    const to = r * count;
    for (let i = 0; i < whole; i += 4) {
      const a = basis[from + i]!;
      const b = basis[from + i + 1]!;
      const c = basis[from + i + 2]!;
      const d = basis[from + i + 3]!;
      const atA = i * count;
      const atB = atA + count;
      const atC = atB + count;
      const atD = atC + count;
      for (let j = 0; j < count; j++) {
        product[to + j]! += a * turn[atA + j]! + b * turn[atB + j]! + c * turn[atC + j]! + d * turn[atD + j]!;
      }
    }
    for (let i = whole; i < width; i++) {
      const value = basis[from + i]!;
      for (let j = 0; j < count; j++) product[to + j]! += value * turn[i * count + j]!;
    }
  }
  return product;
}

/** Makes the entry of greatest size in each column positive, the first one of several. */
function fixSigns(vectors: Float64Array, rows: number, width: number): void {
  for (let c = 0; c < width; c++) {
    let extreme = 0;
    for (let r = 0; r < rows; r++) {
      const value = vectors[r * width + c]!;
      if (Math.abs(value) > Math.abs(extreme)) extreme = value;
    }
    if (extreme < 0) for (let r = 0; r < rows; r++) vectors[r * width + c]! *= -1;
  }
}
