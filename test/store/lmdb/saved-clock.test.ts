import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { Clock } from "../../../src/domain/clock.js";
import { openEmbeddedStore } from "../../../src/store/lmdb/store.js";
import { keptClockContract } from "../../contract/saved-clock.js";
import { emptyStore, testApp, testClock } from "../../fixtures/store.js";
import { makeDirectory } from "./open-embedded.js";

const HOUR = 3600_000;

async function emptyDirectory(): Promise<string> {
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

keptClockContract(
  "embedded",
  async () => {
    const directory = await emptyDirectory();
    return (clock) => {
      const boot = randomUUID();
      const machine = () => ({ boot, uptimeMs: 0, monotonicMs: 0 });
      return openEmbeddedStore({ directory, now: clock.now, clock, machine });
    };
  },
  false,
);

it("a lease of a server whose clock was ahead ends as soon as a lease given just now", async () => {
  const now = testClock();
  const store = await emptyStore(now);
  await store.apps.create(testApp("shop"));
  now.at += 25 * HOUR;
  expect(await store.leases.acquire("shop", "ahead", 60_000)).toBeDefined();
  now.at -= 25 * HOUR;
  expect(await store.leases.acquire("shop", "next", 60_000)).toBeDefined();
  expect(await store.leases.acquire("shop", "third", 60_000)).toBeUndefined();
});

it("a server that starts with a wrong system clock uses what the machine has counted since the last commit", async () => {
  const directory = await emptyDirectory();
  const state = { now: Date.now(), shift: 0, running: 0 };
  const open = async () => {
    const clock = new Clock({ system: () => state.now + state.shift, monotonic: () => state.running });
    const machine = () => ({ boot: "the same", uptimeMs: state.running, monotonicMs: state.running });
    const store = await openEmbeddedStore({ directory, now: clock.now, clock, machine });
    return { clock, store };
  };
  const first = await open();
  await first.store.apps.create(testApp("shop"));
  for (const shift of [25 * HOUR, -25 * HOUR]) {
    state.now += HOUR;
    state.running += HOUR;
    state.shift = shift;
    const { clock, store } = await open(); // as a worker does that replaces another
    expect(clock.now()).toBe(state.now);
    await store.close();
  }
  await first.store.close();
});
