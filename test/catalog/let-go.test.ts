import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type CatalogView, createCatalogViews } from "../../src/catalog/catalog-view.js";
import type { Product } from "../../src/domain/product.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { emptyStore, testApp } from "../fixtures/store.js";

const NOW = 1_000;

function shopProducts(): Product[] {
  return Array.from({ length: 1200 }, (_, n) =>
    bareProduct(`p${n}`, {
      sku: `S${n}`,
      addedAt: n % 6,
      title: n % 3 === 0 ? "" : `Tent ${n}`,
      brand: `Brand ${n % 7}`,
      variantGroupId: n % 10 < 2 ? `group ${Math.floor(n / 10)}` : "",
      categories: [{ categoryId: `c${n % 5}`, name: "" }],
      tags: n % 4 === 0 ? ["new"] : [],
      price: { amount: `${n % 50}.90`, currency: "EUR" },
      ...(n % 100 === 0 && { salePrice: { amount: "1.00", currency: "EUR" }, saleEnd: NOW + 10 }),
    }),
  );
}

async function shop() {
  const store = await emptyStore();
  await store.apps.create(testApp("shop"));
  let scans = 0;
  const write = (...products: readonly Product[]) =>
    store.unitOfWork.run("shop", (tx) => {
      for (const product of products) tx.products.put(product.productId, product);
    });
  await write(...shopProducts());
  const clock = { now: NOW };
  const scan = (appId: string) => {
    scans++;
    return store.products.scan(appId);
  };
  let reads = 0;
  const getNow = (appId: string, productId: string) => {
    reads++;
    return store.products.getNow?.(appId, productId);
  };
  const views = createCatalogViews({ ...store.products, scan, getNow }, () => clock.now);
  const view = await views.of("shop");
  const size = () => new Map(views.sizes()).get("shop");
  const letGo = async () => {
    expect(views.letGo("shop")).toBe(true);
    for (let n = 0; n < 50; n++) await setImmediate();
  };
  return { store, write, views, view, clock, size, letGo, scans: () => scans, reads: () => reads };
}

/** All that can be asked of a view. */
function contents(view: CatalogView) {
  const sorted = (ids: ReadonlySet<string> | undefined) => ids && [...ids].sort();
  const groups = ["c0", "c4", "new", "late", "brand:Brand 3", "absent"];
  return {
    size: view.size,
    hasTitles: view.hasTitles,
    groups: groups.map((groupId) => sorted(view.group(groupId))),
    variants: [0, 7, 119].map((n) => sorted(view.variantsOf(`group ${n}`))),
    skus: ["S0", "S7", "S1199", "T"].map((sku) => view.idOfSku(sku)),
    prices: view.pricedWithin({ min: "", max: "", currency: "" }).reduce((sum, ids) => sum + ids.size, 0),
    ids: [...view.ids()].sort(),
    arrivals: [...view.arrivals()].sort(([a], [b]) => (a < b ? -1 : 1)),
    products: [...view.products()].sort((a, b) => (a.productId < b.productId ? -1 : 1)),
  };
}

describe("a catalogue whose products were let go", () => {
  it("answers everything as before, without a scan of the store", async () => {
    const { view, views, letGo, size, scans } = await shop();
    const before = contents(view);
    await letGo();
    expect(size()).toEqual({ products: 1200, isLetGo: true });
    expect(views.loaded("shop")).toBeUndefined();
    expect(contents(view)).toEqual(before);
    expect(await views.of("shop")).toBe(view);
    expect(size()).toEqual({ products: 1200, isLetGo: false });
    expect(scans()).toBe(1);
  });

  it("tells when products arrived without reading them", async () => {
    const { view, letGo, reads } = await shop();
    await letGo();
    const arrivals = [...view.arrivals()];
    expect([arrivals.length, arrivals.filter(([, at]) => at === 5).length, reads()]).toEqual([1200, 200, 0]);
  });

  it("does not count a product that is read again as written", async () => {
    const { view, letGo } = await shop();
    const { revision } = view;
    await letGo();
    view.get("p7");
    expect(view.revision).toBe(revision);
  });

  it("reads its products again beside requests once it is asked for", async () => {
    const { store, view, views, letGo } = await shop();
    await letGo();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await views.of("shop");
    vi.advanceTimersByTime(1000);
    for (let n = 0; n < 50; n++) await setImmediate();
    await store.close(); // nothing can be read any more
    expect([...view.products()]).toHaveLength(1200);
  });

  it("follows what is written to it", async () => {
    const { store, write, view, letGo } = await shop();
    await letGo();
    const moved = bareProduct("p7", {
      sku: "T",
      title: "",
      tags: ["late"],
      price: { amount: "9.00", currency: "EUR" },
    });
    await write(moved);
    await store.unitOfWork.run("shop", (tx) => tx.products.delete("p0"));
    const found = contents(view);
    const fresh = await createCatalogViews(store.products, () => NOW).of("shop");
    expect(found).toEqual(contents(fresh));
    expect(found.groups[3]).toEqual(["p7"]);
    expect(view.get("p0")).toBeUndefined();
  });

  it("follows a product that it reads before it is told of the write", async () => {
    const { store, write } = await shop();
    // Told of nothing: as of another process's writes before they are found.
    const views = createCatalogViews({ ...store.products, watch: () => () => undefined }, () => NOW);
    const view = await views.of("shop");
    views.letGo("shop");
    for (let n = 0; n < 50; n++) await setImmediate();
    await write(bareProduct("p7", { sku: "T", tags: ["late"] }));
    expect(view.get("p7")?.sku).toBe("T");
    expect(view.idOfSku("S7")).toBeUndefined();
    expect([...(view.group("late") ?? [])]).toEqual(["p7"]);
  });

  it("ends a sale in time", async () => {
    const { view, views, clock, letGo } = await shop();
    await letGo();
    expect(view.get("p100")?.price.amount).toBe("1.00");
    clock.now = NOW + 20;
    await views.of("shop");
    expect(view.get("p100")?.price.amount).toBe("0.90");
  });

  it("has not yet been loaded", async () => {
    const { views } = await shop();
    expect(views.letGo("other")).toBe(false);
  });
});
