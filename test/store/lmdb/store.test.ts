import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Unavailable } from "../../../src/domain/errors.js";
import { INSTALLATION } from "../../../src/domain/ids.js";
import { codecOf, encode } from "../../../src/store/lmdb/codec.js";
import { type Environment, openEnvironment } from "../../../src/store/lmdb/environment.js";
import { FORMAT_NUMBER, FormatUnsupported } from "../../../src/store/lmdb/format.js";
import { appKey, FIRST, LAST } from "../../../src/store/lmdb/keys.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { number } from "../../../src/store/schema/kinds.js";
import { app, event, model, view } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const DAY = 24 * 60 * 60 * 1000;

describe("the directory of an embedded store", () => {
  let root: string;
  let directory: string;

  beforeEach(async () => {
    root = await makeDirectory();
    directory = join(root, "data.v1", "store"); // a name with a dot, and two directories to make
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const openStore = (now = () => 0) => openEmbeddedStore({ directory, now });

  /** Keys of a table, read past the ports. */
  async function keysOf(table: keyof Environment["tables"]): Promise<string[]> {
    const environment = await openEnvironment(directory, false, () => undefined);
    try {
      return environment.tables[table].keys({ start: FIRST, end: LAST });
    } finally {
      await environment.close();
    }
  }

  it("is created with its parents, for its owner only", async () => {
    const store = await openStore();
    const bytes = Buffer.from("bytes");
    await store.models.put("shop", model("m1", bytes), [bytes]);
    await store.close();
    for (const path of [join(root, "data.v1"), directory, join(directory, "models", "shop")]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    for (const file of ["data.mdb", "lock.mdb", join("models", "shop", "m1.snapshot")]) {
      expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
    }
  });

  it("of a newer format is rejected with both numbers, and not changed", async () => {
    const store = await openStore();
    await store.close();
    const raw = open<Uint8Array, string>(directory, { noSubdir: false, overlappingSync: false, encoding: "binary" });
    const meta = raw.openDB<Uint8Array, Buffer>("meta", {
      name: "meta",
      encoding: "binary",
      keyEncoding: "binary",
    });
    const key = "store\0format";
    await meta.put(Buffer.from(key), encode(codecOf(number), key, FORMAT_NUMBER + 1));
    await raw.close();
    const opening = openStore();
    await expect(opening).rejects.toBeInstanceOf(FormatUnsupported);
    await expect(opening).rejects.toThrow(`format ${FORMAT_NUMBER + 1}`);
    await expect(openStore()).rejects.toThrow(`reads format ${FORMAT_NUMBER}`);
  });

  it("is not created by a read-only open", async () => {
    const options = { directory, now: () => 0, readOnly: true };
    await expect(openEmbeddedStore(options)).rejects.toBeInstanceOf(Unavailable);
    await expect(stat(join(directory, "data.mdb"))).rejects.toThrow("ENOENT");
  });

  it("can be read but not written by a read-only open", async () => {
    const store = await openStore();
    await store.apps.create(app("shop"));
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    await store.close();
    const reader = await openEmbeddedStore({ directory, now: () => 0, readOnly: true });
    expect(await reader.events.get("shop", "e1")).toEqual(event("e1"));
    const bytes = Buffer.from("bytes");
    await expect(reader.ready()).rejects.toBeInstanceOf(Unavailable);
    await expect(reader.unitOfWork.run("shop", () => 1)).rejects.toBeInstanceOf(Unavailable);
    await expect(reader.apps.delete("shop")).rejects.toBeInstanceOf(Unavailable);
    await expect(reader.models.put("shop", model("m", bytes), [bytes])).rejects.toBeInstanceOf(Unavailable);
    expect(await readdir(directory)).toEqual(["data.mdb", "lock.mdb", "store-id"]);
    await reader.close();
  });

  it("of something else is rejected", async () => {
    await expect(openEmbeddedStore({ directory: join(root, "\0"), now: () => 0 })).rejects.toThrow();
    await expect(openEmbeddedStore({ directory: "/dev/null/store", now: () => 0 })).rejects.toThrow();
  });

  it("grows with what is written, in small works and in large ones", async () => {
    const store = await openStore();
    const platform = "x".repeat(4000);
    for (let round = 0; round < 7; round++) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let n = 0; n < 2000; n++) tx.events.put(`e${round}-${n}`, event(`e${round}-${n}`, { platform }));
      });
    }
    await store.unitOfWork.run("shop", (tx) =>
      tx.events.put("big", event("big", { platform: "y".repeat(14_000_000) })),
    );
    expect((await store.events.get("shop", "big"))?.platform).toHaveLength(14_000_000);
    expect(await store.events.get("shop", "e4-1999")).toEqual(event("e4-1999", { platform }));
    await store.close();
    expect((await stat(join(directory, "data.mdb"))).size).toBeGreaterThan(60_000_000);
  });

  it("loses expired idempotency records, also of apps without new events and of the installation", async () => {
    let at = DAY;
    const store = await openStore(() => at);
    for (const appId of ["loud", "silent"]) {
      await store.apps.create(app(appId));
      await store.unitOfWork.run(appId, (tx) => {
        for (let n = 0; n < 2500; n++) tx.idempotency.put(`k${n}`, { eventId: "e", bodyHash: "h", claimedAt: at });
      });
    }
    await store.unitOfWork.run(INSTALLATION, (tx) =>
      tx.idempotency.put("k", { eventId: "plan", bodyHash: "h", claimedAt: at }),
    );
    at += DAY;
    await store.unitOfWork.run("loud", (tx) => {
      tx.idempotency.put("k0", { eventId: "new", bodyHash: "h", claimedAt: at });
    });
    await store.close();
    expect(await keysOf("idempotency")).toHaveLength(5001);
    at += 1;
    const again = await openStore(() => at);
    for (let n = 0; n < 10; n++) await again.unitOfWork.run("loud", () => undefined);
    expect((await again.unitOfWork.run("loud", (tx) => tx.idempotency.get("k0")))?.eventId).toBe("new");
    await again.close();
    expect(await keysOf("idempotency")).toEqual(["loud\0k0"]);
    expect(await keysOf("idempotencyTimes")).toHaveLength(1);
  });

  it("loses the rest of an interrupted removal of an app when it is opened", async () => {
    const store = await openStore();
    await store.apps.create(app("shop"));
    await store.apps.create(app("shop-2"));
    for (const appId of ["shop", "shop-2"]) {
      await store.unitOfWork.run(appId, (tx) => {
        for (let n = 0; n < 5000; n++) tx.putInteraction(`v${n % 50}`, view(n));
      });
    }
    await store.close();
    const environment = await openEnvironment(directory, false, () => undefined);
    const { apps, removals } = environment.tables;
    await environment.transact(() => {
      apps.removeNow(appKey("shop"));
      removals.putNow(appKey("shop"), removals.encode(appKey("shop"), 1));
    });
    await environment.close();
    const again = await openStore();
    expect(await again.apps.list("", 10)).toEqual([app("shop-2")]);
    expect(await again.interactions.recent("shop-2", ["v1"], 200)).toHaveLength(100);
    await again.close();
    const keys = await keysOf("interactions");
    expect(keys).toHaveLength(5000);
    expect(keys.every((key) => key.startsWith("shop-2\0"))).toBe(true);
    expect(await keysOf("removals")).toEqual([]);
  });

  it("has nothing left in any table of an app that was deleted", async () => {
    const store = await openStore();
    await store.apps.create(app("shop"));
    await store.unitOfWork.run("shop", (tx) => {
      tx.idempotency.put("i", { eventId: "e", bodyHash: "h", claimedAt: 0 });
      tx.events.put("e", event("e"));
      tx.markChanged();
    });
    await store.apps.delete("shop");
    await store.close();
    const environment = await openEnvironment(directory, false, () => undefined);
    for (const [name, table] of Object.entries(environment.tables)) {
      expect([name, table.keys({ start: FIRST, end: LAST })]).toEqual([name, []]);
    }
    await environment.close();
  });

  it("has model files only for ids that are safe as file names", async () => {
    const store = await openStore();
    const bytes = Buffer.from("bytes");
    for (const id of ["../m", "", "a/b", "m\0", "x".repeat(129), ".", ".."]) {
      await expect(store.models.put("shop", model(id, bytes), [bytes])).rejects.toMatchObject({
        name: "InvalidArgument",
      });
      await expect(store.models.put(id, model("m", bytes), [bytes])).rejects.toMatchObject({ name: "InvalidArgument" });
    }
    await store.close();
    expect(await readdir(directory)).toEqual(["data.mdb", "lock.mdb", "store-id"]);
  });

  it("loses the files of pruned snapshots at once, and those of an interrupted write after an hour", async () => {
    let at = Date.now();
    const store = await openStore(() => at);
    const bytes = Buffer.from("bytes");
    for (const n of [1, 2, 3]) await store.models.put("shop", model(`m${n}`, bytes, { createdAt: n }), [bytes]);
    const models = join(directory, "models", "shop");
    await writeFile(join(models, "m9.left.tmp"), "half");
    await store.models.prune("shop", 2);
    expect((await readdir(models)).sort()).toEqual(["m2.snapshot", "m3.snapshot", "m9.left.tmp"]);
    at += 2 * 60 * 60 * 1000;
    await store.models.prune("shop", 2);
    expect((await readdir(models)).sort()).toEqual(["m2.snapshot", "m3.snapshot"]);
    await store.close();
  });

  it("loses at its opening the files of writes interrupted more than an hour ago", async () => {
    const store = await openStore(Date.now);
    const bytes = Buffer.from("bytes");
    for (const appId of ["shop", "shop-2"]) await store.models.put(appId, model("m1", bytes), [bytes]);
    await store.models.prune("shop-2", 0);
    await store.close();
    const models = join(directory, "models");
    await mkdir(join(models, "gone"));
    await writeFile(join(models, "gone", "m9.snapshot"), "whole");
    await writeFile(join(models, "shop", "m9.left.tmp"), "half");
    await (await openStore(Date.now)).close();
    expect(await readdir(join(models, "gone"))).toEqual(["m9.snapshot"]);
    const again = await openStore(() => Date.now() + 2 * 60 * 60 * 1000);
    expect(await readdir(models)).toEqual(["shop"]);
    expect(await readdir(join(models, "shop"))).toEqual(["m1.snapshot"]);
    await again.close();
  });
});
