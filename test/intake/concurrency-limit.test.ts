import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConcurrencyLimit } from "../../src/intake/admission.js";
import { RUNS } from "../fixtures/runs.js";
import { bestRate, simulate } from "./simulated-store.js";

const LIMITS = { first: 32, least: 8, most: 5000, targetMs: 500 };
const DEADLINE_MS = 750;

/** Stores that do 40 to 3,000 works a second, with commits of 5 to 120 ms. */
const anyStore = fc.record({
  baseMs: fc.double({ min: 5, max: 120, noNaN: true }),
  workMs: fc.double({ min: 0.3, max: 20, noNaN: true }),
  noise: fc.double({ min: 0, max: 0.4, noNaN: true }),
  seed: fc.integer({ min: 1, max: 1e6 }),
});

describe("a concurrency limit over a store with group commit, in simulated time", () => {
  it.each([1, 2, 10])("keeps nine tenths of the best rate at %d times the load, over all stores", (times) => {
    const shares: number[] = [];
    fc.assert(
      fc.property(anyStore, ({ baseMs, workMs, noise, seed }) => {
        const store = { baseMs, workMs: () => workMs, noise };
        const best = bestRate(store, DEADLINE_MS);
        const calls = { perSecond: times * best, seconds: 30, deadlineMs: DEADLINE_MS };
        const { goodput } = simulate(store, calls, LIMITS, seed);
        shares.push(goodput / best);
        expect(goodput / best).toBeGreaterThan(0.6);
      }),
      { numRuns: RUNS.some },
    );
    expect(shares.reduce((sum, one) => sum + one, 0) / shares.length).toBeGreaterThan(0.9);
  });

  it("is necessary: without one almost nothing is answered in time", () => {
    const store = { baseMs: 30, workMs: () => 5, noise: 0 };
    const calls = { perSecond: 2000, seconds: 30, deadlineMs: DEADLINE_MS };
    expect(simulate(store, calls).goodput).toBeLessThan(10);
    expect(simulate(store, calls, LIMITS).goodput).toBeGreaterThan(150);
  });

  it("follows a store that gets slower and faster again within 10 s", () => {
    const workMs = (ms: number) => (ms > 20_000 && ms < 40_000 ? 20 : 2);
    const at = (seconds: number) => {
      const calls = { perSecond: 2000, seconds, deadlineMs: DEADLINE_MS };
      return simulate({ baseMs: 10, workMs, noise: 0.1 }, calls, LIMITS).limit;
    };
    expect(at(20)).toBeGreaterThan(100);
    expect(at(30)).toBeLessThan(40);
    expect(at(50)).toBeGreaterThan(100);
  });

  it("stays between its minimum and its maximum", () => {
    const calls = { perSecond: 3000, seconds: 10, deadlineMs: DEADLINE_MS };
    const fast = simulate({ baseMs: 5, workMs: () => 0.1, noise: 0.5 }, calls, { ...LIMITS, most: 80 });
    expect([fast.mostInFlight, fast.limit]).toEqual([80, 80]);
    expect(simulate({ baseMs: 2000, workMs: () => 1, noise: 0 }, calls, LIMITS).limit).toBe(8);
  });
});

describe("a concurrency limit", () => {
  it("does not grow while little of it is used", () => {
    let ms = 0;
    const limit = createConcurrencyLimit(() => ms, LIMITS);
    for (; ms < 10_000; ms++) limit.begin(1)();
    expect(limit.limit).toBe(LIMITS.first);
  });

  it("stays the same, and full, while no work ends", () => {
    let ms = 0;
    const limit = createConcurrencyLimit(() => ms, LIMITS);
    const ends = Array.from({ length: LIMITS.first }, () => limit.begin(1));
    for (; ms < 60_000; ms += 100) expect(limit.room()).toBe(0);
    expect(limit.limit).toBe(LIMITS.first);
    for (const end of ends) end();
    expect(limit.room()).toBeGreaterThanOrEqual(LIMITS.least);
  });

  it("counts several works that begin together individually", () => {
    const limit = createConcurrencyLimit(() => 0, LIMITS);
    const end = limit.begin(28);
    expect([limit.inFlight, limit.room()]).toEqual([28, 4]);
    end();
    expect(limit.inFlight).toBe(0);
  });
});
