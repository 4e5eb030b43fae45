import { renameSync } from "node:fs";
import { copyFile, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backupStore } from "../../../src/store/lmdb/backup.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import type { Store } from "../../../src/store/ports/store.js";
import { app, model } from "../../contract/samples.js";
import { has, put } from "./faulty-store.js";
import { makeDirectory } from "./open-embedded.js";

/** More than a backup has, which is written anew, table by table. */
const COMMITS = 200;

describe("an open store whose files are moved or deleted", () => {
  let root: string;
  let directory: string;
  let store: Store;
  let reported: string[];

  beforeEach(async () => {
    root = await makeDirectory();
    directory = join(root, "store");
    reported = [];
    const onLatched = (cause: unknown) => void reported.push(String(cause));
    store = await openEmbeddedStore({ directory, now: Date.now, onLatched });
    await store.apps.create(app("shop"));
    for (let n = 0; n < COMMITS; n++) await put(store, `e${n}`);
  });
  afterEach(async () => {
    await store.close();
    await rm(root, { recursive: true, force: true });
  });

  const file = (name: string) => join(directory, name);
  const away = () => join(root, "away");
  const replaced = async (name: string) => {
    await copyFile(file(name), away());
    await rename(away(), file(name));
  };
  /** As `cp` does it: the file stays, its bytes are others. */
  const overwritten = async (bytes: number) => {
    await backupStore(directory, join(root, "backup"));
    const padded = await open(join(root, "backup", "data.mdb"), "r+");
    await padded.truncate(Math.max(bytes, (await padded.stat()).size));
    await padded.close();
    await copyFile(join(root, "backup", "data.mdb"), file("data.mdb"));
  };

  const ways: [string, RegExp, () => Promise<unknown>][] = [
    ["its directory was moved", /moved or removed data\.mdb/, () => rename(directory, away())],
    ["its directory was removed", /moved or removed data\.mdb/, () => rm(directory, { recursive: true })],
    ["its data file was replaced", /replaced data\.mdb/, () => replaced("data.mdb")],
    ["a backup was copied over its data file", /overwrote data\.mdb/, () => overwritten(0)],
    [
      "a backup of the same length was copied over its data file",
      /overwrote data\.mdb/,
      async () => overwritten((await stat(file("data.mdb"))).size),
    ],
  ];

  it.each(ways)("acknowledges nothing more, and gives the reason: %s", async (_, why, lose) => {
    await lose();
    await expect(put(store, "after")).rejects.toMatchObject({
      name: "StoreFileChanged",
      message: expect.stringMatching(why),
    });
    await expect(store.ready()).rejects.toMatchObject({ message: expect.stringMatching(why) });
    expect(reported).toEqual([expect.stringMatching(why)]);
  });

  it("notices within seconds when nothing is written", async () => {
    await rename(directory, away());
    await expect.poll(() => store.ready().then(() => "ready", String), { timeout: 5_000 }).toMatch(/data\.mdb/);
  });

  it("acknowledges no work whose files were moved during the write", async () => {
    const work = store.unitOfWork.run("shop", () => {
      renameSync(directory, away());
    });
    await expect(work).rejects.toMatchObject({ name: "StoreFileChanged" });
  });

  it("accepts writes when its directory was moved back before anything was written", async () => {
    await rename(directory, away());
    await rename(away(), directory);
    await put(store, "after");
    expect(await has(store, "after")).toBe(true);
  });

  it("creates no model directory in the place of its own", async () => {
    await rename(directory, away());
    const bytes = new Uint8Array(8);
    await expect(store.models.put("shop", model("m1", bytes), [bytes])).rejects.toMatchObject({
      name: "StoreFileChanged",
    });
    await expect(readdir(directory)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
