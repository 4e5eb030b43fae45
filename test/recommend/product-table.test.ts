import { expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import type { Product } from "../../src/domain/product.js";
import type { ServingModel } from "../../src/learning/sources/source.js";
import { createProductTables, NO_CATEGORY } from "../../src/recommend/products/product-table.js";
import type { ProductChange } from "../../src/store/ports/product-store.js";
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
  const view = await createCatalogViews(
    {
      async *scan() {
        yield productIds.map((productId) => priced(productId, "10"));
      },
      watch: (_appId, listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    () => 0,
  ).of("shop");
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

it("the catalogue's data on a product are cached until it is written", async () => {
  const { catalog, looked, put } = await openCatalog();
  const tableFor = createProductTables();
  const table = tableFor(model, catalog);
  expect([table.product(7), table.category(7), table.price(7)]).toEqual([priced("p7", "10"), NO_CATEGORY, 10]);
  put("p8", "20");
  expect(tableFor(model, catalog).price(7)).toBe(10);
  expect(looked).toEqual(["p7"]);
});

it("a written or removed product is looked up again, however many there were", async () => {
  for (const others of [0, COUNT - 2]) {
    const { catalog, put, remove } = await openCatalog();
    const tableFor = createProductTables();
    const before = tableFor(model, catalog);
    expect([before.price(0), before.price(1)]).toEqual([10, 10]);
    for (let n = 0; n < others; n++) put(`p${n + 2}`, "15");
    put("p0", "30");
    remove("p1");
    put("unknown", "1");
    const after = tableFor(model, catalog);
    expect([after.price(0), after.price(1), after.product(1)]).toEqual([30, Number.NaN, undefined]);
    put("p1", "40");
    expect(tableFor(model, catalog).price(1)).toBe(40);
  }
});

it("the cache is emptied when the catalogue is reloaded", async () => {
  const [first, second] = [await openCatalog(), await openCatalog()];
  second.put("p0", "50");
  const tableFor = createProductTables();
  expect(tableFor(model, first.catalog).price(0)).toBe(10);
  expect(tableFor(model, second.catalog).price(0)).toBe(50);
});

it("categories and currencies of the model's products have the same numbers as those of others", async () => {
  const stored = new Map(
    [
      bareProduct("p0", { categories: [{ categoryId: "tents", name: "" }], price: { amount: "5", currency: "EUR" } }),
      bareProduct("p1", { categories: [{ categoryId: "stoves", name: "" }], price: { amount: "5", currency: "SEK" } }),
    ].map((product) => [product.productId, product]),
  );
  const table = createProductTables()(model, { get: (productId) => stored.get(productId) });
  const other = table.numbered(bareProduct("new", { ...stored.get("p0"), productId: "new" }));
  expect([table.category(0), table.price(0), table.currency(0)]).toEqual([other.category, 5, other.currency]);
  expect([table.category(1) === other.category, table.currency(1) === other.currency]).toEqual([false, false]);
  expect([table.category(2), table.product(2)]).toEqual([NO_CATEGORY, undefined]);
});
