import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataDamaged, InvalidArgument, Unavailable } from "../../../src/domain/errors.js";
import { backupStore } from "../../../src/store/lmdb/backup.js";
import { type EmbeddedStore, openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { event, model } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

describe("a backup of an embedded store", () => {
  let root: string;
  let directory: string;
  let target: string;
  let store: EmbeddedStore;

  beforeEach(async () => {
    root = await makeDirectory();
    directory = join(root, "store");
    target = join(root, "backups", "today");
    store = await openEmbeddedStore({ directory, now: Date.now });
  });
  afterEach(async () => {
    await store.close();
    await rm(root, { recursive: true, force: true });
  });

  const putModel = (n: number) => {
    const bytes = Buffer.from(`model ${n}`);
    return store.models.put("shop", model(`m${n}`, bytes, { createdAt: n }), [bytes]);
  };

  it("made during writes opens, is sound, and has everything acknowledged before it began", async () => {
    const confirmed: string[] = [];
    let isRunning = true;
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; isRunning; n++) {
        const id = `e${writer}-${n}`;
        await store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id)));
        confirmed.push(id);
      }
    });
    const training = (async () => {
      for (let n = 0; isRunning; n++) {
        await putModel(n);
        await store.models.prune("shop", 3);
        for (let works = 0; works < 50; works++) await store.unitOfWork.run("shop", () => undefined);
      }
    })();
    await putModel(1_000_000);
    while (confirmed.length < 200) await store.unitOfWork.run("shop", () => undefined);
    const before = [...confirmed];
    const release = store.hold();
    await backupStore(directory, target);
    release();
    isRunning = false;
    await Promise.all([...writing, training]);
    expect(confirmed.length).toBeGreaterThan(before.length); // others were served meanwhile
    expect(await verifyStore(target)).toMatchObject({ faultCount: 0, orphanFiles: 0 });
    const copy = await openEmbeddedStore({ directory: target, now: Date.now });
    const stored = await copy.unitOfWork.run("shop", (tx) => before.filter((id) => tx.events.get(id) === undefined));
    expect(stored).toEqual([]);
    for (const { modelId } of await copy.models.list("shop")) {
      expect(await copy.models.read("shop", modelId)).toBeDefined();
    }
    expect(await copy.models.read("shop", "m1000000")).toEqual([Buffer.from("model 1000000")]);
    await copy.unitOfWork.run("shop", (tx) => tx.events.put("after", event("after")));
    await copy.close();
    expect(await store.events.get("shop", "after")).toBeUndefined();
  });

  it("contains no byte of erased data, and is smaller", async () => {
    const name = (n: number) => `visitor-number-${n}-of-the-shop`;
    for (let from = 0; from < 2000; from += 100) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let n = from; n < from + 100; n++) tx.visitorKeys.put(name(n), "v".repeat(n % 300));
      });
    }
    await store.unitOfWork.run("shop", (tx) => {
      for (let n = 0; n < 2000; n++) if (n % 3 !== 0) tx.visitorKeys.delete(name(n));
    });
    const holds = async (path: string) => {
      const bytes = await readFile(join(path, "data.mdb"), "latin1");
      return Array.from({ length: 2000 }, (_, n) => bytes.includes(name(n)));
    };
    await backupStore(directory, target);
    const held = await holds(target);
    expect(held.filter((one, n) => one && n % 3 !== 0)).toEqual([]);
    expect(held.filter((one, n) => one && n % 3 === 0)).toHaveLength(667);
    expect((await holds(directory)).filter((one, n) => one && n % 3 !== 0).length).toBeGreaterThan(0);
    const size = async (path: string) => (await stat(join(path, "data.mdb"))).size;
    expect(await size(target)).toBeLessThan(await size(directory));
  });

  it("is readable by its owner only, and appears only when it is complete", async () => {
    await putModel(1);
    await backupStore(directory, target);
    expect(await readdir(join(root, "backups"))).toEqual(["today"]);
    expect((await readdir(target)).sort()).toEqual(["data.mdb", "models"]);
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    expect((await stat(join(target, "data.mdb"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(target, "models", "shop", "m1.snapshot"))).mode & 0o777).toBe(0o600);
  });

  it("is written into an empty directory, and replaces nothing", async () => {
    await mkdir(target, { recursive: true });
    await backupStore(directory, target);
    await expect(backupStore(directory, target)).rejects.toBeInstanceOf(InvalidArgument);
    expect(await readdir(join(root, "backups"))).toEqual(["today"]);
  });

  it("is not made when a model file is damaged, the target cannot be written or there is no store", async () => {
    await putModel(1);
    await writeFile(join(directory, "models", "shop", "m1.snapshot"), "other");
    await expect(backupStore(directory, target)).rejects.toBeInstanceOf(DataDamaged);
    expect(await readdir(join(root, "backups"))).toEqual([]);
    await writeFile(join(root, "file"), "");
    await expect(backupStore(directory, join(root, "file", "copy"))).rejects.toBeInstanceOf(Unavailable);
    await expect(backupStore(join(root, "nothing"), target)).rejects.toBeInstanceOf(Unavailable);
  });
});
