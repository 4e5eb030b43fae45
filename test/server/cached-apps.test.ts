import { describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.js";
import { DEFAULT_FRAME } from "../../src/domain/frame.js";
import { COPY_MS, withCachedApps } from "../../src/server/cached-apps.js";
import { createCircuitBreaker } from "../../src/server/store-circuit-breaker.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { putApp } from "../fixtures/put-records.js";
import { emptyStore, testApp, testClock } from "../fixtures/store.js";

async function open() {
  const now = testClock();
  const { apps, unitOfWork } = await emptyStore(now);
  const metrics = countingMetrics();
  const state = { isAway: false, reads: 0 };
  const counted = <A extends unknown[], R>(read: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      state.reads++;
      if (state.isAway) throw new Unavailable("The store is away");
      return read(...args);
    };
  };
  const copied = withCachedApps({ ...apps, get: counted(apps.get), getFrame: counted(apps.getFrame) }, unitOfWork, {
    patience: createCircuitBreaker({ waitMs: 1000, restMs: 0, monotonicNow: now }),
    monotonicNow: now,
    metrics,
  });
  const { apps: copies, changes } = copied;
  return { now, apps, unitOfWork, copies, changes, metrics, state };
}

describe("the cache of apps and frames", () => {
  it("answers for a second without a read of the store, then reads again", async () => {
    const { now, apps, unitOfWork, copies, state } = await open();
    await apps.create(testApp("shop", { displayName: "old" }));
    expect((await copies.get("shop"))?.displayName).toBe("old");
    await putApp({ unitOfWork }, testApp("shop", { displayName: "new" })); // by another server
    expect((await copies.get("shop"))?.displayName).toBe("old");
    expect(state.reads).toBe(1);
    now.at += COPY_MS;
    expect((await copies.get("shop"))?.displayName).toBe("new");
  });

  it("shows its own writes at once", async () => {
    const { copies, changes } = await open();
    expect(await copies.get("shop")).toBeUndefined();
    await copies.create(testApp("shop", { displayName: "old" }));
    expect((await copies.get("shop"))?.displayName).toBe("old");
    await changes.run("shop", (tx) => tx.putApp(testApp("shop", { displayName: "new" })));
    expect((await copies.get("shop"))?.displayName).toBe("new");
    expect(await copies.getFrame("shop", "home")).toBeUndefined();
    await changes.run("shop", (tx) => tx.frames.write({ ...DEFAULT_FRAME, frameId: "home" }));
    expect((await copies.getFrame("shop", "home"))?.frameId).toBe("home");
    await changes.run("shop", (tx) => tx.frames.delete("home", 1));
    expect(await copies.getFrame("shop", "home")).toBeUndefined();
    await copies.delete("shop");
    expect(await copies.get("shop")).toBeUndefined();
  });

  it("answers while the store does not, and counts that", async () => {
    const { now, apps, copies, metrics, state } = await open();
    await apps.create(testApp("shop"));
    await copies.get("shop");
    state.isAway = true;
    now.at += COPY_MS;
    expect((await copies.get("shop"))?.appId).toBe("shop");
    expect(metrics.counts.get("app_copies_used")).toBe(1);
    await expect(copies.get("other")).rejects.toThrow(Unavailable);
  });

  it("does not cache that an app is missing", async () => {
    const { apps, copies } = await open();
    expect(await copies.get("shop")).toBeUndefined();
    await apps.create(testApp("shop")); // by another server
    expect((await copies.get("shop"))?.appId).toBe("shop");
  });

  it("reads once for concurrent callers", async () => {
    const { apps, copies, state } = await open();
    await apps.create(testApp("shop"));
    await Promise.all(Array.from({ length: 20 }, () => copies.get("shop")));
    expect(state.reads).toBe(1);
  });
});
