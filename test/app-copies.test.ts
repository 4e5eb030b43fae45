import { describe, expect, it } from "vitest";
import { COPY_MS, withCopies } from "../src/app-copies.js";
import { Unavailable } from "../src/domain/errors.js";
import { DEFAULT_FRAME } from "../src/domain/frame.js";
import { createPatience } from "../src/patience.js";
import { countingMetrics } from "./fixtures/metrics.js";
import { emptyStore, testApp, testClock } from "./fixtures/store.js";

async function open() {
  const now = testClock();
  const { apps } = await emptyStore(now);
  const metrics = countingMetrics();
  const state = { isAway: false, reads: 0 };
  const counted = <A extends unknown[], R>(read: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      state.reads++;
      if (state.isAway) throw new Unavailable("The store is away");
      return read(...args);
    };
  };
  const copies = withCopies(
    { ...apps, get: counted(apps.get), getFrame: counted(apps.getFrame) },
    { patience: createPatience({ waitMs: 1000, restMs: 0, monotonicNow: now }), monotonicNow: now, metrics },
  );
  return { now, apps, copies, metrics, state };
}

describe("copies of apps and frames", () => {
  it("are used without a look at the store for a second, and then read again", async () => {
    const { now, apps, copies, state } = await open();
    await apps.create(testApp("shop", { displayName: "old" }));
    expect((await copies.get("shop"))?.displayName).toBe("old");
    await apps.update(testApp("shop", { displayName: "new" })); // by another server
    expect((await copies.get("shop"))?.displayName).toBe("old");
    expect(state.reads).toBe(1);
    now.at += COPY_MS;
    expect((await copies.get("shop"))?.displayName).toBe("new");
  });

  it("show at once what was written through them", async () => {
    const { copies } = await open();
    expect(await copies.get("shop")).toBeUndefined();
    await copies.create(testApp("shop", { displayName: "old" }));
    expect((await copies.get("shop"))?.displayName).toBe("old");
    await copies.update(testApp("shop", { displayName: "new" }));
    expect((await copies.get("shop"))?.displayName).toBe("new");
    expect(await copies.getFrame("shop", "home")).toBeUndefined();
    await copies.putFrame("shop", { ...DEFAULT_FRAME, frameId: "home" });
    expect((await copies.getFrame("shop", "home"))?.frameId).toBe("home");
    await copies.deleteFrame("shop", "home", 1);
    expect(await copies.getFrame("shop", "home")).toBeUndefined();
    await copies.delete("shop");
    expect(await copies.get("shop")).toBeUndefined();
  });

  it("serve while the store does not answer, and are counted", async () => {
    const { now, apps, copies, metrics, state } = await open();
    await apps.create(testApp("shop"));
    await copies.get("shop");
    state.isAway = true;
    now.at += COPY_MS;
    expect((await copies.get("shop"))?.appId).toBe("shop");
    expect(metrics.counts.get("app_copies_used")).toBe(1);
    await expect(copies.get("other")).rejects.toThrow(Unavailable);
  });

  it("do not remember that an app is not there", async () => {
    const { apps, copies } = await open();
    expect(await copies.get("shop")).toBeUndefined();
    await apps.create(testApp("shop")); // by another server
    expect((await copies.get("shop"))?.appId).toBe("shop");
  });

  it("are read once for callers at the same time", async () => {
    const { apps, copies, state } = await open();
    await apps.create(testApp("shop"));
    await Promise.all(Array.from({ length: 20 }, () => copies.get("shop")));
    expect(state.reads).toBe(1);
  });
});
