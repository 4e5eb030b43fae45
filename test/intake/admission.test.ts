import { describe, expect, it } from "vitest";
import { NotFound, Unavailable } from "../../src/domain/errors.js";
import { createAdmission, inSteps } from "../../src/intake/admission.js";
import type { Transaction } from "../../src/store/ports/unit-of-work.js";
import { countingMetrics } from "../fixtures/metrics.js";

const deps = {
  limits: { first: 3, least: 1, most: 3, targetMs: 100 },
  monotonicNow: () => 0,
  metrics: countingMetrics(),
};

/** A work that ends when it is told to. */
function openWork() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

describe("admission", () => {
  it("rejects a work above the limit without running it, until one in flight has ended", async () => {
    const admission = createAdmission(deps);
    const works = [openWork(), openWork(), openWork()];
    const running = works.map(({ work }) => admission.run(work));
    expect(admission.isFull()).toBe(true);
    let isRun = false;
    const refused = admission.run(async () => {
      isRun = true;
    });
    await expect(refused).rejects.toMatchObject({ shed: "calls", retryAfterMs: 1000 });
    expect(isRun).toBe(false);
    works[0]?.end();
    await running[0];
    expect(admission.isFull()).toBe(false);
  });

  it("measures the latency of works that were stored or timed out, not of invalid ones", async () => {
    let ms = 0;
    const limits = { first: 2, least: 1, most: 8, targetMs: 100 };
    const isFullAfter = async (latencyMs: number, error?: Error) => {
      const admission = createAdmission({ ...deps, limits, monotonicNow: () => ms });
      const work = async () => {
        ms += latencyMs;
        if (error !== undefined) throw error;
      };
      for (let n = 0; n < 10; n++) await admission.run(work).catch(() => undefined);
      const held = [openWork(), openWork()];
      const running = held.map(({ work }) => admission.run(work).catch(() => "refused"));
      for (const { end } of held) end();
      return (await Promise.all(running)).includes("refused");
    };
    expect(await isFullAfter(1000)).toBe(true);
    expect(await isFullAfter(1000, new Unavailable("late"))).toBe(true);
    expect(await isFullAfter(1000, new NotFound("app"))).toBe(false);
  });

  it("logs once a minute that it rejects, and nothing while it does not", async () => {
    let ms = 0;
    const lines: string[] = [];
    const admission = createAdmission({ ...deps, monotonicNow: () => ms, warn: (line) => lines.push(line) });
    await admission.run(async () => undefined);
    expect(lines).toEqual([]);
    const held = [openWork(), openWork(), openWork()];
    for (const { work } of held) void admission.run(work);
    for (; ms < 120_000; ms += 1000) admission.isFull();
    const line = "overload: events are rejected: 3 are in flight, the current limit";
    expect(lines).toEqual([line, line]);
  });

  it("counts a failed work as ended", async () => {
    const admission = createAdmission(deps);
    for (let n = 0; n < 10; n++)
      await expect(admission.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(admission.isFull()).toBe(false);
  });
});

describe("bulk works", () => {
  /** A store that ends a step when it is told to; steps are the names of their apps with their sizes. */
  function openSteps() {
    const steps: string[] = [];
    const ends: (() => void)[] = [];
    let mostInFlight = 0;
    let inFlight = 0;
    const runEach = inSteps(
      {
        async runEach<T>(appId: string, works: readonly ((tx: Transaction) => T)[]) {
          steps.push(`${appId}${works.length}`);
          inFlight += works.length;
          mostInFlight = Math.max(mostInFlight, inFlight);
          await new Promise<void>((resolve) => void ends.push(resolve));
          inFlight -= works.length;
          if (appId === "x") throw new Unavailable("no");
          // These works read nothing.
          return Promise.allSettled(works.map(async (work) => work(undefined!)));
        },
      },
      deps,
    );
    const settle = async () => {
      for (let n = 0; n < 50; n++) {
        ends.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { runEach, steps, settle, most: () => mostInFlight };
  }
  const works = (count: number) => Array.from({ length: count }, (_, n) => () => n);

  it("run in steps within the limit, in order, and each call gets all its outcomes", async () => {
    const { runEach, steps, settle, most } = openSteps();
    const running = runEach("a", works(8));
    await settle();
    expect((await running).map((outcome) => outcome.status === "fulfilled" && outcome.value)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(steps).toEqual(["a3", "a3", "a2"]);
    expect(most()).toBe(3);
  });

  it("of several calls take turns", async () => {
    const { runEach, steps, settle, most } = openSteps();
    const running = [runEach("a", works(6)), runEach("b", works(6))];
    await settle();
    expect((await Promise.all(running)).map(({ length }) => length)).toEqual([6, 6]);
    expect(steps).toEqual(["a3", "b3", "a3", "b3"]);
    expect(most()).toBe(3);
  });

  it("release their places when the store fails", async () => {
    const { runEach, settle } = openSteps();
    const failing = runEach("x", works(3)).catch((error: unknown) => error);
    const running = runEach("a", works(3));
    await settle();
    expect(await failing).toBeInstanceOf(Unavailable);
    expect(await running).toHaveLength(3);
  });
});
