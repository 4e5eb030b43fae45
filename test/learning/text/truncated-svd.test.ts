import { Matrix, SVD } from "ml-matrix";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import type { SparseRows } from "../../../src/learning/text/text-features.js";
import { truncatedSvd } from "../../../src/learning/text/truncated-svd.js";

function sparse(rows: readonly (readonly number[])[], columnCount: number): SparseRows {
  const offsets = [0];
  const columns: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    for (const [column, value] of row.entries()) {
      if (value === 0) continue;
      columns.push(column);
      values.push(value);
    }
    offsets.push(columns.length);
  }
  return {
    offsets: Uint32Array.from(offsets),
    columns: Uint32Array.from(columns),
    values: Float32Array.from(values),
    columnCount,
  };
}

/** Whole numbers, so that single precision holds them exactly. */
function someRows(rowCount: number, columnCount: number, seed: number): number[][] {
  const random = createRandom(seed);
  return Array.from({ length: rowCount }, (_, r) =>
    Array.from({ length: columnCount }, () => (random() < 0.3 ? Math.floor(random() * 9) * (1 + (r % 5)) : 0)),
  );
}

describe("truncated SVD", () => {
  it("finds the singular values and vectors that the dense SVD finds", () => {
    const rows = someRows(40, 23, 3);
    const dense = new SVD(new Matrix(rows));
    const found = truncatedSvd(sparse(rows, 23), { rank: 8, oversampling: 8, iterations: 12 }, createRandom(1));
    expect(found.rank).toBe(8);
    for (let j = 0; j < 8; j++) {
      expect(found.singularValues[j]! / dense.diagonal[j]!).toBeCloseTo(1, 6);
      const cosine = dense.rightSingularVectors
        .getColumn(j)
        .reduce((sum, value, c) => sum + value * found.vectors[c * 8 + j]!, 0);
      expect(Math.abs(cosine)).toBeCloseTo(1, 4);
    }
  });

  it.each([[0], [1], [3]])("returns orthonormal vectors after %i iterations", (iterations) => {
    const { rank, vectors } = truncatedSvd(
      sparse(someRows(60, 30, 4), 30),
      { rank: 10, oversampling: 5, iterations },
      createRandom(2),
    );
    for (let i = 0; i < rank; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let c = 0; c < 30; c++) sum += vectors[c * rank + i]! * vectors[c * rank + j]!;
        expect(sum).toBeCloseTo(i === j ? 1 : 0, 8);
      }
    }
  });

  it("returns no more vectors than the matrix has independent columns", () => {
    const rows = [
      [1, 2, 0, 1],
      [2, 4, 0, 2],
      [0, 0, 3, 0],
      [1, 2, 3, 1],
    ];
    const found = truncatedSvd(sparse(rows, 4), { rank: 4, oversampling: 4, iterations: 2 }, createRandom(1));
    expect(found.rank).toBe(2);
    expect(found.vectors.every(Number.isFinite)).toBe(true);
  });

  it("returns nothing for a matrix without rows, without columns or of zeros", () => {
    const params = { rank: 4, oversampling: 4, iterations: 2 };
    expect(truncatedSvd(sparse([], 5), params, createRandom(1)).rank).toBe(0);
    expect(truncatedSvd(sparse([[], []], 0), params, createRandom(1)).rank).toBe(0);
    expect(truncatedSvd(sparse([[0, 0]], 2), params, createRandom(1)).rank).toBe(0);
  });

  it("returns the same bits for the same seed, and the same signs for another", () => {
    const matrix = sparse(someRows(50, 20, 9), 20);
    const params = { rank: 3, oversampling: 10, iterations: 10 };
    const first = truncatedSvd(matrix, params, createRandom(7));
    expect(truncatedSvd(matrix, params, createRandom(7))).toEqual(first);
    const other = truncatedSvd(matrix, params, createRandom(8));
    for (const [i, value] of first.vectors.entries()) expect(other.vectors[i]).toBeCloseTo(value, 4);
  });
});
