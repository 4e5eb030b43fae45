import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/learning/common/random.js";
import { createVectorKernel, type VectorKernel } from "../../../src/learning/kernels/item-vectors.js";

const SHAPE = { products: 9, dimensions: 16, batch: 4, drawn: 8, steps: 3 } as const;
const TEMPERATURE = 0.1;
const FIRST_MOMENT = 0.9;
const DRAWN = [0, 1, 2, 3, 4, 5, 3, 7];
/** What came next, and the steps, newest first. */
const QUESTIONS = [
  { next: 3, steps: [0] },
  { next: 8, steps: [1, 2, 1] },
  { next: 5, steps: [5, 6] },
  { next: 0, steps: [3, 0, 7] },
];

function filledKernel(): VectorKernel {
  const kernel = createVectorKernel(SHAPE, 1);
  const random = createRandom(3);
  for (let p = 0; p < SHAPE.products; p++) {
    for (let d = 0; d < SHAPE.dimensions; d++) kernel.products[p * kernel.productWidth + d] = 2 * random() - 1;
    kernel.products[p * kernel.productWidth + 3 * SHAPE.dimensions] = random() - 0.5;
    kernel.expected[p] = -p / 4;
  }
  for (let i = 0; i < SHAPE.steps; i++) kernel.places[3 * i] = -0.3 * i;
  kernel.drawn.set(DRAWN);
  for (const [q, { next, steps }] of QUESTIONS.entries())
    kernel.questions.set([next, steps.length, ...steps], q * (SHAPE.steps + 2));
  return kernel;
}

function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

const product = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);

/** The probability of what came next in each question, written down as the formulas say. */
function probabilitiesOf(values: Float64Array, kernel: VectorKernel, places: readonly number[]): number[] {
  const { productWidth: width, expected } = kernel;
  const vectorOf = (p: number) => unit(Array.from(values.subarray(p * width, p * width + SHAPE.dimensions)));
  return QUESTIONS.map(({ next, steps }) => {
    const weights = steps.map((p, i) => Math.exp(places[i]! + values[p * width + 3 * SHAPE.dimensions]!));
    const total = weights.reduce((all, weight) => all + weight, 0);
    const parts = steps.map((p, i) => vectorOf(p).map((value) => (value * weights[i]!) / total));
    const visit = unit(parts[0]!.map((_, d) => parts.reduce((all, part) => all + part[d]!, 0)));
    const oddsOf = (p: number) => Math.exp(product(visit, vectorOf(p)) / TEMPERATURE - expected[p]!);
    const others = DRAWN.filter((p) => p !== next).reduce((all, p) => all + oddsOf(p), 0);
    return oddsOf(next) / (oddsOf(next) + others);
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the kernel of item vectors", () => {
  it("tells the mean probability that the formulas give", () => {
    const kernel = filledKernel();
    const expected = mean(probabilitiesOf(Float64Array.from(kernel.products), kernel, [0, -0.3, -0.6]));
    expect(kernel.learn(0, TEMPERATURE, 0)).toBeCloseTo(expected, 5);
  });

  it("has the slopes of the mean surprise as gradients, of products and of places", () => {
    const kernel = filledKernel();
    const values = Float64Array.from(kernel.products);
    const places = [0, -0.3, -0.6];
    kernel.learn(0, TEMPERATURE, 0);
    const { dimensions } = SHAPE;
    const small = 1e-5;
    const surprise = () => mean(probabilitiesOf(values, kernel, places).map((probability) => -Math.log(probability)));
    const slope = (change: (by: number) => void) => {
      change(small);
      const above = surprise();
      change(-2 * small);
      const below = surprise();
      change(small);
      return (above - below) / (2 * small);
    };
    for (let p = 0; p < SHAPE.products; p++) {
      const from = p * kernel.productWidth;
      // The first moment follows each number of the vector, and the weight of the product.
      const pairs = Array.from({ length: dimensions }, (_, d) => [from + d, from + dimensions + d] as const);
      for (const [at, moment] of [...pairs, [from + 3 * dimensions, from + 3 * dimensions + 1] as const]) {
        const expected = slope((by) => (values[at]! += by));
        expect(kernel.products[moment]! / (1 - FIRST_MOMENT)).toBeCloseTo(expected, 3);
      }
    }
    for (const i of places.keys()) {
      const expected = slope((by) => (places[i]! += by));
      expect(kernel.places[3 * i + 1]! / (1 - FIRST_MOMENT)).toBeCloseTo(expected, 3);
    }
  });

  it("expects what came next more and more with the same batch", () => {
    const kernel = filledKernel();
    const probabilities = Array.from({ length: 40 }, () => kernel.learn(0.01, TEMPERATURE, 0));
    expect(probabilities.at(-1)).toBeGreaterThan(0.5);
    expect(probabilities[0]).toBeLessThan(0.3);
  });
});
