import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { Commits } from "../../../src/store/lmdb/commits.js";
import { NewestCommit } from "../../../src/store/lmdb/newest-commit.js";
import { PageFile } from "../../../src/store/lmdb/pages/page-file.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { DATA_FILE } from "../../../src/store/lmdb/store-file.js";
import type { Store } from "../../../src/store/ports/store.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";
import { eventIdsOf, startWriters } from "./writers.js";

/** Where LMDB's lock file holds the number of the newest commit. */
const NUMBER_AT = 8;

describe("an embedded store whose lock file names an older commit, as when another process opens it,", () => {
  let directory: string;
  let store: Store;
  let lockFile: number;

  beforeEach(async () => {
    directory = await makeDirectory();
    store = await openEmbeddedStore({ directory, now: Date.now });
    lockFile = openSync(join(directory, "lock.mdb"), "r+");
    for (const id of ["e1", "e2", "e3"]) await put(id);
  });
  afterEach(async () => {
    await store.close();
    closeSync(lockFile);
    await rm(directory, { recursive: true, force: true });
  });

  const put = (id: string) => store.unitOfWork.run("shop", (tx) => tx.events.put(id, event(id)));
  const ids = async () => (await store.events.list("shop", "", 10, false)).map(({ eventId }) => eventId);

  function setBack(commits: bigint): void {
    const number = Buffer.alloc(8);
    readSync(lockFile, number, 0, 8, NUMBER_AT);
    number.writeBigUInt64LE(number.readBigUInt64LE() - commits);
    writeSync(lockFile, number, 0, 8, NUMBER_AT);
  }

  for (const commits of [1n, 2n]) {
    it(`loses no write when it is older by ${commits}`, async () => {
      setBack(commits);
      await put("e4");
      expect(await ids()).toEqual(["e1", "e2", "e3", "e4"]);
      await put("e5");
      expect(await ids()).toEqual(["e1", "e2", "e3", "e4", "e5"]);
    });
  }

  it("is copied and checked as of its newest commit, even when the number changes within the transaction", async () => {
    const root = open<Uint8Array, string>(directory, {
      encoding: "binary",
      keyEncoding: "binary",
      overlappingSync: false,
    });
    const newest = new NewestCommit(root, directory);
    const commits = new Commits(root, newest, new PageFile(openSync(join(directory, DATA_FILE), "r")));
    try {
      newest.write(() =>
        commits.write(() => {
          setBack(1n);
          expect(commits.current().head.transaction).toBe(root.getWriteTxnId() - 1);
        }),
      );
    } finally {
      commits.close();
      await root.close();
    }
  });

  it("shows the newest commit as soon as it is opened again", async () => {
    setBack(1n);
    const second = await openEmbeddedStore({ directory, now: Date.now, readOnly: true });
    try {
      expect(await ids()).toEqual(["e1", "e2", "e3"]);
    } finally {
      await second.close();
    }
  });
});

describe("an embedded store that processes open and close while others write to it", () => {
  it("keeps every acknowledged event", async () => {
    const directory = await makeDirectory();
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const writers = await startWriters(directory, ["a", "b", "c", "d"]);
    await Promise.all(writers.map(({ written }) => written(300)));
    for (const { end } of writers) expect(await end()).toBe(0);
    const store = await openEmbeddedStore({ directory, now: Date.now });
    onTestFinished(() => store.close());
    const there = await eventIdsOf(store);
    expect(writers.flatMap(({ ids }) => ids()).filter((id) => !there.has(id))).toEqual([]);
  });
});
