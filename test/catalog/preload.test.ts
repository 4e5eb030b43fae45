import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { createPreload } from "../../src/catalog/preload.js";
import type { Product } from "../../src/domain/product.js";
import { app, product } from "../contract/samples.js";
import { openAisle } from "../fixtures/aisle.js";
import { passedOver } from "../fixtures/failures.js";

const going = new AbortController().signal;
const apps = (...appIds: string[]) => ({ list: async () => appIds.map((appId) => app(appId)) });

/** No app has a model. */
const none = { current: async () => undefined };

/** Catalogues of a store; the scan of an app that it does not have fails. */
function viewsOf(catalogues: Readonly<Record<string, readonly Product[]>>) {
  const scanned: string[] = [];
  const views = createCatalogViews(
    {
      scan: async function* (appId) {
        scanned.push(appId);
        const products = catalogues[appId];
        if (products === undefined) throw new Error("on purpose");
        yield products;
      },
      watch: () => () => undefined,
    },
    () => 0,
  );
  return { views, scanned };
}

describe("preloaded catalogues", () => {
  it("are in memory before the first request, each read once, also after one that cannot be read", async () => {
    const { views, scanned } = viewsOf({ a: [product("p1")], c: [product("p2"), product("p3")] });
    const load = createPreload({ apps: apps("a", "b", "c"), views, models: none, reportFailure: passedOver });
    await load(going);
    expect([views.loaded("a")?.size, views.loaded("b"), views.loaded("c")?.size]).toEqual([1, undefined, 2]);
    await load(going);
    expect(scanned).toEqual(["a", "b", "c", "b"]);
  });

  it("have their models in memory as well, each loaded once, also after one that cannot be read", async () => {
    const { views } = viewsOf({ a: [], b: [] });
    const read: string[] = [];
    const models = {
      current: async (appId: string) => {
        read.push(appId);
        if (appId === "a") throw new Error("on purpose");
      },
    };
    const load = createPreload({ apps: apps("a", "b"), views, models, reportFailure: passedOver });
    for (let n = 0; n < 2; n++) await load(going);
    expect(read).toEqual(["a", "b"]);
  });

  it("stop at once, even in the middle of a large catalogue", async () => {
    const stop = new AbortController();
    const views = { of: () => new Promise<never>(() => undefined), loaded: () => undefined };
    const loading = createPreload({ apps: apps("a", "b"), views, models: none, reportFailure: passedOver })(
      stop.signal,
    );
    await setImmediate();
    stop.abort();
    await expect(loading).resolves.toBeUndefined();
  });

  it("leave no listener on the signal that stops them", async () => {
    const { views } = viewsOf({ a: [] });
    const load = createPreload({ apps: apps("a"), views, models: none, reportFailure: passedOver });
    const { signal } = new AbortController();
    await load(signal);
    await load(signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("let other work run while they are read", async () => {
    const many = Array.from({ length: 5000 }, (_, i) => product(`p${i}`));
    const { views } = viewsOf({ a: many });
    let turns = 0;
    const loading = views.of("a");
    const others = (async () => {
      for (; views.loaded("a") === undefined; turns++) await setImmediate();
    })();
    expect((await loading).size).toBe(5000);
    await others;
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("follow later writes, so that no answer has to load them", async () => {
    const aisle = await openAisle();
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    await aisle.preload(going);
    const feed = async function* () {
      yield { appId: "shop", products: [{ productId: "p1", title: "Lamp" }] };
    };
    await aisle.rpc.catalog.upsertProducts(feed());
    Object.assign(aisle.store.products, {
      scan: () => {
        throw new Error("the catalogue was read for an answer");
      },
    });
    const { recommended } = await aisle.recommend({ appId: "shop", productInteractions: [] });
    expect(recommended.map(({ productId }) => productId)).toEqual(["p1"]);
  });
});
