import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Environment, openEnvironment } from "../../../src/store/lmdb/environment.js";
import { appKey, FIRST, keyOf, LAST } from "../../../src/store/lmdb/keys.js";
import { ProductWatchers } from "../../../src/store/lmdb/product-watch.js";
import { assembleStore } from "../../../src/store/lmdb/store.js";
import { createProductLog, logKey, RECORDS_KEPT } from "../../../src/store/lmdb/upkeep.js";
import type { ProductChange } from "../../../src/store/ports/product-store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { app, product } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

describe("product watchers of another process's writes", () => {
  let directory: string;
  let environment: Environment;
  let other: Store;
  let watchers: ProductWatchers;
  let seen: ProductChange[];

  beforeEach(async () => {
    directory = await makeDirectory();
    environment = await openEnvironment(directory, false, () => undefined);
    other = await assembleStore(environment, { directory, now: () => 0, onDamage: () => undefined });
    // Looks at the log when a test says so.
    const log = createProductLog(() => "own");
    watchers = new ProductWatchers({ environment, log, reportFailure: () => undefined, pollMs: 2 ** 30 });
    seen = [];
  });
  afterEach(async () => {
    watchers.close();
    await other.close();
    await rm(directory, { recursive: true, force: true });
  });

  const watch = () => watchers.watch("shop", (changes) => seen.push(...changes));
  const put = (id: string, title: string) =>
    other.unitOfWork.run("shop", (tx) => tx.products.put(id, product(id, { title })));
  const told = async () => {
    await watchers.poll();
    return seen.splice(0);
  };
  const keysOf = (table: "productLog" | "productHeads") => environment.tables[table].keys({ start: FIRST, end: LAST });

  it("get each product written since they started once, in its latest state", async () => {
    await put("before", "1");
    watch();
    await put("p1", "1");
    await put("p1", "2");
    await put("p2", "1");
    await other.unitOfWork.run("shop", (tx) => tx.products.delete("p2"));
    await other.unitOfWork.run("shop-2", (tx) => tx.products.put("p3", product("p3")));
    expect(await told()).toEqual([{ put: product("p1", { title: "2" }) }, { removed: "p2" }]);
    expect(await told()).toEqual([]);
  });

  it("get all writes of a large batch", async () => {
    watch();
    await other.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < 5000; n++) tx.products.put(`p${n}`, product(`p${n}`));
    });
    const ids = (await told()).map((change) => ("put" in change ? change.put.productId : ""));
    expect(new Set(ids).size).toBe(5000);
    expect(ids).toHaveLength(5000);
  });

  it("must reload when the log was truncated before they read it", async () => {
    await put("p1", "first");
    watch();
    for (let n = 0; n <= RECORDS_KEPT; n++) await put("p1", `title ${n}`);
    expect(await told()).toEqual([{ reload: true }]);
    await put("p1", "later");
    expect(await told()).toEqual([{ put: product("p1", { title: "later" }) }]);
  });

  it("must reload when the app was removed, and when it was created again", async () => {
    await other.apps.create(app("shop"));
    await put("p1", "1");
    watch();
    await other.apps.delete("shop");
    expect(await told()).toEqual([{ reload: true }]);
    expect(await told()).toEqual([]);
    await other.apps.create(app("shop"));
    await put("p2", "1");
    expect(await told()).toEqual([{ put: product("p2", { title: "1" }) }]);
    await other.apps.delete("shop");
    await other.apps.create(app("shop"));
    await put("p3", "1");
    expect(await told()).toEqual([{ reload: true }]);
  });

  it.each(["productLog", "productHeads"] as const)("must reload when %s is damaged", async (name) => {
    await put("p1", "1");
    watch();
    await put("p1", "2");
    const key = name === "productLog" ? logKey("shop", 2) : appKey("shop");
    await environment.transact(() => environment.tables[name].putNow(key, Buffer.from("damaged")));
    const first = await watchers.poll().then(
      () => seen.splice(0),
      () => [],
    );
    expect(first).toEqual(name === "productLog" ? [{ reload: true }] : []);
    await put("p1", "3"); // a damaged head is written anew
    const then = name === "productLog" ? { put: product("p1", { title: "3" }) } : { reload: true };
    expect(await told()).toEqual([then]);
  });

  it("get a damaged product as removed", async () => {
    watch();
    await put("p1", "1");
    await environment.transact(() => environment.tables.products.putNow(keyOf("shop", "p1"), Buffer.from("damaged")));
    expect(await told()).toEqual([{ removed: "p1" }]);
  });

  it("keep the log at a bounded length, and it is removed with its app", async () => {
    await other.apps.create(app("shop"));
    for (let n = 0; n < RECORDS_KEPT + 20; n++) await put("p1", `title ${n}`);
    expect(keysOf("productLog")).toHaveLength(RECORDS_KEPT);
    await other.apps.delete("shop");
    expect([keysOf("productLog"), keysOf("productHeads")]).toEqual([[], []]);
  });
});

describe("product watchers of one of two writers", () => {
  let directory: string;
  let environment: Environment;
  /** Called when a transaction of `store` is on disk, before its works learn of it. */
  let committed: () => Promise<void>;
  let store: Store;
  let other: Store;
  let titles: string[];
  let look: () => void;

  const open = async (watchPollMs: number) => {
    const options = { directory, now: () => 0, onDamage: () => undefined, watchPollMs };
    const slow: Environment = {
      ...environment,
      transact: async (body) => {
        await environment.transact(body);
        await committed();
      },
      close: async () => undefined,
    };
    store = await assembleStore(slow, options);
    other = await assembleStore(environment, options);
    store.products.watch("shop", (changes) => {
      for (const change of changes) titles.push("put" in change ? change.put.title : "other");
      look();
    });
  };

  beforeEach(async () => {
    directory = await makeDirectory();
    environment = await openEnvironment(directory, false, () => undefined);
    committed = async () => undefined;
    titles = [];
    look = () => undefined;
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    await rm(directory, { recursive: true, force: true });
  });

  const put = (by: Store, title: string, id = "p1") =>
    by.unitOfWork.run("shop", (tx) => tx.products.put(id, product(id, { title })));
  const toldOf = (title: string) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (titles.includes(title)) resolve();
      };
      look();
    });

  it("get another process's writes together with an own later write", async () => {
    await open(2 ** 30);
    await put(store, "own 1");
    await put(other, "theirs", "p2");
    await put(store, "own 2");
    expect(titles).toEqual(["own 1", "theirs", "own 2"]);
  });

  it("get no own write after a newer one of another process", async () => {
    await open(10);
    await put(store, "own 1");
    committed = async () => {
      committed = async () => undefined;
      await put(other, "theirs");
      await toldOf("theirs");
    };
    await put(store, "own 2");
    await put(store, "own 3", "p3");
    // A look between the commit of "own 2" and its end may tell of it, but only before what is newer.
    expect(titles[0]).toBe("own 1");
    expect(titles.slice(titles.indexOf("theirs"))).toEqual(["theirs", "own 3"]);
  });
});
