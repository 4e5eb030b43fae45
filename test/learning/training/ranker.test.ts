import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import type { Interaction, VisitorHistory } from "../../../src/domain/interaction.js";
import { rowCount } from "../../../src/learning/common/rows.js";
import { loadServingModel } from "../../../src/learning/snapshot/serving-model.js";
import type { SourceQuery } from "../../../src/learning/sources/source.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { trainModel } from "../../../src/learning/training/train-model.js";
import { bareProduct } from "../../fixtures/bare-product.js";
import { PRODUCTS, walks } from "../rank/visits/simulated-visits.js";

const idOf = (index: number) => `p${String(index).padStart(2, "0")}`;
const PRODUCT_IDS = Array.from({ length: PRODUCTS }, (_, index) => idOf(index));

const shopProduct = (productId: string) => bareProduct(productId, { origin: "event" });

const view = (productId: string, at: number): Interaction => ({
  type: "product_view",
  at,
  productIds: [productId],
  ref: `${at}`,
});

/** Stores that hold one visitor for each walk, a step a second. */
function walkers(count: number) {
  const { sessions, runs, endedAt } = walks(count, 1);
  const histories: VisitorHistory[] = [];
  for (let s = 0; s < rowCount(sessions); s++) {
    const interactions: Interaction[] = [];
    for (let at = sessions.offsets[s]!; at < sessions.offsets[s + 1]!; at++)
      for (let run = 0; run < runs[at]!; run++)
        interactions.push(view(idOf(sessions.items[at]!), 1 + endedAt[s]! + interactions.length * 1000));
    histories.push({ visitorId: `v${s}`, interactions });
  }
  return storesOf(histories);
}

function storesOf(histories: readonly VisitorHistory[]) {
  async function* scan<T>(batch: readonly T[]): AsyncGenerator<readonly T[]> {
    yield batch;
  }
  return {
    products: { scan: () => scan(PRODUCT_IDS.map(shopProduct)) },
    interactions: { scan: () => scan(histories) },
  };
}

const train = (stores: ReturnType<typeof walkers>) =>
  trainModel({ ...stores, appId: "shop", vectorIndexes: hnswIndexes(), onProgress: () => undefined });

const query = (...items: number[]): SourceQuery => ({
  session: {
    items: Uint32Array.from(items),
    weights: new Float32Array(items.length).fill(1),
    runs: new Uint32Array(items.length).fill(1),
  },
  antecedents: Uint32Array.from(items),
  basket: new Uint32Array(0),
  hasCart: false,
  anchor: Uint32Array.from(items.slice(-1)),
});

describe("the visits of a data set", () => {
  it("count repeated views, and know the visitor's session before", async () => {
    const hour = 3600_000;
    const cart: Interaction = { type: "add_to_cart", at: 4, productIds: ["p01"], ref: "4" };
    const data = await readDataset(
      "shop",
      storesOf([
        {
          visitorId: "a",
          interactions: [
            view("p01", 1),
            view("p01", 2),
            view("p01", 3),
            cart,
            view("p02", 2 * hour),
            view("p03", 4 * hour),
          ],
        },
        { visitorId: "b", interactions: [view("p05", hour)] },
      ]),
    );
    expect([...data.sessions.items]).toEqual([1, 5, 2, 3]);
    expect([...data.sessionRuns]).toEqual([3, 1, 1, 1]);
    expect([...data.previousSession]).toEqual([-1, -1, 0, 2]);
  });
});

describe("a model trained on visits", () => {
  it("orders session proposals by a ranker, reports both figures, and has the same bytes each time", async () => {
    const { manifest, bytes } = await train(walkers(1200));
    const ranker = manifest.algorithms.find(({ name }) => name === "ranker");
    expect(ranker).toMatchObject({ included: true, reason: "" });
    const { facts } = ranker!;
    expect(facts.reciprocal_rank_20).toBeGreaterThan(facts.neighbours_reciprocal_rank_20!);
    expect(facts.steps).toBeGreaterThan(400);

    const model = loadServingModel("m1", bytes, hnswIndexes());
    const [source] = model.sources;
    const found = source!.complements(query(12, 13), 5);
    // Two of three steps lead to the next product of the aisle.
    expect(found.indices[0]).toBe(14);
    expect(source!.explain(query(12, 13), "recommended", 14)).toMatchObject({ becauseOf: [13, 12] });
    expect((await train(walkers(1200))).bytes).toEqual(bytes);
  });

  it("has no ranker where there is little but orders, and gives the reason", async () => {
    const histories = Array.from({ length: 200 }, (_, visitor) => ({
      visitorId: `v${visitor}`,
      interactions: [0, 1, 2].map(
        (nth): Interaction => ({
          type: "order",
          at: 1 + visitor * 60_000 + nth * 3600_000,
          productIds: [0, 1, 2].map((item) => idOf((visitor * 7 + nth * 13 + item * 5) % PRODUCTS)),
          ref: `order:${visitor}-${nth}`,
        }),
      ),
    }));
    const { manifest } = await train(storesOf(histories));
    expect(manifest.algorithms.find(({ name }) => name === "ranker")).toMatchObject({
      included: false,
      reason: "0 of 1800 interactions are no orders, which have no steps to learn from",
    });
  });

  it("has the forest that ships when there are too few steps, and tells so", async () => {
    const { manifest, bytes } = await train(walkers(60));
    const ranker = manifest.algorithms.find(({ name }) => name === "ranker");
    expect(ranker).toMatchObject({ included: true, reason: "", facts: { forest: 1 } });
    expect(ranker?.facts.steps).toBeLessThan(400);
    const [source] = loadServingModel("m1", bytes, hnswIndexes()).sources;
    expect(source!.complements(query(12, 13), 5).indices.length).toBe(5);
  });
});
