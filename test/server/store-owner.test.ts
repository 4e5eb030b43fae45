import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Unavailable } from "../../src/domain/errors.js";
import { mustBeReadableFromHere, type Ownership, ownDirectory } from "../../src/server/store-owner.js";
import { temporaryDirectory } from "../fixtures/server.js";

const MODULE = join(import.meta.dirname, "../../src/server/store-owner.ts");

/** A process that takes the directory, and says so. */
async function otherOwner(directory: string, under: readonly string[] = []) {
  const text = `const { ownDirectory } = await import(${JSON.stringify(MODULE)});
    await ownDirectory(${JSON.stringify(directory)});
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

  it("may be read beside a process that is seen from here", async () => {
    const directory = await temporaryDirectory();
    await mustBeReadableFromHere(directory);
    await otherOwner(directory);
    await mustBeReadableFromHere(directory);
  });
});

const ELSEWHERE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync(ELSEWHERE[0]!, [...ELSEWHERE.slice(1), "true"]).status === 0;

describe.skipIf(!canUnshare)("a directory of a process in another container", () => {
  it("is neither given nor read", async () => {
    const directory = await temporaryDirectory();
    await otherOwner(directory, ELSEWHERE);
    await expect(ownDirectory(directory, 0)).rejects.toThrow(/^process \d+ on .+ has the store in /);
    await expect(mustBeReadableFromHere(directory)).rejects.toThrow("in another container: run this command there");
  });
});
