import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowanceAt, gcra } from "../../src/domain/gcra.js";

const limits = fc.record({ ratePerSecond: fc.integer({ min: 1, max: 500 }), burst: fc.integer({ min: 1, max: 200 }) });
const waits = fc.array(fc.nat(400), { maxLength: 60 });

describe("the remaining quota", () => {
  it("is the number of calls that are admitted at once", () => {
    fc.assert(
      fc.property(limits, waits, (limit, pauses) => {
        let now = 0;
        let arrival: number | undefined;
        for (const pause of pauses) {
          now += pause;
          const verdict = gcra(arrival, now, limit);
          if (verdict.admitted) arrival = verdict.next;
        }
        const { remaining } = allowanceAt(arrival, now, limit);
        let admitted = 0;
        for (let next = gcra(arrival, now, limit); next.admitted; next = gcra(next.next, now, limit)) admitted++;
        expect(remaining).toBe(admitted);
      }),
    );
  });

  it("is full again at the time it names, and never later than after its window", () => {
    fc.assert(
      fc.property(limits, fc.nat(300), (limit, calls) => {
        let arrival: number | undefined;
        for (let call = 0; call < calls; call++) {
          const verdict = gcra(arrival, 0, limit);
          if (verdict.admitted) arrival = verdict.next;
        }
        const { resetMs, windowMs } = allowanceAt(arrival, 0, limit);
        expect(resetMs).toBeLessThanOrEqual(windowMs + 1e-6);
        expect(allowanceAt(arrival, resetMs, limit).remaining).toBe(limit.burst);
      }),
    );
  });
});
