import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { ProductChange } from "../../../src/store/ports/product-store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { app, product } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

describe("a listener of an app's products", () => {
  let directory: string;
  let store: Store;
  let seen: ProductChange[];

  beforeEach(async () => {
    directory = await makeDirectory();
    store = await openEmbeddedStore({ directory, now: () => 0 });
    seen = [];
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  const watch = () => store.products.watch("shop", (changes) => seen.push(...changes));
  const put = (id: string, title: string, appId = "shop") =>
    store.unitOfWork.run(appId, (tx) => tx.products.put(id, product(id, { title })));

  it("hears of each write of that app once, in its latest state, before the write's promise resolves", async () => {
    await put("before", "1");
    watch();
    await put("p1", "1");
    expect(seen).toEqual([{ put: product("p1", { title: "1" }) }]);
    await Promise.all([put("p1", "2"), put("p1", "3"), put("p2", "1", "shop-2")]);
    expect(seen.slice(1)).toEqual([{ put: product("p1", { title: "3" }) }]);
    await store.unitOfWork.run("shop", (tx) => tx.products.delete("p1"));
    expect(seen.slice(2)).toEqual([{ removed: "p1" }]);
  });

  it("hears of all products of a large batch", async () => {
    watch();
    await store.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < 5000; n++) tx.products.put(`p${n}`, product(`p${n}`));
    });
    expect(new Set(seen.map((change) => ("put" in change ? change.put.productId : ""))).size).toBe(5000);
  });

  it("hears of nothing that was not stored", async () => {
    watch();
    const failing = store.unitOfWork.run("shop", (tx) => {
      tx.products.put("p1", product("p1"));
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(seen).toEqual([]);
  });

  it("hears that the products of a removed app are gone, and of those of the next app with the id", async () => {
    await store.apps.create(app("shop"));
    await put("p1", "1");
    watch();
    await store.apps.delete("shop");
    expect(seen).toEqual([{ removed: "p1" }]);
    await store.apps.create(app("shop"));
    await put("p2", "1");
    expect(seen.slice(1)).toEqual([{ put: product("p2", { title: "1" }) }]);
  });

  it("hears of nothing after it has stopped, while others still do", async () => {
    const stop = watch();
    const others: ProductChange[] = [];
    store.products.watch("shop", (changes) => others.push(...changes));
    stop();
    await put("p1", "1");
    expect([seen.length, others.length]).toEqual([0, 1]);
  });
});
