import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWorkSpacing } from "../../src/facade/body.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Works that take so many ms each, and when each began. */
function open() {
  let ms = 0;
  const beganAt: number[] = [];
  const turns = createWorkSpacing(() => ms + vi.getMockedSystemTime()!.getTime());
  vi.setSystemTime(0);
  const work = (takesMs: number) => () => {
    beganAt.push(vi.getMockedSystemTime()!.getTime());
    ms += takesMs;
  };
  return { turns, work, beganAt };
}

describe("spaced work", () => {
  it("starts at once when none ran before it", () => {
    const { turns, work, beganAt } = open();
    turns(work(10));
    expect(beganAt).toEqual([0]);
  });

  it("rests three times as long as each piece took, and keeps the order", async () => {
    const { turns, work, beganAt } = open();
    for (const ms of [10, 20, 1]) turns(work(ms));
    expect(beganAt).toEqual([0]);
    await vi.runAllTimersAsync();
    expect(beganAt).toEqual([0, 30, 90]);
  });

  it("lets the event loop turn between pieces that take no time", async () => {
    const { turns, work, beganAt } = open();
    for (let n = 0; n < 3; n++) turns(work(0));
    expect(beganAt).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(beganAt).toHaveLength(3);
  });

  it("rests after a piece of half a millisecond, as long as a timer can", async () => {
    const { turns, work, beganAt } = open();
    for (let n = 0; n < 2; n++) turns(work(0.5));
    await vi.runAllTimersAsync();
    expect(beganAt[1]).toBeGreaterThanOrEqual(1);
  });

  it("continues after a piece that throws", async () => {
    const { turns, work, beganAt } = open();
    expect(() =>
      turns(() => {
        throw new Error("a fault");
      }),
    ).toThrow("a fault");
    turns(work(0));
    await vi.runAllTimersAsync();
    expect(beganAt).toHaveLength(1);
  });

  it("starts at once again after the rest", async () => {
    const { turns, work, beganAt } = open();
    turns(work(10));
    await vi.advanceTimersByTimeAsync(31);
    turns(work(10));
    expect(beganAt).toEqual([0, 31]);
  });
});
