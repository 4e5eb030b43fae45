import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import type { VisitorHistory } from "../../../src/domain/interaction.js";
import { interactionsBefore, splitByTime, visitsSince } from "../../../src/learning/evaluation/visits.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { trainModel } from "../../../src/learning/training/train-model.js";
import { HOUR, orderOf, product, START, shop, visit } from "./memory-shop.js";

const PRODUCTS = ["a", "b", "c", "d"].map((id) => product(id, { title: `Thing ${id}` }));

const step = fc.record({
  type: fc.constantFrom("product_view", "add_to_cart", "order"),
  at: fc.integer({ min: 0, max: 200_000_000 }),
  productIds: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 }),
  ref: fc.constant("r"),
});
const histories = fc
  .array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 })
  .map((all) =>
    all.map(
      (interactions, v): VisitorHistory => ({
        visitorId: `v${v}`,
        interactions: interactions.sort((a, b) => a.at - b.at),
      }),
    ),
  );

describe("the time split", () => {
  it("judges the newest tenth of the visits", async () => {
    const { interactions } = shop(
      PRODUCTS,
      Array.from({ length: 40 }, (_, n) => visit(n, "a", "b")),
    );
    const split = await splitByTime("shop", interactions, 0.1);
    expect(split).toEqual({ cutOff: START + 36 * HOUR, visitsBefore: 36, visitsAfter: 4 });
    const judged = await visitsSince("shop", interactions, START + 36 * HOUR);
    expect(judged.map(([first]) => first?.at)).toEqual([36, 37, 38, 39].map((n) => START + n * HOUR));
  });

  it("is empty without visits", async () => {
    expect(await splitByTime("shop", shop(PRODUCTS, []).interactions, 0.1)).toBeUndefined();
  });

  it("neither learns nor judges the end of a visit that spans the cut-off", async () => {
    const { interactions } = shop(PRODUCTS, [visit(0, "a", "b", "c")]);
    const cutOff = START + 1500;
    expect(await visitsSince("shop", interactions, cutOff)).toEqual([]);
    const { sessions } = await readDataset("shop", {
      ...shop(PRODUCTS, []),
      interactions: interactionsBefore(interactions, cutOff),
    });
    expect([...sessions.items]).toEqual([0, 1]);
  });

  it("learns the same whatever happens after the cut-off", async () => {
    await fc.assert(
      fc.asyncProperty(histories, histories, fc.integer({ min: 1, max: 200_000_000 }), async (all, other, cutOff) => {
        const changed = all.map((history, v) => ({
          ...history,
          interactions: [
            ...history.interactions.filter(({ at }) => at < cutOff),
            ...(other[v]?.interactions ?? []).filter(({ at }) => at >= cutOff),
          ],
        }));
        const newcomers = other.map(({ interactions }, v) => ({
          visitorId: `w${v}`,
          interactions: interactions.filter(({ at }) => at >= cutOff),
        }));
        const learned = (visitors: readonly VisitorHistory[]) => {
          const stores = shop(PRODUCTS, visitors);
          return readDataset("shop", { ...stores, interactions: interactionsBefore(stores.interactions, cutOff) });
        };
        expect(await learned([...changed, ...newcomers])).toEqual(await learned(all));
      }),
    );
  });

  it("gives the bytes of a model that never saw later visits", async () => {
    const before = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? orderOf(n, "a", "b") : visit(n, "c", "d", "a")));
    const after = Array.from({ length: 10 }, (_, n) => visit(40 + n, "d", "b"));
    const bytes = async (visitors: readonly VisitorHistory[]) => {
      const stores = shop(PRODUCTS, visitors);
      const interactions = interactionsBefore(stores.interactions, START + 35 * HOUR);
      const vectorIndexes = hnswIndexes();
      return (await trainModel({ ...stores, interactions, appId: "shop", vectorIndexes, onProgress: () => {} })).bytes;
    };
    expect(await bytes([...before, ...after])).toEqual(await bytes(before));
  });
});
