import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event.js";
import type { ServingModel } from "../../src/learning/sources/source.js";
import { createLiveLayer } from "../../src/recommend/products/new-product-watch.js";
import { event } from "../contract/samples.js";
import { oneNewProduct } from "../fixtures/one-new-product.js";
import { product } from "../intake/intake-fixture.js";

const MODEL: ServingModel = {
  modelId: "m1",
  productIds: ["p0"],
  indexOf: (productId) => (productId === "p0" ? 0 : undefined),
  sources: [],
  byPopularity: Uint32Array.of(0),
  popularity: Float32Array.of(1),
  placing: { dimensions: 1, place: () => Float32Array.of(1), direction: () => Float32Array.of(1) },
};

/** The layer over events in memory, which has looked once, at this many. */
async function openLayer(before = 0) {
  const events: Event[] = [];
  let read = 0;
  const layer = createLiveLayer({
    events: {
      list: async (_appId, from, limit, newestFirst) => {
        const found = newestFirst ? events.toReversed() : events.filter(({ eventId }) => eventId > from);
        read += Math.min(limit, found.length);
        return found.slice(0, limit);
      },
    },
    reportFailure: (_place, error) => {
      throw error;
    },
  });
  /** Visitors who each meet the known product and the new one. */
  const visit = (count: number) => {
    for (let n = 0; n < count; n++) {
      const eventId = String(events.length).padStart(9, "0");
      const visitor = { clientId: `c${eventId}`, fingerprintId: "", userId: "" };
      events.push(event(eventId, { visitor, products: [product("p0"), product("new")] }));
    }
  };
  const catalog = oneNewProduct();
  visit(before);
  layer.of("shop", catalog, MODEL);
  await layer.refresh();
  return {
    visit,
    async refresh() {
      read = 0;
      await layer.refresh();
      return { read, together: layer.of("shop", catalog, MODEL)?.together(["p0"], 1) };
    },
  };
}

describe("the layer of what is newer than the models", () => {
  it("counts each event once", async () => {
    const { visit, refresh } = await openLayer();
    visit(3);
    expect((await refresh()).together).toEqual([{ productId: "new", score: 3 }]);
    expect(await refresh()).toEqual({ read: 0, together: [{ productId: "new", score: 3 }] });
    visit(2);
    expect((await refresh()).together).toEqual([{ productId: "new", score: 5 }]);
  });

  it("begins with the newest hundred events", async () => {
    const { visit, refresh } = await openLayer(500);
    expect(await refresh()).toEqual({ read: 0, together: [{ productId: "new", score: 100 }] });
    visit(200);
    expect((await refresh()).together).toEqual([{ productId: "new", score: 300 }]);
  });

  it("reads a thousand events at a time and leaves out those that come faster", async () => {
    const { visit, refresh } = await openLayer();
    visit(5000);
    expect(await refresh()).toEqual({ read: 1001, together: [{ productId: "new", score: 1000 }] });
    visit(1);
    expect(await refresh()).toEqual({ read: 1, together: [{ productId: "new", score: 1001 }] });
  });
});
