import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataDamaged } from "../../../src/domain/errors.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { checkStoreFile } from "../../../src/store/lmdb/store-file.js";
import { verifyStore } from "../../../src/store/lmdb/verify.js";
import { app, event, product } from "../../contract/samples.js";
import { RUNS } from "../../fixtures/runs.js";
import { makeDirectory } from "./open-embedded.js";

const WRITE = fileURLToPath(new URL("./children/write.ts", import.meta.url));
const PAGE = 4096;

describe("the data file of an embedded store", () => {
  let root: string;
  let directory: string;
  let file: string;

  beforeEach(async () => {
    root = await makeDirectory();
    directory = join(root, "store");
    file = join(directory, "data.mdb");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const opening = (path = directory) => openEmbeddedStore({ directory: path, now: () => 0 });

  /** A store with works of `sizes` events each; then an app is removed, which gives pages back. */
  async function fill(path: string, sizes: readonly number[], removes: boolean): Promise<void> {
    const store = await opening(path);
    await store.apps.create(app("shop"));
    let n = 0;
    for (const size of sizes) {
      await store.unitOfWork.run("shop", (tx) => {
        for (let i = 0; i < size; i++, n++) {
          tx.events.put(`e${n}`, event(`e${n}`, { searchQuery: "x".repeat((n * 997) % 9000) }));
          tx.products.put(`p${n}`, product(`p${n}`));
        }
      });
    }
    if (removes) await store.apps.delete("shop");
    await store.close();
  }

  /** Writes over a part of the file. */
  async function overwrite(at: number, bytes: Uint8Array): Promise<void> {
    const handle = await open(file, "r+");
    await handle.write(bytes, 0, bytes.length, at);
    await handle.close();
  }

  it("is never rejected when it is sound, whatever was written and removed", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (works, removes) => {
        const path = join(root, `sound${made++}`);
        await fill(path, works, removes);
        expect(() => checkStoreFile(path, failOn)).not.toThrow();
        await (await opening(path)).close();
      }),
      { numRuns: RUNS.few },
    );
  });

  it("is never rejected while another process writes and it grows", { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, ["--import", "tsx", WRITE, directory, "1000000"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      child.stdout.resume();
      const { size } = await stat(file);
      for (let n = 0; n < 500 || (await stat(file)).size < size + 8 * PAGE; n++) {
        expect(() => checkStoreFile(directory, failOn)).not.toThrow();
        if (n % 50 === 0) await setImmediate(); // so that the child's lines are read and it goes on
      }
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }
  });

  it("is created when it is missing, and when a crash left it empty beside a new lock file", async () => {
    await mkdir(directory);
    await (await opening()).close();
    await rm(file);
    await (await opening()).close();
    await rm(file);
    await writeFile(file, "");
    await (await opening()).close();
  });

  it("is rejected with other content, in a line that names it and what to do", async () => {
    await mkdir(directory);
    for (const garbage of [Buffer.from("x"), Buffer.alloc(3 * PAGE), Buffer.alloc(64 * PAGE, 0xa5)]) {
      await writeFile(file, garbage);
      await expect(opening()).rejects.toThrow(
        new DataDamaged(
          `The file ${file} is damaged: it does not begin as a store does; restore the directory from a backup`,
        ),
      );
    }
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3 * PAGE }), async (bytes) => {
        await writeFile(file, bytes);
        await expect(opening()).rejects.toBeInstanceOf(DataDamaged);
      }),
      { numRuns: RUNS.some },
    );
  });

  it("is rejected when both meta pages are zeroed or overwritten", async () => {
    await fill(directory, [20, 20], false);
    await overwrite(0, Buffer.alloc(2 * PAGE));
    await expect(opening()).rejects.toBeInstanceOf(DataDamaged);
    await overwrite(0, Buffer.alloc(2 * PAGE, 0xff));
    await expect(opening()).rejects.toBeInstanceOf(DataDamaged);
  });

  it("is used when only the second meta page is zeroed, with a log line", async () => {
    await fill(directory, [20, 20, 20], false);
    await overwrite(PAGE, Buffer.alloc(PAGE));
    const lines: string[] = [];
    checkStoreFile(directory, (line) => lines.push(line));
    expect(lines).toEqual([
      `One of the two heads is damaged, the other holds; the last write may be missing in ${file}`,
    ]);
    const store = await opening();
    expect(await store.events.get("shop", "e0")).toBeDefined();
    await store.close();
  });

  it("is rejected when the second meta page is garbage that claims to be newer", async () => {
    await fill(directory, [20, 20, 20], false);
    await overwrite(PAGE, Buffer.alloc(PAGE, 0xff));
    await expect(opening()).rejects.toThrow("its newer head is unreadable");
  });

  it("is rejected at every length it is cut to, unless only unused pages are missing", async () => {
    await fill(directory, [40, 40, 40], false);
    const whole = join(root, "whole.mdb");
    await copyFile(file, whole);
    const { size } = await stat(whole);
    let refused = 0;
    for (let cut = 1; cut < size / PAGE; cut += 7) {
      await copyFile(whole, file);
      await truncate(file, size - cut * PAGE);
      if (throwsDamage(directory)) refused++;
      else expect((await verifyStore(directory)).faultCount).toBe(0);
    }
    expect(refused).toBeGreaterThan((size / PAGE / 7) * 0.8);
  });

  it("is rejected when the root pages of its trees have other content", async () => {
    await fill(directory, [20, 20], false);
    const bytes = await readFile(file);
    const newer = bytes.readBigUInt64LE(152) >= bytes.readBigUInt64LE(PAGE + 152) ? 0 : PAGE;
    const mainRoot = Number(bytes.readBigUInt64LE(newer + 136));
    await overwrite(mainRoot * PAGE, Buffer.alloc(PAGE));
    await expect(opening()).rejects.toBeInstanceOf(DataDamaged);
  });
});

function failOn(line: string): void {
  throw new Error(line);
}

function throwsDamage(directory: string): boolean {
  try {
    checkStoreFile(directory, () => undefined);
    return false;
  } catch (error) {
    if (error instanceof DataDamaged) return true;
    throw error;
  }
}
