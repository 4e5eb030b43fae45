import { describe, expect, it } from "vitest";
import { createCatalogViews } from "../../src/catalog/catalog-view.js";
import { createProductGroups } from "../../src/catalog/product-groups.js";
import { createDeleteProduct, createUpsertProducts, type ProductDraft } from "../../src/catalog/write-products.js";
import { NotFound } from "../../src/domain/errors.js";
import type { Product } from "../../src/domain/product.js";
import type { ProductChange } from "../../src/store/ports/product-store.js";
import { product as stored } from "../contract/samples.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { draft, intake, product } from "../intake/intake-fixture.js";

function fed(productId: string, more: Partial<ProductDraft> = {}): ProductDraft {
  const { origin, updatedAt, ...known } = bareProduct(productId);
  return { ...known, ...more };
}

async function catalog() {
  const shop = await intake();
  const upsert = createUpsertProducts({ unitOfWork: shop.store.unitOfWork, now: shop.now });
  const remove = createDeleteProduct({ unitOfWork: shop.store.unitOfWork, now: shop.now });
  const views = createCatalogViews(shop.store.products, shop.now);
  return { ...shop, upsert, remove, views };
}

describe("products written by the shop", () => {
  it("replace what was stored", async () => {
    const { upsert, store } = await catalog();
    await upsert("shop", [fed("p1", { title: "Tent", tags: ["new"] })]);
    await upsert("shop", [fed("p1", { title: "Tent for two" })]);
    expect(await store.products.get("shop", "p1")).toMatchObject({ title: "Tent for two", tags: [] });
  });

  it("are all written, and the last of one id wins, however many come at once", async () => {
    const { upsert, store } = await catalog();
    const batch = Array.from({ length: 500 }, (_, n) => fed(`p${n % 400}`, { title: `Tent ${n}` }));
    expect(await upsert("shop", batch)).toEqual([]);
    expect(await store.products.get("shop", "p399")).toMatchObject({ title: "Tent 399" });
    expect(await store.products.get("shop", "p99")).toMatchObject({ title: "Tent 499" });
  });

  it("are refused for an app that does not exist, also when there are none", async () => {
    const { upsert } = await catalog();
    await expect(upsert("absent", [fed("p1")])).rejects.toThrow(NotFound);
    await expect(upsert("absent", [])).rejects.toThrow(NotFound);
  });

  it("are stored with URLs as a URL parser writes them", async () => {
    const { upsert, store } = await catalog();
    await upsert("shop", [fed("p1", { url: 'HTTPS://A.example/x"onerror="y', imageUrl: "https://a.example" })]);
    expect(await store.products.get("shop", "p1")).toMatchObject({
      url: "https://a.example/x%22onerror=%22y",
      imageUrl: "https://a.example/",
    });
  });

  it.each([
    [fed(""), "product_id"],
    [fed("p\u0000"), "product_id"],
    [fed("NULL"), "product_id"],
    [fed("(not set)"), "product_id"],
    [fed("p1", { sku: "NULL" }), "sku"],
    [fed("p1", { sku: "{{ product.sku }}" }), "sku"],
    [fed("p1", { url: "javascript:alert(1)" }), "url"],
    [fed("p1", { imageUrl: "ftp://x" }), "image_url"],
    [fed("p1", { price: { amount: "1,50", currency: "EUR" } }), "price.amount"],
    [fed("p1", { title: "x".repeat(2000) }), "title"],
  ])("are rejected by field when invalid, and the others are stored", async (bad, field) => {
    const { upsert, store } = await catalog();
    const refused = await upsert("shop", [fed("good"), bad]);
    expect(refused).toMatchObject([{ index: 1, field }]);
    expect(await store.products.get("shop", "good")).toBeDefined();
  });
});

describe("products learned from events", () => {
  it("accept later texts and never lose one", async () => {
    const { record, store } = await catalog();
    const view = (more: Parameters<typeof product>[1]) =>
      record(draft("product_view", { products: [product("p1", more)] }));
    await view({ title: "Tent", brandName: "Northfold" });
    await view({ title: "Tent for two" });
    await view({ available: false });
    expect(await store.products.get("shop", "p1")).toMatchObject({
      title: "Tent for two",
      brand: "Northfold",
      available: false,
      origin: "event",
    });
  });

  it("accept http and https URLs only", async () => {
    const { record, store } = await catalog();
    await record(
      draft("product_view", { products: [product("p1", { url: "javascript:alert(1)", imageUrl: "https://s/i.png" })] }),
    );
    expect(await store.products.get("shop", "p1")).toMatchObject({ url: "", imageUrl: "https://s/i.png" });
  });
});

describe("groups that an app defines", () => {
  const gifts = { groupId: "gifts", title: "", categoryIds: [], brands: [], tags: ["gift"], productIds: [] };
  const groupsOf = async () => {
    const { store, now } = await catalog();
    return createProductGroups({ apps: store.apps, changes: store.unitOfWork, now });
  };

  it("are listed by id, replaced and removed", async () => {
    const groups = await groupsOf();
    await groups.set("shop", gifts);
    await groups.set("shop", { ...gifts, groupId: "a" });
    await groups.set("shop", { ...gifts, title: "Gifts" });
    expect(await groups.list("shop")).toEqual([
      { ...gifts, groupId: "a" },
      { ...gifts, title: "Gifts" },
    ]);
    expect(await groups.list("other")).toEqual([]);
    await groups.remove("shop", "a");
    expect(await groups.list("shop")).toEqual([{ ...gifts, title: "Gifts" }]);
    await expect(groups.remove("shop", "a")).rejects.toThrow(NotFound);
  });

  it.each([
    [{ groupId: "" }, "group.group_id"],
    [{ groupId: "a|b" }, "group.group_id"],
    [{ title: "x".repeat(300) }, "group.title"],
    [{ brands: ["Acme", ""] }, "group.brands[1]"],
    [{ tags: [] }, "group"],
    [{ productIds: Array.from({ length: 1000 }, (_, n) => `p${n}`) }, "group"],
  ])("are rejected by field", async (more, field) => {
    const groups = await groupsOf();
    await expect(groups.set("shop", { ...gifts, ...more })).rejects.toMatchObject({ field });
  });

  it("are limited to a hundred", async () => {
    const groups = await groupsOf();
    for (let n = 0; n < 100; n++) await groups.set("shop", { ...gifts, groupId: `g${n}` });
    await expect(groups.set("shop", gifts)).rejects.toMatchObject({ field: "group" });
    await groups.set("shop", { ...gifts, groupId: "g7", title: "again" });
  });
});

describe("the catalogue view", () => {
  it("shows products from before it was opened and products written later", async () => {
    const { upsert, remove, views } = await catalog();
    await upsert("shop", [fed("p1", { sku: "S1", categories: [{ categoryId: "camp", name: "" }], tags: ["new"] })]);
    const view = await views.of("shop");
    expect(view.get("p1")).toBeDefined();
    await upsert("shop", [fed("p2", { title: "Tent", categories: [{ categoryId: "camp", name: "" }] })]);
    expect([...(view.group("camp") ?? [])].sort()).toEqual(["p1", "p2"]);
    expect(view.hasTitles).toBe(true);
    await remove("shop", "p2");
    expect(view.get("p2")).toBeUndefined();
    expect(view.hasTitles).toBe(false);
    expect(view.idOfSku("S1")).toBe("p1");
  });

  it("moves a product whose SKU and groups change", async () => {
    const { upsert, views } = await catalog();
    await upsert("shop", [fed("p1", { sku: "S1", tags: ["old"] })]);
    const view = await views.of("shop");
    await upsert("shop", [fed("p1", { sku: "S2", tags: ["new"] })]);
    expect(view.idOfSku("S1")).toBeUndefined();
    expect(view.idOfSku("S2")).toBe("p1");
    expect(view.group("old")).toBeUndefined();
    expect([...(view.group("new") ?? [])]).toEqual(["p1"]);
  });

  it("holds the products of one app", async () => {
    const { upsert, views } = await catalog();
    await upsert("shop", [fed("p1")]);
    await upsert("other", [fed("p2")]);
    expect([...(await views.of("shop")).products()].map((one) => one.productId)).toEqual(["p1"]);
  });
});

describe("the catalogue view of a store that cannot report changes", () => {
  /** A store that tests write and whose scans they hold. */
  function fakeProducts() {
    const stored = new Map<string, Product>();
    let listener: (changes: readonly ProductChange[]) => void = () => undefined;
    let hold: Promise<void> = Promise.resolve();
    let failure: Error | undefined;
    const tell = (...changes: readonly ProductChange[]) => listener(changes);
    const views = createCatalogViews(
      {
        scan: async function* () {
          const seen = [...stored.values()];
          await hold;
          if (failure !== undefined) throw failure;
          yield seen;
        },
        watch: (_, one) => {
          listener = one;
          return () => undefined;
        },
      },
      () => 0,
    );
    return {
      stored,
      views,
      tell,
      holdScans: () => {
        let release = (): void => undefined;
        hold = new Promise((resolve) => {
          release = resolve;
        });
        return release;
      },
      fail: (error: Error | undefined) => {
        failure = error;
      },
    };
  }
  const titled = (productId: string, title: string) => stored(productId, { title });

  it("is reloaded in the background while the old view serves", async () => {
    const { stored, views, tell, holdScans } = fakeProducts();
    stored.set("p1", titled("p1", "old"));
    const before = await views.of("shop");
    stored.set("p1", titled("p1", "new"));
    stored.set("p2", titled("p2", "new"));
    const release = holdScans();
    tell({ reload: true });
    tell({ put: titled("p3", "meanwhile") });
    expect(await views.of("shop")).toBe(before);
    expect(before.get("p1")?.title).toBe("old");
    expect(before.get("p3")?.title).toBe("meanwhile");
    release();
    while (views.loaded("shop") === before) await Promise.resolve();
    const after = await views.of("shop");
    expect([...after.products()].map((one) => `${one.productId} ${one.title}`).sort()).toEqual([
      "p1 new",
      "p2 new",
      "p3 meanwhile",
    ]);
  });

  it("keeps products that were written during a reload", async () => {
    const { stored, views, tell, holdScans } = fakeProducts();
    stored.set("p1", titled("p1", "1"));
    stored.set("p2", titled("p2", "1"));
    const before = await views.of("shop");
    const release = holdScans();
    tell({ reload: true });
    tell({ put: titled("p1", "2") }, { removed: "p2" });
    release();
    while (views.loaded("shop") === before) await Promise.resolve();
    const after = await views.of("shop");
    expect(after.get("p1")?.title).toBe("2");
    expect(after.get("p2")).toBeUndefined();
  });

  it("is reloaded again when a change comes during a reload", async () => {
    const { stored, views, tell, holdScans } = fakeProducts();
    stored.set("p1", titled("p1", "1"));
    const release = holdScans();
    const opening = views.of("shop");
    stored.set("p1", titled("p1", "2"));
    tell({ reload: true });
    release();
    expect((await opening).get("p1")?.title).toBe("2");
  });

  it("is dropped when it cannot be reloaded", async () => {
    const { views, tell, fail } = fakeProducts();
    const before = await views.of("shop");
    fail(new Error("on purpose"));
    tell({ reload: true });
    while (views.loaded("shop") === before) await Promise.resolve();
    await expect(views.of("shop")).rejects.toThrow("on purpose");
    fail(undefined);
    expect((await views.of("shop")).size).toBe(0);
  });
});
