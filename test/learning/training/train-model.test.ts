import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { createUpsertProducts } from "../../../src/catalog/write-products.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { sessionsOf } from "../../../src/learning/training/history-sessions.js";
import { trainModel } from "../../../src/learning/training/train-model.js";
import { bareProduct } from "../../fixtures/bare-product.js";
import { draft, intake, NO_VISITOR, order, product } from "../../intake/intake-fixture.js";

const MINUTE = 60_000;

describe("sessions of a training", () => {
  const indexOf = new Map(["a", "b", "c"].map((id, index) => [id, index]));
  const at = (minute: number, type: "product_view" | "add_to_cart" | "order", ...productIds: string[]) => ({
    type,
    at: minute * MINUTE,
    productIds,
    ref: `${minute}`,
  });
  const cut = (...interactions: ReturnType<typeof at>[]) =>
    [...sessionsOf({ interactions }, indexOf)].map(({ items, at: end }) => [items, end / MINUTE]);

  it("end with a pause of more than 30 minutes", () => {
    expect(cut(at(0, "product_view", "a"), at(30, "product_view", "b"), at(61, "product_view", "c"))).toEqual([
      [[0, 1], 30],
      [[2], 61],
    ]);
  });

  it("merge a view and the cart addition after it into one step", () => {
    expect(cut(at(0, "product_view", "a"), at(1, "add_to_cart", "a"), at(2, "product_view", "b"))).toEqual([
      [[0, 1], 2],
    ]);
  });

  it("add from an order only the products that they lack", () => {
    expect(cut(at(0, "product_view", "a"), at(1, "product_view", "b"), at(2, "order", "a", "c"))).toEqual([
      [[0, 1, 2], 2],
    ]);
  });

  it("leave out removed products", () => {
    expect(cut(at(0, "product_view", "gone"), at(1, "product_view", "a"))).toEqual([[[0], 1]]);
  });
});

const TEXTS: Readonly<Record<string, string>> = {
  tent: "light shelter for two with bent poles",
  pegs: "ground pegs that hold a shelter in wind",
  lamp: "warm lamp with a battery for the table",
  pot: "cooking pot with a lid, fits every stove",
  pan: "frying pan, fits every stove",
};

async function shop() {
  const its = await intake();
  const upsert = createUpsertProducts({ unitOfWork: its.store.unitOfWork, now: its.now });
  const name = (productId: string) => {
    const { origin, updatedAt, ...known } = bareProduct(productId);
    return { ...known, title: productId, description: TEXTS[productId] ?? "" };
  };
  const train = () =>
    trainModel({ ...its.store, appId: "shop", vectorIndexes: hnswIndexes(), onProgress: () => undefined });
  const buy = async (n: number, ...ids: string[]) => {
    const visitor = { ...NO_VISITOR, clientId: `c${n}` };
    await its.record(draft("order", { visitor, order: order(`o${n}`), products: ids.map((id) => product(id)) }));
    its.now.at += 1000;
  };
  return { ...its, upsert, name, train, buy };
}

describe("the data of a training", () => {
  it("counts a cancelled order nowhere", async () => {
    const { store, record, buy } = await shop();
    await buy(1, "tent", "pegs");
    await buy(2, "tent", "lamp");
    await record(draft("order_cancel", { order: order("o2") }));
    const data = await readDataset("shop", store);
    expect([...data.baskets.offsets]).toEqual([0, 2]);
    expect(data.meetings.productIndices).toHaveLength(2);
  });

  it("ends at the newest interaction, whatever the clock says", async () => {
    const { store, buy, now } = await shop();
    await buy(1, "tent", "pegs");
    const newest = now.at - 1000;
    now.at += 90 * 24 * 60 * MINUTE;
    expect((await readDataset("shop", store)).cutOff).toBe(newest);
  });
});

describe("a trained model", () => {
  it("leaves out algorithms with too little data, and gives the reasons", async () => {
    const { train, buy } = await shop();
    for (let n = 0; n < 3; n++) await buy(n, "tent", "pegs");
    const { manifest } = await train();
    const out = Object.fromEntries(manifest.algorithms.map(({ name, included, reason }) => [name, included || reason]));
    expect(out).toEqual({
      association_rules: "3 orders of two products, 20 are needed",
      cart_complements: "3 orders of two products, 20 are needed",
      session_neighbours: "3 sessions of two products, 20 are needed",
      semantic: "0 products with a text, 5 are needed",
      popularity: true,
      blend_browsing: "1 questions in the newest data, 50 are needed",
      blend_browsing_with_cart: "0 questions in the newest data, 50 are needed",
      blend_cart: "0 questions in the newest data, 50 are needed",
    });
  });

  it("has all algorithms when there is enough data", async () => {
    const { train, buy, upsert, name } = await shop();
    await upsert("shop", Object.keys(TEXTS).map(name));
    for (let n = 0; n < 25; n++) await buy(n, "tent", "pegs", n % 2 === 0 ? "lamp" : "pot");
    const { manifest } = await train();
    const missing = manifest.algorithms.filter((one) => !one.included);
    expect(missing.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "cart_ranking: 8 questions in the newest orders, 50 are needed",
      "ranker: 0 of 75 interactions are no orders, which have no steps to learn from",
      "blend_browsing: 4 questions in the newest data, 50 are needed",
      "blend_browsing_with_cart: 0 questions in the newest data, 50 are needed",
      "blend_cart: 4 questions in the newest data, 50 are needed",
    ]);
    expect(manifest.dataCounts).toMatchObject({ products: 5, orders: 25, interactions: 75 });
  });

  it("cannot be made without data", async () => {
    const { train } = await shop();
    await expect(train()).rejects.toMatchObject({ kind: "precondition" });
  });
});
