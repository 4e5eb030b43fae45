import { expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import type { Product } from "../../src/domain/product.js";
import type { ServingModel } from "../../src/model/source.js";
import type { ProductChange } from "../../src/ports/product-store.js";
import { createFactsCache } from "../../src/recommend/product-facts.js";
import { bareProduct } from "../fixtures/bare-product.js";

const COUNT = 2000;
const productIds = Array.from({ length: COUNT }, (_, n) => `p${n}`);
const model: ServingModel = {
  modelId: "m",
  productIds,
  indexOf: (productId) => (/^p\d+$/.test(productId) ? Number(productId.slice(1)) : undefined),
  sources: [],
  popularity: new Float32Array(COUNT),
  byPopularity: new Uint32Array(COUNT),
};
const priced = (productId: string, amount: string) => bareProduct(productId, { price: { amount, currency: "EUR" } });

/** A catalogue of the model's products that cost 10 each, which can be written, and counts what is looked up. */
async function openCatalog() {
  let tell: (changes: readonly ProductChange[]) => void = () => undefined;
  const view = await createCatalogViews({
    async *scan() {
      yield productIds.map((productId) => priced(productId, "10"));
    },
    watch: (_appId, listener) => {
      tell = listener;
      return () => undefined;
    },
  }).of("shop");
  const looked: string[] = [];
  const catalog = {
    get: (productId: string): Product | undefined => {
      looked.push(productId);
      return view.get(productId);
    },
    get revision() {
      return view.revision;
    },
    changedSince: (revision: number) => view.changedSince(revision),
  };
  const put = (productId: string, amount: string) => tell([{ put: priced(productId, amount) }]);
  return { catalog, looked, put, remove: (productId: string) => tell([{ removed: productId }]) };
}

it("what the catalogue says of a product is looked up once while nobody writes it", async () => {
  const { catalog, looked, put } = await openCatalog();
  const factsFor = createFactsCache();
  expect(factsFor(model, catalog)(7)).toEqual({ category: undefined, price: 10, currency: "EUR" });
  put("p8", "20");
  expect(factsFor(model, catalog)(7)?.price).toBe(10);
  expect(looked).toEqual(["p7"]);
});

it("a product that was written or removed is looked up anew, however many were", async () => {
  for (const others of [0, COUNT - 2]) {
    const { catalog, put, remove } = await openCatalog();
    const factsFor = createFactsCache();
    const before = factsFor(model, catalog);
    expect([before(0)?.price, before(1)?.price]).toEqual([10, 10]);
    for (let n = 0; n < others; n++) put(`p${n + 2}`, "15");
    put("p0", "30");
    remove("p1");
    put("unknown", "1");
    const after = factsFor(model, catalog);
    expect([after(0)?.price, after(1)]).toEqual([30, undefined]);
    put("p1", "40");
    expect(factsFor(model, catalog)(1)?.price).toBe(40);
  }
});

it("nothing is kept of a catalogue that was read anew", async () => {
  const [first, second] = [await openCatalog(), await openCatalog()];
  second.put("p0", "50");
  const factsFor = createFactsCache();
  expect(factsFor(model, first.catalog)(0)?.price).toBe(10);
  expect(factsFor(model, second.catalog)(0)?.price).toBe(50);
});
