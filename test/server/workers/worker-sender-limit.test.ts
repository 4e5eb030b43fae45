import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimited } from "../../../src/domain/errors.js";
import {
  createLimitKeeper,
  createWorkerSenderLimit,
  type LimitQuestion,
} from "../../../src/server/workers/worker-sender-limit.js";
import { RUNS } from "../../fixtures/runs.js";
import { testClock } from "../../fixtures/store.js";

/** Processes that share one keeper; messages arrive in the next turn of the event loop. */
function processes(count: number) {
  const now = testClock(0);
  const keeper = createLimitKeeper(now);
  let messages = 0;
  const limits = Array.from({ length: count }, () => {
    const asked = createWorkerSenderLimit({
      monotonicNow: now,
      ask(round: number, questions: readonly LimitQuestion[]) {
        messages++;
        setImmediate(() => asked.answered(round, questions.map(keeper)));
      },
    });
    return asked.limit;
  });
  const call = async (limit: (typeof limits)[number], appId = "shop"): Promise<"admitted" | RateLimited> => {
    try {
      await limit(appId);
      return "admitted";
    } catch (error) {
      if (error instanceof RateLimited) return error;
      throw error;
    }
  };
  return { now, limits, call, messages: () => messages };
}

describe("a shared limit of backend senders", () => {
  it("admits a hundred at once over all processes, and says when the next may come", async () => {
    const { limits, call } = processes(3);
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => call(limits[n % 3]!)));
    expect(answers.filter((answer) => answer === "admitted")).toHaveLength(100);
    expect(answers.find((answer) => answer instanceof RateLimited)).toMatchObject({ retryAfterMs: 10 });
  });

  it("reports the remaining quota over all processes", async () => {
    const { limits } = processes(2);
    await Promise.all(Array.from({ length: 30 }, () => limits[0]!("shop")));
    expect(await limits[1]!("shop")).toMatchObject({ limit: 100, windowMs: 1000, remaining: 69, resetMs: 310 });
  });

  it("keeps apps apart", async () => {
    const { limits, call } = processes(2);
    await Promise.all(Array.from({ length: 200 }, (_, n) => call(limits[n % 2]!, "one")));
    expect(await call(limits[0]!, "two")).toBe("admitted");
  });

  it("asks the keeper once for all requests of a turn, and not during a refusal", async () => {
    const { now, limits, call, messages } = processes(1);
    await Promise.all(Array.from({ length: 150 }, () => call(limits[0]!)));
    expect(messages()).toBe(1);
    expect(await call(limits[0]!)).toBeInstanceOf(RateLimited);
    expect(messages()).toBe(1);
    now.at += 10;
    expect(await call(limits[0]!)).toBe("admitted");
    expect(messages()).toBe(2);
  });

  it("becomes a local limit when the keeper does not answer", async () => {
    const now = testClock(0);
    const { limit } = createWorkerSenderLimit({ monotonicNow: now, ask: () => undefined });
    const answers = await Promise.allSettled(Array.from({ length: 150 }, () => limit("shop")));
    expect(answers.filter((answer) => answer.status === "fulfilled")).toHaveLength(100);
  });

  it("admits at most the burst and the rate in any sequence of calls over the processes", async () => {
    const step = fc.record({ process: fc.nat(2), wait: fc.nat(40), calls: fc.integer({ min: 1, max: 60 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const { now, limits, call } = processes(3);
        let admitted = 0;
        for (const { process, wait, calls } of steps) {
          now.at += wait;
          const answers = await Promise.all(Array.from({ length: calls }, () => call(limits[process]!)));
          admitted += answers.filter((answer) => answer === "admitted").length;
        }
        expect(admitted).toBeLessThanOrEqual(100 + now.at / 10);
      }),
      { numRuns: RUNS.some },
    );
  });
});
