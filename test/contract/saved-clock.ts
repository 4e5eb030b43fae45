import { describe, expect, it, onTestFinished } from "vitest";
import { ACCEPT_AFTER_MS, Clock } from "../../src/domain/clock.js";
import type { Store } from "../../src/store/ports/store.js";
import { testApp } from "../fixtures/store.js";

const SECOND = 1000;
const HOUR = 3600_000;
const DAY = 24 * HOUR;
const JUMP = 25 * HOUR;

/** Opens stores over one and the same data, each as a server of its own, by the clock it is given. */
export type OpenWithClock = (clock: Clock) => Promise<Store>;

/**
 * @param begin makes empty data. The machine of each store has just been started: it has not counted the time before.
 * @param asksAnother a clock that is ahead at the start is not believed, because another machine's is asked, too
 */
export function keptClockContract(name: string, begin: () => Promise<OpenWithClock>, asksAnother: boolean): void {
  describe(`the clock of a store: ${name}`, () => {
    /** A shop with a clock that a test sets; `now` is the true time. */
    const shop = async () => {
      const state = { now: Date.now(), shift: 0, running: 0 };
      const open = await begin();
      let clock: Clock;
      let store: Store | undefined;
      const boot = async () => {
        await store?.close();
        state.running = 0;
        clock = new Clock({ system: () => state.now + state.shift, monotonic: () => state.running });
        store = await open(clock);
        return store;
      };
      await boot();
      onTestFinished(async () => store?.close());
      const used = () => {
        if (store === undefined) throw new Error("The store is closed");
        return store;
      };
      await used().apps.create(testApp("shop"));
      const pass = (ms: number) => {
        const steps = 100;
        for (let n = 0; n < steps; n++) {
          state.now += ms / steps;
          state.running += ms / steps;
          clock.now();
        }
      };
      const claim = (key: string) =>
        used().unitOfWork.run("shop", (tx) =>
          tx.idempotency.put(key, { eventId: key, bodyHash: "hash", claimedAt: clock.now() }),
        );
      const known = (key: string) => used().unitOfWork.run("shop", (tx) => tx.idempotency.get(key) !== undefined);
      return { state, boot, pass, claim, known, clock: () => clock };
    };

    it("keeps a key for 24 hours, through a lasting jump of the time too", async () => {
      const { state, pass, claim, known, clock } = await shop();
      await claim("a");
      state.shift = JUMP;
      pass(ACCEPT_AFTER_MS + 20 * SECOND);
      expect(clock().now()).toBe(state.now + JUMP);
      expect(await known("a")).toBe(true);
      pass(DAY - ACCEPT_AFTER_MS - 21 * SECOND);
      expect(await known("a")).toBe(true);
      pass(2 * SECOND);
      expect(await known("a")).toBe(false);
    });

    it("keeps a key as long after the time was set back", async () => {
      const { state, pass, claim, known } = await shop();
      state.shift = JUMP;
      pass(ACCEPT_AFTER_MS + 20 * SECOND);
      await claim("a");
      state.shift = 0;
      pass(DAY - SECOND);
      expect(await known("a")).toBe(true);
      pass(JUMP + 2 * SECOND);
      expect(await known("a")).toBe(false);
    });

    it("keeps a key over a start with a wrong clock, and over a week without a server", async () => {
      const { state, boot, pass, claim, known } = await shop();
      await claim("a");
      for (const [downMs, shift] of [
        [SECOND, JUMP],
        [SECOND, -JUMP],
        [7 * DAY, 0],
      ] as const) {
        pass(2 * SECOND);
        await claim("b");
        state.now += downMs;
        state.shift = shift;
        await boot();
        expect(await known("a")).toBe(true);
      }
      pass(DAY + 10 * SECOND);
      expect(await known("a")).toBe(false);
    });

    it("makes a server that starts with an earlier time give ids after the existing ones", async () => {
      const { state, boot, claim, clock } = await shop();
      state.shift = JUMP;
      await boot();
      const ahead = clock().idNow();
      expect(ahead > state.now + HOUR).toBe(!asksAnother);
      await claim("a");
      state.shift = 0;
      await boot();
      expect(clock().now()).toBe(state.now);
      expect(clock().idNow()).toBeGreaterThanOrEqual(ahead);
    });
  });
}
