import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startSchedule, startStoppable } from "../../../src/learning/training/schedule.js";

const fail = (error: unknown) => {
  throw error;
};

describe("a schedule", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs first after its time, and then after each end of a run", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startSchedule(100, work, fail);
    await vi.advanceTimersByTimeAsync(99);
    expect(work).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(201);
    expect(work).toHaveBeenCalledTimes(3);
    await stop();
  });

  it("runs at once when the first run is no time away, and then in its own time", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startStoppable(100, work, fail, 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(work).toHaveBeenCalledTimes(2);
    await stop();
  });

  it("never runs what has no time between runs", async () => {
    const work = vi.fn(async () => undefined);
    const { stop } = startSchedule(0, work, fail, 0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(work).not.toHaveBeenCalled();
    await stop();
  });
});
