import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACCEPT_AFTER_MS, Clock, type ClockNews, MAX_STEP_MS, SETTLE_AFTER_MS } from "../../src/domain/clock.js";
import { RUNS } from "../fixtures/runs.js";

const START = Date.UTC(2026, 10, 21, 12);
const SECOND = 1000;
const HOUR = 3600_000;
const DAY = 24 * HOUR;
const JUMP = 25 * HOUR;

/** A machine whose system clock a test sets; time passes in steps of a second. */
function machine(startAt = START) {
  const told: ClockNews["kind"][] = [];
  const state = { real: startAt, shift: 0, awake: 0, asleep: 0 };
  const boot = () =>
    new Clock({
      system: () => state.real + state.shift,
      monotonic: () => state.awake,
      uptime: () => state.awake + state.asleep,
      tell: ({ kind }) => told.push(kind),
    });
  const clocks = [boot()];
  const pass = (ms: number, step = SECOND) => {
    for (let passed = 0; passed < ms; passed += step) {
      state.real += step;
      state.awake += step;
      for (const clock of clocks) clock.now();
    }
  };
  const first = (): Clock => {
    const [clock] = clocks;
    if (clock === undefined) throw new Error("There is no clock");
    return clock;
  };
  return { state, told, boot, clocks, pass, first };
}

describe("the clock of a server", () => {
  it("follows the system clock through small steps in both directions", () => {
    const { state, pass, first, told } = machine();
    for (const shift of [500, -MAX_STEP_MS + 1, MAX_STEP_MS - 1, 0]) {
      state.shift = shift;
      expect(first().now()).toBe(state.real + shift);
      pass(10 * SECOND);
    }
    expect(told).toEqual([]);
  });

  it.each([JUMP, -JUMP])("does not follow a jump of %d ms that lasts for 6 s", (shift) => {
    const { state, pass, first, told } = machine();
    pass(HOUR);
    state.shift = shift;
    for (let second = 0; second < 6; second++) {
      pass(SECOND);
      expect(first().now()).toBe(state.real);
      expect(first().differenceMs()).toBe(Math.abs(shift));
    }
    state.shift = 0;
    expect(first().now()).toBe(state.real);
    expect(first().differenceMs()).toBe(0);
    expect(told).toEqual(["jumped", "back"]);
  });

  it("is never more than two steps from the true time while the system clock jumps at random for less than ten minutes", () => {
    const jumps = fc.array(
      fc.record({
        shift: fc.integer({ min: -1000 * DAY, max: 1000 * DAY }),
        seconds: fc.integer({ min: 1, max: 500 }),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(jumps, (all) => {
        const { state, pass, first } = machine();
        for (const { shift, seconds } of all) {
          state.shift = shift;
          pass(seconds * SECOND, 20 * SECOND);
          expect(Math.abs(first().now() - state.real)).toBeLessThanOrEqual(2 * MAX_STEP_MS);
          state.shift = 0;
          pass(60 * SECOND, 20 * SECOND);
          expect(first().now()).toBe(state.real);
        }
      }),
      { numRuns: RUNS.some },
    );
  });

  it("runs minutes ahead only while the system clock is set by a small step again and again", () => {
    const { state, pass, first } = machine();
    for (let second = 0; second < 60; second++) {
      state.shift += MAX_STEP_MS - SECOND;
      pass(SECOND);
    }
    expect(first().now() - state.real).toBeLessThanOrEqual(MAX_STEP_MS);
  });

  it.each([JUMP, -JUMP])("follows a jump of %d ms that lasts, and deletes by the new time an hour later", (shift) => {
    const { state, pass, first, told } = machine();
    state.shift = shift;
    pass(ACCEPT_AFTER_MS - SECOND);
    expect(first().now()).toBe(state.real);
    pass(2 * SECOND);
    expect(first().now()).toBe(state.real + shift);
    expect(first().settledNow()).toBe(state.real + Math.min(shift, 0));
    pass(SETTLE_AFTER_MS);
    expect(first().settledNow()).toBe(state.real + shift);
    expect(told).toEqual(["jumped", "accepted"]);
  });

  it("waits for ten minutes of consistent time before it follows a jump", () => {
    const { state, pass, first } = machine();
    for (let n = 1; n <= 5; n++) {
      state.shift = n * JUMP;
      pass(ACCEPT_AFTER_MS - 2 * SECOND);
    }
    expect(first().now()).toBe(state.real);
  });

  it("follows the system clock at once after the machine has slept", () => {
    const { state, first } = machine();
    state.real += 9 * HOUR;
    state.asleep += 9 * HOUR;
    expect(first().now()).toBe(state.real);
  });

  it("follows no jump while another machine's clock contradicts it", () => {
    const { state, pass, first } = machine();
    state.shift = JUMP;
    for (let n = 0; n < 100; n++) {
      pass(60 * SECOND);
      first().hear(state.real);
    }
    expect(first().now()).toBe(state.real);
    first().hear(state.real + JUMP);
    pass(ACCEPT_AFTER_MS + SECOND);
    expect(first().now()).toBe(state.real + JUMP);
  });

  it("counts only the time in which a server ran as elapsed, whatever the system clock says", () => {
    const { state, pass, first, boot, clocks } = machine();
    pass(HOUR);
    const mark = first().mark();
    expect(mark.livedAt).toBe(START + HOUR);
    state.real += 7 * DAY;
    state.shift = JUMP;
    clocks[0] = boot();
    first().resume(mark);
    pass(HOUR);
    expect(first().livedNow()).toBe(START + 2 * HOUR);
  });

  it("gives ids a time that never goes back, over jumps and starts, and catches up with real time", () => {
    const { state, pass, first, boot, clocks } = machine();
    state.shift = JUMP;
    clocks[0] = boot(); // nothing speaks against the system clock
    const before = first().idNow();
    expect(before).toBe(state.real + JUMP);
    const mark = first().mark();
    state.shift = 0;
    clocks[0] = boot();
    first().resume({ ...mark, goodAt: state.real });
    expect(first().now()).toBe(state.real);
    expect(first().idNow()).toBeGreaterThanOrEqual(before);
    const times: number[] = [];
    for (let hour = 0; hour < 60; hour++) {
      pass(HOUR, 60 * SECOND);
      times.push(first().idNow());
    }
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(first().idNow()).toBe(state.real);
  });
});

describe("the clock at the start of a server", () => {
  const start = (shift: number, { downMs, elsewhere = [] }: { downMs: number; elsewhere?: readonly number[] }) => {
    const bench = machine();
    bench.pass(HOUR);
    const mark = bench.first().mark();
    bench.state.real += downMs;
    bench.state.shift = shift;
    bench.clocks[0] = bench.boot();
    bench.first().resume(
      mark,
      elsewhere.map((apart) => bench.state.real + apart),
    );
    return bench;
  };

  it("trusts the system clock after a week without a server, and deletes by it an hour later", () => {
    const { state, first, pass, told } = start(0, { downMs: 7 * DAY });
    expect(first().now()).toBe(state.real);
    expect(first().settledNow()).toBe(START + HOUR);
    pass(SETTLE_AFTER_MS + SECOND, 10 * SECOND);
    expect(first().settledNow()).toBe(state.real);
    expect(told).toEqual([]);
  });

  it("continues from the last commit when the system clock is behind it, and follows once that is corrected", () => {
    const { state, first, pass, told } = start(-JUMP, { downMs: MAX_STEP_MS });
    expect(first().now()).toBe(START + HOUR);
    pass(5 * SECOND);
    expect(first().now()).toBe(START + HOUR + 5 * SECOND);
    state.shift = 0;
    expect(first().now()).toBe(state.real);
    expect(told).toContain("jumped");
  });

  it("goes back at once when a system clock that was ahead at the start is corrected", () => {
    const { state, first, pass } = start(JUMP, { downMs: HOUR });
    expect(first().now()).toBe(state.real + JUMP);
    pass(30 * SECOND);
    state.shift = 0;
    expect(first().now()).toBe(state.real);
    state.shift = -MAX_STEP_MS - HOUR;
    expect(first().now()).toBe(state.real);
  });

  it.each([JUMP, -JUMP])(
    "does not trust a system clock that differs by %d ms from the machine's own count",
    (shift) => {
      const { state, first, pass } = start(shift, { downMs: 5 * 60_000, elsewhere: [0] });
      expect(first().now()).toBe(state.real);
      state.shift = 0;
      pass(SECOND);
      expect(first().now()).toBe(state.real);
    },
  );

  it("trusts the clock that is nearer to the last commit and not before it", () => {
    expect(
      start(0, { downMs: HOUR, elsewhere: [JUMP] })
        .first()
        .now(),
    ).toBe(START + 2 * HOUR);
    const { state, first } = start(JUMP, { downMs: HOUR, elsewhere: [-JUMP] });
    expect(first().now()).toBe(state.real + JUMP);
  });

  it("makes ids greater than those of the last server, also when these are ahead of the time", () => {
    const { state, first } = start(0, { downMs: 5 * SECOND });
    const mark = { ...first().mark(), idAt: state.real - SECOND };
    first().resume(mark, [], 2 * SECOND);
    expect(first().idNow()).toBe(state.real);
    first().resume({ ...mark, idAt: state.real + JUMP }, [], 2 * SECOND);
    expect(first().idNow()).toBe(state.real + JUMP + 2 * SECOND);
  });

  it("adopts elapsed time and last ids from other processes of the store", () => {
    const { first, state } = start(0, { downMs: 7 * DAY });
    const other = { at: state.real, goodAt: state.real, livedAt: START + 9 * HOUR, idAt: state.real + JUMP };
    first().learn(other);
    expect(first().livedNow()).toBe(other.livedAt);
    expect(first().idNow()).toBe(other.idAt);
    expect(first().settledNow()).toBe(state.real);
    first().learn({ ...other, livedAt: START, idAt: START });
    expect(first().livedNow()).toBe(other.livedAt);
    expect(first().idNow()).toBe(other.idAt);
  });
});
