import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startSchedule, startStoppable } from "../../../src/learning/training/schedule.js";

const fail = (error: unknown) => {
  throw error;
};

describe("a schedule of runs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs first after its interval, and then an interval after each end", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startSchedule(100, work, fail);
    await vi.advanceTimersByTimeAsync(99);
    expect(work).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(201);
    expect(work).toHaveBeenCalledTimes(3);
    await stop();
  });

  it("runs at once when the first run is due at once, and then at its interval", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startStoppable(100, work, fail, 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(work).toHaveBeenCalledTimes(2);
    await stop();
  });

  it("never runs without an interval", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startSchedule(0, work, fail, 0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(work).not.toHaveBeenCalled();
    await stop();
  });
});
