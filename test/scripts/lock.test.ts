import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const module = pathToFileURL(join(import.meta.dirname, "../../scripts/lock.mjs")).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aisle-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the body of a `work` function under the lock, in a process of its own, and gives what it printed. */
async function locked(work: string): Promise<string> {
  const lock = JSON.stringify(join(folder, "lock"));
  const program = `
    import { readFileSync, writeFileSync } from "node:fs";
    import { withLock } from ${JSON.stringify(module)};
    await withLock(${lock}, async () => { ${work} }, () => console.log("waited"));`;
  return (await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program])).stdout;
}

/** Reads a number and writes it one higher after a while: two at the same time would lose one. */
const increment = (path: string) => `
  const before = Number(readFileSync(${JSON.stringify(path)}, "utf8"));
  await new Promise((wake) => setTimeout(wake, 20));
  writeFileSync(${JSON.stringify(path)}, String(before + 1));`;

describe("the lock of npm run setup", () => {
  it("admits one process at a time", async () => {
    const count = join(folder, "count");
    writeFileSync(count, "0");
    await Promise.all(Array.from({ length: 6 }, () => locked(increment(count))));
    expect(readFileSync(count, "utf8")).toBe("6");
  });

  it("is released after the work, also when it failed", async () => {
    await locked("");
    expect(readdirSync(folder)).toEqual([]);
    await expect(locked('throw new Error("work failed")')).rejects.toThrow("work failed");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is taken over from a killed process by exactly one of those that wait", async () => {
    const count = join(folder, "count");
    writeFileSync(count, "0");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(join(folder, "lock"), `${hostname()} ${pid} 0 0`);
    await Promise.all(Array.from({ length: 4 }, () => locked(increment(count))));
    expect(readFileSync(count, "utf8")).toBe("4");
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });

  it("is taken over from another host when its file is untouched for half a minute", async () => {
    writeFileSync(join(folder, "lock"), "another-host 1 0 0");
    const long = new Date(Date.now() - 31_000);
    utimesSync(join(folder, "lock"), long, long);
    await expect(locked('console.log("worked")')).resolves.toBe("waited\nworked\n");
  });
});
