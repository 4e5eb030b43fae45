import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAdmission } from "../../src/facade/admission.js";
import { openFacade } from "./fixture.js";

const LIMITS = { least: 10, most: 1000, waitMs: 500 };

/** Calls of which so many are answered a millisecond, first come first served, and as many come as are let in. */
function underLoad(perMs: (ms: number) => number) {
  let ms = 0;
  const admission = createAdmission(() => ms, LIMITS);
  const came: number[] = [];
  const waits: number[] = [];
  let owed = 0;
  let answered = 0;
  let most = 0;
  const run = (until: number) => {
    for (; ms < until; ms++) {
      for (owed += perMs(ms); owed >= 1 && came.length > 0; owed--) {
        waits.push(ms - (came.shift() ?? ms));
        admission.leave();
        answered++;
      }
      while (!admission.isFull()) {
        admission.enter();
        came.push(ms);
      }
      most = Math.max(most, admission.waiting);
    }
  };
  return { run, admission, waits, answered: () => answered, most: () => most };
}

describe("admission", () => {
  it("lets in about as many calls as are answered in the time they may wait", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1.5, noNaN: true }), (rate) => {
        const load = underLoad(() => rate);
        load.run(20_000);
        expect(load.admission.waiting).toBeGreaterThan(rate * 500 * 0.7 - 1);
        expect(load.admission.waiting).toBeLessThan(rate * 500 * 1.3 + 11);
        expect(load.answered()).toBeGreaterThan(rate * 20_000 * 0.99 - 12);
      }),
      { numRuns: 20 },
    );
  });

  it("lets in fewer when fewer are answered, and the least when next to nothing is", () => {
    let rate = 1.5;
    const load = underLoad(() => rate);
    load.run(5000);
    rate = 0.2;
    load.run(12_000);
    expect(load.admission.waiting).toBeLessThan(140);
    rate = 0.01;
    load.run(60_000);
    expect(load.admission.waiting).toBe(10);
  });

  it("never lets in more than the most, however fast calls are answered", () => {
    const load = underLoad(() => 50);
    load.run(10_000);
    expect(load.most()).toBe(1000);
  });

  it("does not forget what can be done while little is asked for", () => {
    let ms = 0;
    const admission = createAdmission(() => ms, LIMITS);
    for (; ms < 1000; ms++) {
      admission.isFull();
      admission.enter();
      admission.leave();
    }
    for (; ms < 60_000; ms += 100) admission.isFull();
    for (let n = 0; n < 400; n++) {
      expect(admission.isFull()).toBe(false);
      admission.enter();
    }
  });
});

describe("the facade, when it is full", () => {
  const admission = { isFull: () => true, enter: () => {}, leave: () => {}, waiting: 0 };

  it("refuses events before it reads them, with the time to come again, and answers everything else", async () => {
    const counted: unknown[] = [];
    const metrics = { count: (...args: unknown[]) => void counted.push(args), observe: () => {} };
    const { facade, calls } = openFacade({}, { admission, metrics });
    for (const url of ["/trace", "/trace.php"]) {
      const payload = "app_id=shop&action_type=other";
      const answer = await facade.inject({ method: "POST", url, payload, headers: { origin: "https://shop.example" } });
      expect([answer.statusCode, answer.json()]).toEqual([503, { error: "Service temporarily unavailable" }]);
      expect(answer.headers["retry-after"]).toBe("1");
      expect(answer.headers["access-control-allow-origin"]).toBe("https://shop.example");
    }
    expect(calls).toEqual([]);
    expect(counted.filter((args) => JSON.stringify(args).includes("shed"))).toEqual([
      ["shed", { reason: "calls" }],
      ["shed", { reason: "calls" }],
    ]);
    expect((await facade.inject({ url: "/healthz" })).statusCode).toBe(200);
  });
});
