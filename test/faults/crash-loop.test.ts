import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launchServer, startServer, temporaryDirectory } from "../fixtures/server.js";

const WAIT = { interval: 50, timeout: 30_000 };
const REFUSAL = /--store \(AISLE_STORE\): 3 processes that had .+ open were ended by SIGBUS.+--force/;

/** What each log line about a replaced process says. */
function replacements(output: string): unknown[] {
  return output
    .split("\n")
    .filter((line) => line.includes("a process ended; replacing it"))
    .map((line) => {
      const { signal, delay }: { readonly signal?: unknown; readonly delay?: unknown } = JSON.parse(line);
      return [signal, delay];
    });
}

describe("a store that crashes its reader", () => {
  it("is opened three times with growing delays, then only with --force or after its file was replaced", async () => {
    const directory = join(await temporaryDirectory(), "store");
    const server = await startServer({ directory });
    const ended = new Promise<number | null>((resolve) => server.child.once("exit", resolve));
    const crashed = new Set<number>();
    for (let crash = 0; crash < 3; crash++) {
      // A process that was just started has no handler of this signal yet, as one that LMDB crashes has none.
      await expect.poll(() => server.pids().filter((pid) => !crashed.has(pid)).length, WAIT).toBeGreaterThan(0);
      const victim = server.pids().findLast((pid) => !crashed.has(pid)) ?? 0;
      crashed.add(victim);
      process.kill(victim, "SIGBUS");
      if (crash < 2) await expect.poll(() => replacements(server.output()).length, WAIT).toBe(crash + 1);
    }
    expect(await ended).toBe(1);
    expect(replacements(server.output())[0]).toEqual(["SIGBUS", 1_000]);
    expect(server.output()).toMatch(REFUSAL);

    const again = launchServer({ directory });
    expect(await again.ended).toBe(1);
    expect(again.output()).toMatch(/^error: [^\n]+\n$/);
    expect(again.output()).toMatch(REFUSAL);

    const forced = await startServer({ directory, flags: ["--force"] });
    expect(await forced.end("SIGTERM")).toBe(0);
    expect(await (await startServer({ directory })).end("SIGTERM")).toBe(0);
  });
});

it("a file that replaced the one that crashed its reader is opened", async () => {
  const directory = join(await temporaryDirectory(), "store");
  const server = await startServer({ directory });
  const ended = new Promise<number | null>((resolve) => server.child.once("exit", resolve));
  const crashed = new Set<number>();
  while (crashed.size < 3) {
    const victim = server.pids().find((pid) => !crashed.has(pid));
    if (victim !== undefined) process.kill(victim, "SIGSEGV");
    if (victim !== undefined) crashed.add(victim);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await ended).toBe(1);
  const now = new Date();
  await utimes(join(directory, "data.mdb"), now, now); // as a restored backup has a time of its own
  expect(await (await startServer({ directory })).end("SIGTERM")).toBe(0);
});
