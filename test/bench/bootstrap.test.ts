import { expect, it } from "vitest";
import { bootstrapInterval } from "../../bench/bootstrap.js";

it("gives nearly the normal interval of a share", () => {
  const values = Array.from({ length: 1_000 }, (_, i) => (i % 4 === 0 ? 1 : 0));
  const { low, high } = bootstrapInterval(values);
  const half = 1.96 * Math.sqrt((0.25 * 0.75) / 1_000);
  expect(low).toBeCloseTo(0.25 - half, 2);
  expect(high).toBeCloseTo(0.25 + half, 2);
});

it("gives one point for equal values", () => {
  expect(bootstrapInterval([0.5, 0.5, 0.5])).toEqual({ low: 0.5, high: 0.5 });
});

it("draws units with all of their questions", () => {
  const halves = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 0 : 5));
  const { low, high } = bootstrapInterval(halves, new Float64Array(100).fill(5));
  expect(low).toBeCloseTo(0.4, 1);
  expect(high).toBeCloseTo(0.6, 1);
});
