import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Database, open, type RootDatabase } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEnvironment } from "../../../src/store/lmdb/environment.js";
import {
  checkFormat,
  FORMAT_KEY,
  FORMAT_NUMBER,
  FormatUnsupported,
  openMeta,
  type Upgrade,
  type UpgradedStore,
  upgradeFormat,
  type Write,
} from "../../../src/store/lmdb/format.js";
import type { Key } from "../../../src/store/lmdb/keys.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { app, contact, event, pointer, product, view } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

/** A store that Aisle made when format 9 was the newest, with one record of some kinds. */
const FORMAT_9 = join(import.meta.dirname, "../../fixtures/embedded-format-9.mdb.gz");

describe("a directory of format 9", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await makeDirectory();
    await writeFile(join(directory, "data.mdb"), gunzipSync(await readFile(FORMAT_9)));
    await mkdir(join(directory, "models", "shop"), { recursive: true });
    await writeFile(join(directory, "models", "shop", "m1.snapshot"), "bytes");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("is upgraded when it is opened, with a log line, and keeps its records", async () => {
    const lines: string[] = [];
    const store = await openEmbeddedStore({ directory, now: () => 5, log: (line) => lines.push(line) });
    expect(lines).toEqual(
      Array.from(
        { length: FORMAT_NUMBER - 9 },
        (_, n) => `The store was upgraded from format ${n + 9} to format ${n + 10}`,
      ),
    );
    expect(store.copies.storeId).not.toBe("");
    expect(await store.apps.get("shop")).toEqual({ ...app("shop"), contactKeyRules: 1 });
    expect(await store.events.get("shop", "e1")).toEqual(event("e1", { isShops: "unknown" }));
    expect(await store.products.getBySku("shop", "s1")).toEqual(product("p1", { sku: "s1" }));
    expect(await store.contacts.find("shop", "e:a@b.de")).toEqual(contact("k1", { email: "a@b.de" }));
    expect(await store.interactions.recent("shop", ["v1"], 5)).toEqual([view(1, "e1")]);
    expect(await store.models.pointer("shop")).toEqual(pointer("m1", "1"));
    expect(Buffer.concat((await store.models.read("shop", "m1")) ?? []).toString()).toBe("bytes");
    await store.close();
    expect(await verifyStore(directory)).toMatchObject({ faultCount: 0, entries: { events: 1, copies: 0 } });
  });

  it("is upgraded once, and keeps its new id", async () => {
    const first = await openEmbeddedStore({ directory, now: () => 5 });
    const second = await openEmbeddedStore({ directory, now: () => 5, log: (line) => expect(line).toBe("") });
    expect(second.copies.storeId).toBe(first.copies.storeId);
    await Promise.all([first.close(), second.close()]);
  });

  it("is rejected by a read-only open, and not changed", async () => {
    const reading = openEmbeddedStore({ directory, now: () => 5, readOnly: true });
    await expect(reading).rejects.toThrow(FormatUnsupported);
    await expect(reading).rejects.toThrow("upgraded when it is opened for writing");
  });
});

/** As the store keeps keys and values. */
const AS_BYTES = {
  encoding: "binary",
  keyEncoder: {
    writeKey: (key: Key, target: Buffer, start: number) => start + target.write(key, start),
    readKey: (source: Buffer, start: number, end: number) => source.toString("utf8", start, end),
  },
} as const;

const NEXT = FORMAT_NUMBER + 1;
const AFTER = FORMAT_NUMBER + 2;

describe("the upgrade of a data directory", () => {
  let directory: string;
  let root: RootDatabase<Uint8Array, Key>;
  let store: UpgradedStore;

  beforeEach(async () => {
    directory = await makeDirectory();
    const environment = await openEnvironment(directory, false, () => undefined);
    await environment.close();
    root = open<Uint8Array, Key>(directory, {
      noSubdir: false,
      overlappingSync: false,
      maxDbs: 64,
      encoding: "binary",
    });
    const database: Database<Uint8Array, Key> = root.openDB<Uint8Array, Key>("meta", { name: "meta", ...AS_BYTES });
    const meta = openMeta(database, { onDamage: () => undefined, closed: false, beginRead: () => undefined });
    store = { meta, tables: environment.tables, newId: () => "id", drop: () => undefined };
  });
  afterEach(async () => {
    await root.close();
    await rm(directory, { recursive: true, force: true });
  });

  const write: Write = (body) => root.transactionSync(body);
  const formatNow = () => store.meta.numbers.get(FORMAT_KEY);
  const note = (text: string) => store.meta.texts.putNow(text, store.meta.texts.encode(text, text));
  const step = (to: number, run: Upgrade["run"] = () => note(`step ${to}`)): Upgrade => ({ to, run });

  it("goes step by step, with a log line for each", () => {
    const lines: string[] = [];
    upgradeFormat(write, store, (line) => lines.push(line), [step(NEXT), step(AFTER)]);
    expect(formatNow()).toBe(AFTER);
    const notes = [`step ${NEXT}`, `step ${AFTER}`];
    expect(notes.map((key) => store.meta.texts.get(key))).toEqual(notes);
    expect(lines).toEqual([
      `The store was upgraded from format ${FORMAT_NUMBER} to format ${NEXT}`,
      `The store was upgraded from format ${NEXT} to format ${AFTER}`,
    ]);
  });

  it("drops an interrupted step, and repeats it", () => {
    const failing = step(AFTER, () => {
      note(`step ${AFTER}`);
      throw new Error("cut off");
    });
    expect(() => upgradeFormat(write, store, () => undefined, [step(NEXT), failing])).toThrow("cut off");
    expect(formatNow()).toBe(NEXT);
    expect(store.meta.texts.get(`step ${AFTER}`)).toBeUndefined();
    upgradeFormat(write, store, () => undefined, [step(NEXT, () => expect.unreachable()), step(AFTER)]);
    expect(formatNow()).toBe(AFTER);
    expect(store.meta.texts.get(`step ${AFTER}`)).toBe(`step ${AFTER}`);
  });

  it("is refused for a store of a format before 9", () => {
    write(() => store.meta.numbers.putNow(FORMAT_KEY, store.meta.numbers.encode(FORMAT_KEY, 8)));
    for (const readOnly of [false, true])
      expect(() => {
        checkFormat(store.meta, readOnly);
        upgradeFormat(write, store, () => undefined);
      }).toThrow("has format 8; this version of Aisle reads format 11, it cannot be upgraded");
    expect(formatNow()).toBe(8);
  });

  it("is rejected where a step is missing", () => {
    expect(() => upgradeFormat(write, store, () => undefined, [step(AFTER)])).toThrow(FormatUnsupported);
    expect(formatNow()).toBe(FORMAT_NUMBER);
  });

  it("is rejected for a store of a newer format", () => {
    upgradeFormat(write, store, () => undefined, [step(NEXT)]);
    expect(() => checkFormat(store.meta, false)).toThrow(FormatUnsupported);
  });
});
