import { describe, expect, it } from "vitest";
import { evaluate, figureOf, orderOf, product, shop, visit } from "./memory-shop.js";

const COUNT = 20;
const SIZES = ["S", "M", "L"] as const;
const KINDS = ["shirts", "belts"] as const;

/** Twenty shirts and belts in three sizes each; belt n goes with shirt n, and people order two sizes of one shirt to try. */
const CATALOGUE = KINDS.flatMap((kind) =>
  Array.from({ length: COUNT }, (_, n) => n).flatMap((n) =>
    SIZES.map((size) =>
      product(`${kind}${n}-${size}`, { title: `${kind} ${n} ${size}`, variantGroupId: `${kind}${n}` }),
    ),
  ),
);
const size = (i: number) => SIZES[i % 3]!;
const order = (at: number, i: number) => {
  const n = (i * 7) % COUNT;
  return orderOf(at, `shirts${n}-${size(i)}`, `shirts${n}-${size(i + 1)}`, `belts${n}-${size(i * 5 + 1)}`);
};
const HISTORIES = [
  ...Array.from({ length: 60 }, (_, i) =>
    visit(i, `shirts${i % COUNT}-${size(i)}`, `belts${i % COUNT}-${size(i + 2)}`),
  ),
  ...Array.from({ length: 500 }, (_, i) => order(60 + i, i)),
];

describe("an evaluation of a shop with variants", async () => {
  const evaluation = await evaluate(shop(CATALOGUE, HISTORIES));
  const hits = (task: string, ranking: string) => figureOf(evaluation, task, ranking);

  it("judges answers, which show one variant of a product, like baselines, which know no variants", () => {
    for (const task of ["hidden_line", "rest_of_order"]) {
      expect([task, hits(task, "recommended")]).toEqual([task, 1]);
      expect([task, hits(task, "item_knn")]).toEqual([task, 1]);
    }
  });

  it("does not ask for a variant of what is in the cart", () => {
    const task = evaluation.tasks.find(({ name }) => name === "hidden_line");
    expect(task?.queries).toBeLessThan(task?.possible ?? 0);
    expect(task?.queries).toBeGreaterThan(0);
  });
});

it("an evaluation counts interactions with the id of a group for its variants", async () => {
  const named = Array.from({ length: 500 }, (_, i) =>
    orderOf(i, `shirts${(i * 7) % COUNT}`, `belts${(i * 7) % COUNT}`),
  );
  const evaluation = await evaluate(shop(CATALOGUE, named));
  expect(evaluation.dataCounts.products_met).toBe(2 * COUNT);
  expect(figureOf(evaluation, "hidden_line", "recommended")).toBe(1);
});
