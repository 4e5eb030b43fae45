import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Unavailable } from "../../src/domain/errors.js";
import { type Ownership, ownDirectory, readBeside, readDirectory } from "../../src/server/store-owner.js";
import { temporaryDirectory } from "../fixtures/server.js";

const MODULE = join(import.meta.dirname, "../../src/server/store-owner.ts");

/** A process that takes the directory, and says so. */
async function otherOwner(directory: string, under: readonly string[] = []) {
  const text = `const { ownDirectory } = await import(${JSON.stringify(MODULE)});
    const owned = await ownDirectory(${JSON.stringify(directory)});
    owned.serveReaders(() => () => undefined);
    console.log("owns");
    setInterval(() => {}, 1000);`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", text];
  const [command = process.execPath, ...rest] = [...under, process.execPath, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

describe("a directory", () => {
  it("is one owner's, of twenty that ask at once, and the next one's when that one lets it go", async () => {
    const directory = await temporaryDirectory();
    for (let round = 1; round <= 5; round++) {
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => ownDirectory(directory, 0)));
      const owners = asked.flatMap((one): Ownership[] => (one.status === "fulfilled" ? [one.value] : []));
      expect(owners).toHaveLength(1);
      expect(readdirSync(directory)).toEqual([`owner-${round}`]);
      await (round % 2 === 0 ? owners[0]?.release() : owners[0]?.end());
    }
  });

  it("is refused with the process that has it, and given when that one was killed", async () => {
    const directory = await temporaryDirectory();
    const other = await otherOwner(directory);
    const refused = ownDirectory(directory, 0);
    await expect(refused).rejects.toThrow(Unavailable);
    await expect(refused).rejects.toThrow(`process ${other.pid} on `);
    const waiting = ownDirectory(directory);
    other.kill("SIGKILL");
    await (await waiting).release();
  });

  it("is refused while its owner stands still", async () => {
    const directory = await temporaryDirectory();
    const other = await otherOwner(directory);
    other.kill("SIGSTOP");
    await expect(ownDirectory(directory, 0)).rejects.toThrow("another process has the store in");
    other.kill("SIGKILL");
    await (await ownDirectory(directory)).release();
  });

  it("may have a name longer than the address of a socket", async () => {
    const directory = join(await temporaryDirectory(), "long".repeat(40));
    const owned = await ownDirectory(directory);
    await expect(ownDirectory(directory, 0)).rejects.toThrow("has the store in");
    await owned.release();
  });

  it("is read without asking when nobody has it, and again when somebody took it meanwhile", async () => {
    const directory = await temporaryDirectory();
    let reads = 0;
    const owners: Ownership[] = [];
    const read = async () => {
      if (++reads > 1) return "read";
      const owned = await ownDirectory(directory);
      owned.serveReaders(() => () => undefined);
      owners.push(owned);
      return "read too early";
    };
    expect(await readBeside(directory, read)).toBe("read");
    expect(reads).toBe(2);
    await owners[0]?.end();
  });

  it("is held for each reader until that one has ended", async () => {
    const directory = await temporaryDirectory();
    const owned = await ownDirectory(directory);
    let held = 0;
    owned.serveReaders(() => {
      held++;
      return () => {
        held--;
      };
    });
    const readings = await Promise.all([readDirectory(directory), readDirectory(directory)]);
    expect(held).toBe(2);
    for (const reading of readings) expect(await reading.isStill()).toBe(true);
    readings[0]?.end();
    await expect.poll(() => held).toBe(1);
    await owned.end();
    await expect.poll(() => readings[1]?.isStill()).toBe(false);
    await expect.poll(() => held).toBe(0);
  });

  it("is read once the store of its owner is open, and not while its owner stands still", async () => {
    const directory = await temporaryDirectory();
    const owned = await ownDirectory(directory);
    const reading = readDirectory(directory);
    owned.serveReaders(() => () => undefined);
    (await reading).end();
    await owned.end();
    const other = await otherOwner(directory);
    other.kill("SIGSTOP");
    await expect(readDirectory(directory)).rejects.toThrow("another process has the store in");
  });
});

const ELSEWHERE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync(ELSEWHERE[0]!, [...ELSEWHERE.slice(1), "true"]).status === 0;

describe.skipIf(!canUnshare)("a directory of a process in another container", () => {
  it("is not given, and is held for a reader here", async () => {
    const directory = await temporaryDirectory();
    await otherOwner(directory, ELSEWHERE);
    await expect(ownDirectory(directory, 0)).rejects.toThrow(/^process \d+ on .+ has the store in /);
    const reading = await readDirectory(directory);
    expect(await reading.isStill()).toBe(true);
    reading.end();
  });
});
