import { mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examineEmbedded } from "../../../src/store/lmdb/doctor.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { app } from "../../contract/samples.js";
import { has, put } from "./faulty-store.js";
import { makeDirectory } from "./open-embedded.js";

describe("a directory without its data file", () => {
  let directory: string;
  let data: string;
  let lock: string;
  beforeEach(async () => {
    directory = await makeDirectory();
    data = join(directory, "data.mdb");
    lock = join(directory, "lock.mdb");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const opening = (expectedId?: string): Promise<Store> =>
    openEmbeddedStore({ directory, now: Date.now, ...(expectedId !== undefined && { expectedId }) });

  /** Makes a store with an event, and closes it. */
  async function makeStore(): Promise<string> {
    const store = await opening();
    await store.apps.create(app("shop"));
    await put(store, "e1");
    await store.close();
    return store.copies.storeId;
  }

  async function expectOpens(): Promise<void> {
    const store = await opening();
    await put(store, "e2");
    await store.close();
  }

  const lost: [string, () => Promise<void>][] = [
    ["missing", () => rm(data)],
    ["empty", () => truncate(data)],
  ];

  it.each(lost)("is rejected where a store was, and opens once the data file is back: %s", async (state, lose) => {
    await makeStore();
    const bytes = await readFile(data);
    await lose();
    const text = expect.stringContaining(`data.mdb is ${state}, but store-id is there`);
    await expect(opening()).rejects.toMatchObject({ isPassing: true, message: text });
    expect(await examineEmbedded(directory, Date.now)).toContainEqual({
      about: "store",
      state: "problem",
      text,
    });
    await writeFile(data, bytes);
    const store = await opening();
    expect(await has(store, "e1")).toBe(true);
    await store.close();
  });

  it.each(lost)("is rejected when it contains models: %s", async (state, lose) => {
    await makeStore();
    await mkdir(join(directory, "models", "shop"), { recursive: true });
    for (const file of [lock, join(directory, "store-id")]) await rm(file);
    await lose();
    const message = expect.stringContaining(`data.mdb is ${state}, but models/ is there`);
    await expect(opening()).rejects.toMatchObject({ isPassing: true, message });
  });

  it("is rejected when the data file is empty without a lock file, as while a backup is copied", async () => {
    await writeFile(data, "");
    await expect(opening()).rejects.toMatchObject({ isPassing: true, message: expect.stringContaining("is empty") });
  });

  it.each(lost)("becomes a store when a crash left it before there was one: %s", async (_, lose) => {
    await (await opening()).close();
    await rm(join(directory, "store-id"));
    await lose();
    await expectOpens();
  });

  it("becomes a store when it is empty, unless a particular store is expected", async () => {
    const away = { isPassing: true, message: expect.stringContaining("put it back") };
    await expect(opening("some-id")).rejects.toMatchObject(away);
    await rm(directory, { recursive: true });
    await expect(opening("some-id")).rejects.toMatchObject(away);
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
    await expectOpens();
  });

  it("with another store than the expected one is rejected, and one with the expected id is opened", async () => {
    const storeId = await makeStore();
    const message = expect.stringContaining("Another store is in");
    await expect(opening("some-id")).rejects.toMatchObject({ isPassing: true, message });
    const store = await opening(storeId);
    expect(await has(store, "e1")).toBe(true);
    await store.close();
  });
});
