import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepProcess, type ProcessEvents, StartFailure } from "../../../src/server/workers/process-keeper.js";

interface Started {
  readonly events: ProcessEvents;
  stopped: boolean;
}

describe("a supervised process", () => {
  let started: Started[] = [];
  let logged: unknown[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    started = [];
    logged = [];
  });
  afterEach(() => void vi.useRealTimers());

  const keep = (isStopping = () => false) =>
    keepProcess({
      start(events) {
        const one = { events, stopped: false };
        started.push(one);
        return {
          pid: started.length,
          stop() {
            one.stopped = true;
          },
        };
      },
      logger: { error: (fields: unknown) => void logged.push(fields), info: () => undefined },
      isStopping,
      monotonicNow: () => Date.now(),
    });
  const end = (one: Started | undefined, reason?: string) =>
    one?.events.ended({ pid: 1, code: null, signal: "SIGSEGV", reason, exitCode: 1 });

  it("is restarted after 1 s, then twice as long each time up to 45 s, and after 1 s again after a minute of running", () => {
    keep();
    started[0]?.events.ready(false);
    for (let n = 0; n < 8; n++) {
      end(started.at(-1), "it broke");
      const before = started.length;
      vi.advanceTimersByTime(45_000);
      expect(started.length).toBe(before + 1);
    }
    vi.advanceTimersByTime(61_000);
    end(started.at(-1));
    const delays = [1, 2, 4, 8, 16, 32, 45, 45, 1].map((s) => s * 1000);
    expect(logged).toEqual(delays.map((delay) => expect.objectContaining({ delay })));
    expect(logged[0]).toMatchObject({ process: 1, signal: "SIGSEGV", reason: "it broke" });
  });

  it("keeps running while it is latched, until its replacement is ready", () => {
    keep();
    started[0]?.events.ready(false);
    started[0]?.events.latched("EIO");
    expect(started).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(started).toHaveLength(2);
    expect(started[0]?.stopped).toBe(false);
    started[1]?.events.ready(false);
    expect(started.map(({ stopped }) => stopped)).toEqual([true, false]);
    end(started[0]);
    vi.advanceTimersByTime(100_000);
    expect(started).toHaveLength(2);
  });

  it("is replaced on a later try when the first replacement cannot start", () => {
    keep();
    started[0]?.events.ready(false);
    started[0]?.events.latched("EIO");
    vi.advanceTimersByTime(1_000);
    end(started[1], "cannot be opened");
    vi.advanceTimersByTime(2_000);
    expect(started).toHaveLength(3);
    expect(started[0]?.stopped).toBe(false);
    started[2]?.events.ready(false);
    expect(started.map(({ stopped }) => stopped)).toEqual([true, false, false]);
  });

  it("fails to start with its own message when it ends before it was ever ready", async () => {
    const { ready } = keep();
    end(started[0], "the port is taken");
    await expect(ready).rejects.toEqual(new StartFailure("the port is taken (SIGSEGV)", 1));
    vi.advanceTimersByTime(100_000);
    expect(started).toHaveLength(1);
  });

  it("is not restarted while the server stops", () => {
    let isStopping = false;
    keep(() => isStopping);
    started[0]?.events.ready(false);
    isStopping = true;
    end(started[0]);
    vi.advanceTimersByTime(100_000);
    expect(started).toHaveLength(1);
  });
});
