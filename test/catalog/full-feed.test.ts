import { isDeepStrictEqual } from "node:util";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import type { ProductChange } from "../../src/store/ports/product-store.js";
import { openAisle } from "../fixtures/aisle.js";
import { bareProduct } from "../fixtures/bare-product.js";
import { type StoreKind, storeKinds } from "../fixtures/stores.js";

const stores = await storeKinds();
const ALL = Array.from({ length: 10 }, (_, n) => `p${n}`);

async function openShop(openStore: StoreKind["openStore"]) {
  const aisle = await openAisle(openStore);
  const { catalog, apps } = aisle.rpc;
  await apps.createApp({ app: { appId: "shop" } });
  const upsert = (products: readonly object[], fromFeed = false) =>
    catalog.upsertProducts(
      (async function* () {
        yield { appId: "shop", products: [...products], fromFeed };
      })(),
    );
  const replace = (...batches: readonly object[]) => {
    aisle.now.at += 1000; // what was added in the millisecond in which a feed begins counts as added by it
    return catalog.replaceCatalog(
      (async function* () {
        for (const [n, batch] of batches.entries()) yield { appId: "shop", last: n === batches.length - 1, ...batch };
      })(),
    );
  };
  const list = (ids: readonly string[]) => ({ products: ids.map((productId) => ({ productId, title: productId })) });
  const shown = async () => {
    const { products } = await catalog.listProducts({ appId: "shop" });
    return products.filter(({ hidden }) => !hidden).map(({ productId }) => productId);
  };
  await replace(list(ALL));
  return { ...aisle, upsert, replace, list, shown };
}

describe.each(stores)("a full feed: $name", ({ openStore }) => {
  it("hides products that it does not list, and a later one shows them again", async () => {
    const { replace, list, shown } = await openShop(openStore);
    expect(await replace(list(ALL.slice(0, 4)), list(ALL.slice(4, 7)))).toMatchObject({
      accepted: 7,
      hidden: 3,
      unlisted: 3,
    });
    expect(await shown()).toEqual(ALL.slice(0, 7));
    expect(await replace(list(ALL))).toMatchObject({ hidden: 0, unlisted: 0 });
    expect(await shown()).toEqual(ALL);
  });

  it("is undone for a product that is written by itself", async () => {
    const { replace, list, shown, upsert } = await openShop(openStore);
    await replace(list(ALL.slice(1)));
    await upsert(list(["p0"]).products, true);
    expect(await shown()).toEqual(ALL);
  });

  it("does not show products that a caller hid; a caller can show them", async () => {
    const { replace, list, shown, upsert } = await openShop(openStore);
    await upsert([{ productId: "p0", title: "p0", hidden: true }]);
    await replace(list(ALL));
    await upsert(list(["p0"]).products, true);
    expect(await shown()).toEqual(ALL.slice(1));
    await replace(list(ALL.slice(2)));
    await replace(list(ALL));
    expect(await shown()).toEqual(ALL.slice(1));
    await upsert(list(["p0"]).products);
    expect(await shown()).toEqual(ALL);
  });

  it("hides more than half of the shown products only when forced, also when it brings as many new ones", async () => {
    const { replace, list, shown } = await openShop(openStore);
    const others = Array.from({ length: 30 }, (_, n) => `q${n}`);
    const attempt = replace(list([...ALL.slice(0, 4), ...others]));
    await expect(attempt).rejects.toMatchObject({ code: Code.FailedPrecondition });
    await expect(attempt).rejects.toThrow("does not list 6 of the 10 products");
    expect(await shown()).toEqual([...ALL, ...others].sort());
    expect(await replace({ ...list([...ALL.slice(0, 5), ...others]) })).toMatchObject({ hidden: 5 });
    expect(await replace({ force: true }, list(["p0"]))).toMatchObject({ hidden: 34 });
    expect(await shown()).toEqual(["p0"]);
  });

  it("hides nothing when it breaks off", async () => {
    const { rpc, list, shown, now } = await openShop(openStore);
    now.at += 1000;
    const broken = rpc.catalog.replaceCatalog(
      (async function* () {
        yield { appId: "shop", force: true, ...list(["p0"]) };
        throw new Error("the file ends in the middle");
      })(),
    );
    await expect(broken).rejects.toThrow();
    expect(await shown()).toEqual(ALL);
  });

  it("hides nothing without a last batch, and nothing may follow that batch", async () => {
    const { replace, list, shown } = await openShop(openStore);
    const unended = replace({ force: true, last: false, ...list(["p0"]) });
    await expect(unended).rejects.toThrow("true in the last batch");
    const goesOn = replace({ force: true, last: true, ...list(["p0"]) }, list(["p1"]));
    await expect(goesOn).rejects.toThrow("no batch follows the last");
    expect(await shown()).toEqual(ALL);
  });

  it("hides nothing when entries could not be read, unless it is forced", async () => {
    const { replace, list, shown } = await openShop(openStore);
    expect(await replace(list(ALL.slice(1)), { incomplete: true })).toMatchObject({ hidden: 0, unlisted: 1 });
    expect(await shown()).toEqual(ALL);
    expect(await replace(list(ALL.slice(1)), { incomplete: true, force: true })).toMatchObject({ hidden: 1 });
  });

  it("counts rejected and merely named products as listed", async () => {
    const { replace, list, shown } = await openShop(openStore);
    const bad = { products: [{ productId: "p0", url: "no address" }, ...list(ALL.slice(2)).products] };
    const answer = await replace(bad, { listedIds: ["p1"] });
    expect(answer).toMatchObject({ accepted: 8, refusedTotal: 1, hidden: 0 });
    expect(await shown()).toEqual(ALL);
  });

  it("does not touch products known only from events", async () => {
    const { store, replace, list, rpc } = await openShop(openStore);
    await store.unitOfWork.run("shop", (tx) => tx.products.put("seen", bareProduct("seen", { origin: "event" })));
    await replace(list(ALL.slice(1)));
    expect(
      (await rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: "seen" } })).product?.hidden,
    ).toBe(false);
  });

  it("writes nothing when nothing changed", async () => {
    const { replace, list, store } = await openShop(openStore);
    const before = await store.products.list("shop", "", 100);
    const told: ProductChange[] = [];
    const stop = store.products.watch("shop", (changes) => told.push(...changes));
    await replace(list(ALL));
    stop();
    expect(await store.products.list("shop", "", 100)).toEqual(before);
    // A database may tell a state twice, and never a newer one than there is.
    expect(
      told.filter((change) => !before.some((product) => "put" in change && isDeepStrictEqual(change.put, product))),
    ).toEqual([]);
  });

  it("is rejected for an unknown app", async () => {
    const { rpc } = await openShop(openStore);
    const nothing = rpc.catalog.replaceCatalog((async function* () {})());
    await expect(nothing).rejects.toMatchObject({ code: Code.InvalidArgument });
    const unknown = rpc.catalog.replaceCatalog(
      (async function* () {
        yield { appId: "other", last: true };
      })(),
    );
    await expect(unknown).rejects.toMatchObject({ code: Code.NotFound });
  });
});
