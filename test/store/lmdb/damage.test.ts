import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataDamaged } from "../../../src/domain/errors.js";
import { openEnvironment } from "../../../src/store/lmdb/environment.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { gather } from "../../contract/open-store.js";
import { event, model, view } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

describe("a damaged embedded store", () => {
  let root: string;
  let directory: string;

  beforeEach(async () => {
    root = await makeDirectory();
    directory = join(root, "store");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("rejects and counts a damaged value, and ends a scan there", async () => {
    const damaged: string[] = [];
    const environment = await openEnvironment(directory, false, () => undefined);
    const store = await openEmbeddedStore({ directory, now: () => 0, onDamage: (table) => damaged.push(table) });
    await store.unitOfWork.run("shop", (tx) => {
      for (const id of ["e1", "e2", "e3"]) tx.events.put(id, event(id));
      tx.putInteraction("v1", view(1));
    });
    const { events } = environment.tables;
    await environment.transact(() => {
      const bytes = events.encode("shop\0e2", event("e2"));
      bytes[5]! ^= 1;
      events.putNow("shop\0e2", bytes);
    });
    await expect(store.events.get("shop", "e2")).rejects.toBeInstanceOf(DataDamaged);
    expect(damaged).toEqual(["events"]);
    await expect(store.events.list("shop", "", 10, false)).rejects.toBeInstanceOf(DataDamaged);
    await expect(store.events.list("shop", "", 10, true)).rejects.toBeInstanceOf(DataDamaged);
    expect(damaged).toHaveLength(3);
    expect(await store.events.list("shop", "e2", 10, false)).toEqual([event("e3")]);
    expect(await store.events.get("shop", "e1")).toEqual(event("e1"));
    const reading = store.unitOfWork.run("shop", (tx) => tx.events.get("e2"));
    await expect(reading).rejects.toBeInstanceOf(DataDamaged);
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e2", event("e2")));
    expect(await store.events.get("shop", "e2")).toEqual(event("e2"));
    await environment.tables.interactions.encode("shop\0v1", view(2));
    expect(await gather(store.interactions.scan("shop"))).toHaveLength(1);
    await store.close();
    await environment.close();
  });

  it("is refused when its file is cut short and a reading of all of it fails, which no other file costs", async () => {
    const asked: string[] = [];
    const isWhole = async (path: string) => {
      asked.push(path);
      return false;
    };
    const open = () => openEmbeddedStore({ directory, now: () => 0, isWhole });
    const store = await open();
    await store.unitOfWork.run("shop", (tx) => tx.events.put("e1", event("e1")));
    await store.close();
    await (await open()).close();
    expect(asked).toEqual([]);
    await truncate(join(directory, "data.mdb"), 8192);
    await expect(open()).rejects.toThrow("data.mdb is damaged: it is cut short; restore the directory from a backup");
    expect(asked).toEqual([directory]);
  });

  it("rejects a model snapshot whose file is changed, cut short or missing", async () => {
    const damaged: string[] = [];
    const store = await openEmbeddedStore({ directory, now: () => 0, onDamage: (table) => damaged.push(table) });
    const bytes = Buffer.from("a model's bytes");
    await store.models.put("shop", model("m1", bytes), [bytes]);
    const path = join(directory, "models", "shop", "m1.snapshot");
    expect(await readFile(path)).toEqual(bytes);
    const changed = Buffer.from(bytes);
    changed[3]! ^= 1;
    for (const other of [changed, bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.from("x")])]) {
      await writeFile(path, other);
      await expect(store.models.read("shop", "m1")).rejects.toBeInstanceOf(DataDamaged);
    }
    await rm(path);
    await expect(store.models.read("shop", "m1")).rejects.toBeInstanceOf(DataDamaged);
    expect(damaged).toEqual(["models", "models", "models", "models"]);
    await store.close();
  });

  it("leaves no half-written model file when it cannot be written", async () => {
    const store = await openEmbeddedStore({ directory, now: () => 0, newId: () => "1" });
    const bytes = Buffer.from("bytes");
    await mkdir(join(directory, "models", "shop", "m1.snapshot"), { recursive: true }); // in the way of the rename
    await expect(store.models.put("shop", model("m1", bytes), [bytes])).rejects.toThrow();
    expect(await readdir(join(directory, "models", "shop"))).toEqual(["m1.snapshot"]);
    expect(await store.models.list("shop")).toEqual([]);
    await store.close();
  });
});
