import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedStore } from "../../../src/adapters/embedded/store.js";
import type { Store } from "../../../src/ports/store.js";
import { event } from "../../contract/samples.js";
import { makeDirectory } from "./open-embedded.js";

const CHILD = fileURLToPath(new URL("./children/open-and-write.ts", import.meta.url));

/** Where LMDB's lock file holds the number of the newest commit. */
const NUMBER_AT = 8;

describe("an embedded store whose lock file names an older commit, as it does when another process opens it", () => {
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
    it(`loses nothing in writing when it is older by ${commits}`, async () => {
      setBack(commits);
      await put("e4");
      expect(await ids()).toEqual(["e1", "e2", "e3", "e4"]);
      await put("e5");
      expect(await ids()).toEqual(["e1", "e2", "e3", "e4", "e5"]);
    });
  }

  it("shows the newest one as soon as it is opened again", async () => {
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
  it("has every event they acknowledged", async () => {
    const directory = await makeDirectory();
    const children = ["a", "b", "c", "d"].map((prefix) => {
      const child = spawn(process.execPath, ["--import", "tsx", CHILD, directory, prefix], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      let text = "";
      const ids = () => text.split("\n").filter((line) => line.includes("-"));
      const hasEnded = once(child, "exit").then(([code]: unknown[]) => code);
      const hasWritten = new Promise<void>((resolve) => {
        child.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          if (ids().length >= 300) resolve();
        });
      });
      return { child, ids, hasEnded, hasWritten };
    });
    try {
      for (const { hasWritten, hasEnded } of children) await Promise.race([hasWritten, hasEnded]);
      for (const { child } of children) child.stdin.end();
      for (const { hasEnded } of children) expect(await hasEnded).toBe(0);
      const store = await openEmbeddedStore({ directory, now: Date.now });
      const there = new Set<string>();
      for (let after = ""; ; ) {
        const page = await store.events.list("shop", after, 1000, false);
        for (const { eventId } of page) there.add(eventId);
        if (page.length < 1000) break;
        after = page.at(-1)?.eventId ?? "";
      }
      await store.close();
      const written = children.flatMap(({ ids }) => ids());
      expect(written.filter((id) => !there.has(id))).toEqual([]);
    } finally {
      for (const { child } of children) child.kill("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    }
  }, 60_000);
});
