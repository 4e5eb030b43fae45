import { expect, it } from "vitest";
import { fitTifuKnn } from "../../bench/leaderboard/tifu-knn.js";

const PRODUCTS = 6;
const CUSTOMERS = [
  [[0, 1], [0]],
  [
    [0, 1],
    [0, 2],
  ],
  [[4], [4, 5]],
];

it("scores a product of a newer order above one of an older order", () => {
  const scores = fitTifuKnn(CUSTOMERS, PRODUCTS, { own: 1 })([[3], [4]]);
  expect(scores[4]).toBeGreaterThan(scores[3]!);
  expect(scores[3]).toBeGreaterThan(0);
});

it("averages within a group and over the groups", () => {
  const [first, second, third] = fitTifuKnn([], PRODUCTS, { own: 1, groups: 2, orderDecay: 0.5, groupDecay: 0.1 })([
    [0],
    [1],
    [2],
  ]);
  // The newest group is full and holds the orders of 1 and 2; the older one holds that of 0.
  expect(first).toBeCloseTo(0.1 / 2, 12);
  expect(second).toBeCloseTo(0.5 / 2 / 2, 12);
  expect(third).toBeCloseTo(1 / 2 / 2, 12);
});

it("proposes what the nearest customer bought and the customer did not", () => {
  const scores = fitTifuKnn(CUSTOMERS, PRODUCTS, { neighbours: 1 })(CUSTOMERS[0]!, 0);
  expect(scores[2]).toBeGreaterThan(0);
  expect(scores[5]).toBe(0);
});

it("does not count a customer as its own neighbour", () => {
  const scoresOf = fitTifuKnn(CUSTOMERS, PRODUCTS, { neighbours: 1, own: 0 });
  expect(scoresOf(CUSTOMERS[2]!, 2)[5]).toBe(0);
  expect(scoresOf(CUSTOMERS[2]!)[5]).toBeGreaterThan(0);
});
