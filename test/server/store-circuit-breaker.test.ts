import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NotFound, Unavailable } from "../../src/domain/errors.js";
import { createCircuitBreaker } from "../../src/server/store-circuit-breaker.js";

const never = () => new Promise<string>(() => undefined);

describe("the circuit breaker of a remote store", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  const open = () => createCircuitBreaker({ waitMs: 200, restMs: 1000, monotonicNow: () => performance.now() });
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      (value) => value,
      (error: unknown) => error,
    );

  it("returns reads that are in time", async () => {
    expect(await open().wait(async () => "read")).toBe("read");
  });

  it("passes on the store's errors, and counts them as answers", async () => {
    const { wait } = open();
    expect(await outcome(wait(() => Promise.reject(new NotFound("app"))))).toBeInstanceOf(NotFound);
    expect(await wait(async () => "read")).toBe("read");
  });

  it("gives up a late read", async () => {
    const read = outcome(open().wait(never));
    await vi.advanceTimersByTimeAsync(200);
    expect(await read).toBeInstanceOf(Unavailable);
  });

  it("asks nothing for a second after the store answered no read", async () => {
    const { wait, waitLong } = open();
    const first = outcome(wait(never));
    await vi.advanceTimersByTimeAsync(200);
    await first;
    const read = vi.fn(async () => "read");
    expect(await outcome(wait(read))).toBeInstanceOf(Unavailable);
    expect(await outcome(waitLong(read))).toBeInstanceOf(Unavailable);
    expect(read).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await wait(read)).toBe("read");
  });

  it("keeps asking when one read was slow while others were answered", async () => {
    const { wait } = open();
    const slow = outcome(wait(never));
    await vi.advanceTimersByTimeAsync(100);
    await wait(async () => "read");
    await vi.advanceTimersByTimeAsync(100);
    expect(await slow).toBeInstanceOf(Unavailable);
    expect(await wait(async () => "read")).toBe("read");
  });

  it("asks again as soon as a read that was given up is answered", async () => {
    const { wait } = open();
    let answer = (_: string) => {};
    const late = outcome(
      wait(
        () =>
          new Promise<string>((resolve) => {
            answer = resolve;
          }),
      ),
    );
    await vi.advanceTimersByTimeAsync(200);
    expect(await late).toBeInstanceOf(Unavailable);
    answer("late");
    await vi.advanceTimersByTimeAsync(0);
    expect(await wait(async () => "read")).toBe("read");
  });
});
