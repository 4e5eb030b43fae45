import { describe, expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { createAppMemory } from "../../src/server/app-memory.js";
import { product } from "../contract/samples.js";
import { wireAisle } from "../fixtures/aisle.js";
import { emptyStore, testApp } from "../fixtures/store.js";

const MIB = 2 ** 20;
/** Products of 1 MiB, and a model that takes 2 MiB with its snapshot. */
const MANY = 512;
const MODEL = MIB / 2;

/**
 * Apps with so many products and bytes of a model, the one asked for longest ago first. `keepsIndexes`: of those that are
 * let go the indexes stay.
 */
function memory(
  limitBytes: number,
  apps: Record<string, readonly [products: number, modelBytes: number]>,
  keepsIndexes = false,
) {
  const held = new Map(Object.entries(apps));
  const letGo = new Set<string>();
  const evicted: string[] = [];
  const forgotten: string[] = [];
  const counted: string[] = [];
  const created = createAppMemory({
    limitBytes,
    catalogs: {
      sizes: () => [...held].map(([appId, [products]]) => [appId, { products, isLetGo: letGo.has(appId) }] as const),
    },
    models: {
      sizes: () => [...held].flatMap(([appId, [, bytes]]) => (letGo.has(appId) ? [] : [[appId, bytes] as const])),
    },
    letGo: (appId) => {
      evicted.push(appId);
      if (keepsIndexes) letGo.add(appId);
      else held.delete(appId);
      return keepsIndexes;
    },
    forget: (appId) => {
      forgotten.push(appId);
      held.delete(appId);
    },
    metrics: { count: (name) => void counted.push(name), observe: () => undefined },
  });
  return { ...created, evicted, forgotten, counted };
}

describe("memory of apps", () => {
  it("loses those that were asked for longest ago until the others fit, and counts them", () => {
    const { evict, evicted, counted } = memory(7 * MIB, { a: [MANY, MODEL], b: [MANY, MODEL], c: [MANY, MODEL] });
    evict();
    expect(evicted).toEqual(["a"]);
    expect(counted).toEqual(["apps_evicted"]);
  });

  it("keeps all that fit, and all without a limit", () => {
    for (const limit of [9 * MIB, Number.POSITIVE_INFINITY]) {
      const { evict, evicted } = memory(limit, { a: [MANY, MODEL], b: [MANY, MODEL], c: [MANY, MODEL] });
      evict();
      expect(evicted).toEqual([]);
    }
  });

  it("keeps the app that was asked for last even where it alone is too large", () => {
    const { evict, evicted } = memory(MIB, { a: [1, MODEL], b: [1, MODEL] });
    evict();
    expect(evicted).toEqual(["a"]);
  });

  it("keeps the indexes of those that left, and forgets the oldest when these take more than a quarter", () => {
    const apps = { a: [MANY, MODEL], b: [MANY, MODEL], c: [MANY, MODEL] } as const;
    const roomy = memory(4 * MIB, apps, true);
    roomy.evict();
    expect(roomy.evicted).toEqual(["a", "b"]);
    expect(roomy.forgotten).toEqual([]); // a quarter of a MiB each
    const tight = memory(3.25 * MIB, { ...apps, d: [MANY, MODEL] }, true);
    tight.evict();
    expect(tight.evicted).toEqual(["a", "b", "c"]);
    expect(tight.forgotten).toEqual(["a", "b"]);
    tight.evict();
    expect(tight.forgotten).toEqual(["a", "b"]);
  });

  it("is filled ahead while there is room, and never with an app that had to leave", () => {
    const { evict, isReadAhead } = memory(5 * MIB, { a: [MANY, MODEL], b: [MANY, MODEL] });
    expect(isReadAhead("c")).toBe(false);
    evict();
    expect(isReadAhead("c")).toBe(true);
    expect(isReadAhead("a")).toBe(false);
  });
});

describe("a server with little memory", () => {
  it("answers an app that left memory as before, and one asked for again stays", async () => {
    const store = await emptyStore();
    const scanned: string[] = [];
    const scan = (appId: string) => {
      scanned.push(appId);
      return store.products.scan(appId);
    };
    const aisle = wireAisle({ ...store, products: { ...store.products, scan } }, { memoryBytes: 5 * 2048 });
    for (const appId of ["a", "b", "c"]) {
      await store.apps.create(testApp(appId));
      await store.unitOfWork.run(appId, (tx) => {
        for (const id of ["p1", "p2"]) tx.products.put(`${appId}-${id}`, product(`${appId}-${id}`));
      });
    }
    const ask = async (appId: string) => {
      const { recommended } = await aisle.clients.recommendations.recommend({ appId, interactions: [] });
      return recommended.map(({ productId }) => productId).sort();
    };
    const before = [await ask("a"), await ask("b"), await ask("a"), await ask("c")];
    aisle.evictApps();
    expect(scanned).toEqual(["a", "b", "c"]);
    expect([await ask("a"), await ask("b"), await ask("a"), await ask("c")]).toEqual(before);
    expect(scanned).toEqual(["a", "b", "c"]); // the indexes of b had stayed, and its products were read one by one
    expect(before[1]).toHaveLength(2);
  });

  it("reads an app again of which nothing stayed", async () => {
    const { getNow, ...products } = (await emptyStore()).products;
    expect(getNow).toBeDefined();
    const scanned: string[] = [];
    const scan = (appId: string) => {
      scanned.push(appId);
      return products.scan(appId);
    };
    const views = createCatalogViews({ ...products, scan }, Date.now);
    await views.of("a");
    expect(views.letGo("a")).toBe(false);
    views.forget("a");
    await views.of("a");
    expect(scanned).toEqual(["a", "a"]);
  });
});
