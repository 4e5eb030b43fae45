import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event.js";
import type { ServingModel } from "../../src/learning/sources/source.js";
import { createCountedPopularity } from "../../src/recommend/gather/counted-popularity.js";
import { LiveIndex } from "../../src/recommend/products/new-product-index.js";
import { event } from "../contract/samples.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { oneNewProduct } from "../fixtures/one-new-product.js";
import { product } from "../intake/intake-fixture.js";

/** A view by a visitor of its own. */
function view(n: number, productIds: readonly string[]): Event {
  const eventId = String(n).padStart(9, "0");
  const visitor = { clientId: "", fingerprintId: `f${n}`, userId: "" };
  return event(eventId, { visitor, products: productIds.map((productId) => product(productId)) });
}

const invented = (n: number, count: number) => Array.from({ length: count }, (_, i) => `invented-${n}-${i}`);

describe("popularity before the first model", () => {
  const real = bareProduct("real");
  const catalog = { ...oneNewProduct(), get: (id: string) => (id === real.productId ? real : undefined) };

  /** Counts events, given oldest first; reading a page of them takes so many ms, and the first `broken` readings fail. */
  function counting(events: readonly Event[], pageMs = 0, broken = 0) {
    const clock = { at: 0, pages: 0 };
    const failures: unknown[] = [];
    const { of } = createCountedPopularity({
      events: {
        list: async (_appId, from, limit) => {
          clock.pages++;
          clock.at += pageMs;
          if (clock.pages <= broken) throw new Error("the store does not answer");
          const older = events.filter(({ eventId }) => from === "" || eventId < from);
          return older.toReversed().slice(0, limit);
        },
      },
      now: () => clock.at,
      reportFailure: (_place, error) => failures.push(error),
    });
    return { clock, failures, count: () => of("shop", catalog) };
  }

  it("holds no product that the catalogue does not have", async () => {
    const flood = Array.from({ length: 50 }, (_, n) => view(n, [...invented(n, 99), "real"]));
    const model = await counting(flood).count();
    expect(model?.productIds).toEqual(["real"]);
    expect([...(model?.popularity ?? [])]).toEqual([50]);
  });

  it("is counted for a hundredth of the time at most, whatever the events hold", async () => {
    const { clock, count } = counting([view(1, ["real"])], 100);
    await count();
    expect(clock).toEqual({ at: 200, pages: 2 });
    clock.at += 19_999;
    await count();
    expect(clock.pages).toBe(2);
    clock.at += 1;
    await count();
    expect(clock.pages).toBe(3);
  });

  it("is counted again within a minute after the machine stood still in a count", async () => {
    const { clock, count } = counting([view(1, ["real"])], 31_000);
    await count();
    clock.at += 60_000;
    await count();
    expect(clock.pages).toBe(3);
  });

  it("is counted again within seconds after a count that failed", async () => {
    const { clock, count, failures } = counting([view(1, ["real"])], 0, 1);
    expect(await count()).toBeUndefined();
    expect(failures).toHaveLength(1);
    clock.at += 5_000;
    expect((await count())?.productIds).toEqual(["real"]);
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
