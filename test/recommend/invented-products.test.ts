import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event.js";
import type { ServingModel } from "../../src/learning/model/source.js";
import { createCountedPopularity } from "../../src/recommend/counted-popularity.js";
import { LiveIndex } from "../../src/recommend/live-products.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { oneNewProduct } from "../fixtures/one-new-product.js";
import { product } from "../intake/intake-fixture.js";

const START: Event = {
  eventId: "",
  actionType: "product_view",
  bot: false,
  sender: "browser",
  occurredAt: 0,
  receivedAt: 0,
  visitor: { clientId: "", fingerprintId: "", userId: "" },
  contact: null,
  products: [],
  categories: [],
  order: null,
  searchQuery: "",
  platform: "",
  platformVersion: "",
  senderVersion: "",
  isShops: false,
  recommendationIds: [],
  extraFields: {},
  notes: [],
};

/** A view by a visitor of its own. */
function view(n: number, productIds: readonly string[]): Event {
  const eventId = String(n).padStart(9, "0");
  const visitor = { ...START.visitor, fingerprintId: `f${n}` };
  return { ...START, eventId, visitor, products: productIds.map((productId) => product(productId)) };
}

const invented = (n: number, count: number) => Array.from({ length: count }, (_, i) => `invented-${n}-${i}`);

describe("popularity before the first model", () => {
  const real = bareProduct("real");
  const catalog = { ...oneNewProduct(), get: (id: string) => (id === real.productId ? real : undefined) };

  /** What is counted of these events, oldest first, and how many products were read for it. */
  async function counted(events: readonly Event[]) {
    let products = 0;
    const { of } = createCountedPopularity({
      events: {
        list: async (_appId, from, limit) => {
          const listed = events.filter(({ eventId }) => from === "" || eventId < from);
          const read = listed.toReversed().slice(0, limit);
          for (const event of read) products += event.products.length;
          return read;
        },
      },
      now: () => 0,
      reportFailure: (_place, error) => {
        throw error;
      },
    });
    let model = await of("shop", catalog);
    while (model === undefined) model = await of("shop", catalog);
    return { model, products };
  }

  it("holds no product that the catalogue does not have", async () => {
    const flood = Array.from({ length: 200 }, (_, n) => view(n, [...invented(n, 99), "real"]));
    const { model } = await counted(flood);
    expect(model.productIds).toEqual(["real"]);
    expect([...model.popularity]).toEqual([200]);
  });

  it("is counted from at most 50,000 products, and a page of events, of a flood", async () => {
    const ids = invented(0, 1000);
    const { products } = await counted(Array.from({ length: 500 }, (_, n) => view(n, ids)));
    expect(products).toBeLessThanOrEqual(50_000 + 100 * 1000);
  });
});

describe("products newer than the model", () => {
  const MODEL: ServingModel = {
    modelId: "m1",
    productIds: ["p0"],
    indexOf: (productId) => (productId === "p0" ? 0 : undefined),
    sources: [],
    byPopularity: Uint32Array.of(0),
    popularity: Float32Array.of(1),
  };
  const index = () => {
    const live = new LiveIndex(MODEL, {
      dimensions: 1,
      place: () => Float32Array.of(1),
      direction: () => Float32Array.of(1),
    });
    live.put("new", bareProduct("new"));
    return live;
  };

  it("are not counted together with products that nobody has", () => {
    const live = index();
    for (let n = 0; n < 2; n++) live.meet(view(n, ["invented", "new"]));
    expect(live.together(["invented"], 1)).toEqual([]);
  });

  it("leave no room to invented ones, however many were met with them", () => {
    const live = index();
    for (let n = 0; n < 12_000; n++) live.meet(view(n, ["new", ...invented(n, 10)]));
    for (let n = 0; n < 2; n++) live.meet(view(20_000 + n, ["p0", "new"]));
    expect(live.together(["p0"], 1)).toEqual([{ productId: "new", score: 2 }]);
  });
});
