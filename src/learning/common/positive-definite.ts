/**
 * Solves A x = b for `size` unknowns by Cholesky's decomposition. A is symmetric and positive definite; its lower triangle
 * lies by rows of `size` at the front of `matrix` and is overwritten, as the front of b is by x.
 */
export function solvePositiveDefinite(matrix: Float64Array, b: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k]! * matrix[j * size + k]!;
      matrix[i * size + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * size + j]!;
    }
  }
  for (let i = 0; i < size; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= matrix[i * size + k]! * b[k]!;
    b[i] = sum / matrix[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    let sum = b[i]!;
    for (let k = i + 1; k < size; k++) sum -= matrix[k * size + i]! * b[k]!;
    b[i] = sum / matrix[i * size + i]!;
  }
}
