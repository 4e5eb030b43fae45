import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, mkdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDirectory } from "../../../src/store/lmdb/files.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { makeDirectory as makeTemporary } from "./open-embedded.js";

const OPEN = fileURLToPath(new URL("./children/open.ts", import.meta.url));

/** A user without rights; nobody, on every Linux. */
const NOBODY = 65_534;

/** Nothing is closed to this user: the test then runs its child as another one, who must be able to read it. */
const isRoot = process.getuid?.() === 0;
const NEEDS = " (by root: needs a checkout and a Node that all users may read)";

function isOpenToAll(path: string): boolean {
  return (statSync(path).mode & 0o005) === 0o005 && (dirname(path) === path || isOpenToAll(dirname(path)));
}

describe("the data directory of an embedded store", () => {
  let root: string;

  beforeEach(async () => {
    root = await makeTemporary();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const opening = (directory: string) => openEmbeddedStore({ directory, now: () => 0 });
  const refusal = (why: string) => `The store needs a directory to write in: ${why}`;

  it("is created with its parents, for its owner only", async () => {
    const path = join(root, "a", "b", "c");
    await makeDirectory(path);
    await makeDirectory(path);
    for (const one of [path, join(root, "a")]) expect((await stat(one)).mode & 0o777).toBe(0o700);
  });

  it("is created once when many create it at the same time", async () => {
    const path = join(root, "a", "b");
    await Promise.all(Array.from({ length: 8 }, () => makeDirectory(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it.skipIf(process.platform !== "linux")(
    "that cannot be created is rejected at once, with the path at fault",
    async () => {
      await expect(opening("/proc/nothing/store")).rejects.toThrow(refusal("no directories can be made in /proc"));
    },
  );

  it("that is a file, or lies below one, is rejected with the file's name", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "store"), join(file, "deep", "store")])
      await expect(opening(path)).rejects.toThrow(refusal(`a directory is needed instead of the file ${file}`));
  });

  it("behind a dangling link is rejected", async () => {
    await symlink(join(root, "nowhere"), join(root, "link"));
    await expect(opening(join(root, "link"))).rejects.toThrow(refusal(`something is in the way in ${root}`));
  });

  it("with too long a name is rejected", async () => {
    await expect(opening(join(root, "x".repeat(300)))).rejects.toThrow("a name is too long in");
  });

  it.skipIf(isRoot && ![import.meta.dirname, process.execPath].every(isOpenToAll))(
    `that this user may not write in or create is rejected${NEEDS}`,
    async () => {
      const closed = join(root, "closed");
      await mkdir(closed, { mode: 0o500 });
      if (isRoot) await chmod(root, 0o755);
      const child = spawn(process.execPath, ["--import", "tsx", OPEN, closed, join(closed, "store")], {
        stdio: ["ignore", "pipe", "inherit"],
        ...(isRoot && { uid: NOBODY, gid: NOBODY }),
      });
      const lines = (await text(child.stdout)).trimEnd().split("\n");
      const expected = refusal(`this user may not read and write in ${closed}`);
      expect(lines).toEqual([expected, expected]);
    },
  );

  it("without a store is neither opened for reading nor changed", async () => {
    const path = join(root, "none");
    const reading = openEmbeddedStore({ directory: path, now: () => 0, readOnly: true });
    await expect(reading).rejects.toThrow(`There is no store in ${path}`);
    await expect(stat(path)).rejects.toThrow();
  });
});
