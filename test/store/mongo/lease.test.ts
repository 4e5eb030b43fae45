import { describe, expect, it } from "vitest";
import { createLeases } from "../../../src/store/mongo/lease.js";
import { SCHEMA } from "../../../src/store/schema/schema.js";
import type { StoredLease } from "../../../src/store/stored-lease.js";

/** Leases that servers share, each of which sees time by its own clock. */
function sharedLeases() {
  const kept = new Map<string, StoredLease>();
  const server = (elapsed: () => number) =>
    createLeases({
      run: async (_appId, work) =>
        work({
          get: (key) => kept.get(key),
          put: (key, lease) => void kept.set(key, lease),
          delete: (key) => void kept.delete(key),
        }),
      held: async () => {
        const lease = kept.get("shop\0app");
        return new Map(lease === undefined || lease.until === 0 ? [] : [["shop", lease]]);
      },
      now: () => 0,
      elapsed,
    });
  return { kept, server };
}

describe("leases of a mongo store", () => {
  it("are taken at the first ask by a server that has seen nobody renew them", async () => {
    let at = 0;
    const { server } = sharedLeases();
    const [one, other] = [server(() => 5), server(() => at)];
    const lost = await one.acquire("shop", "one", 1000);
    await other.observe();
    at = 500;
    await other.observe();
    at = 999;
    expect(await other.acquire("shop", "two", 1000)).toBeUndefined();
    at = 1000;
    expect((await other.acquire("shop", "two", 1000))?.token).toBeGreaterThan(lost?.token ?? Infinity);
  });

  it("are not taken by a server that was told of a renewal, though the holder's clock stands still", async () => {
    let at = 0;
    const { server } = sharedLeases();
    const [one, other] = [server(() => 5), server(() => at)];
    const lease = await one.acquire("shop", "one", 1000);
    if (lease === undefined) throw new Error("nobody holds it");
    await other.observe();
    at = 900;
    await one.renew("shop", lease, 1000);
    await other.observe();
    at = 1899;
    expect(await other.acquire("shop", "two", 1000)).toBeUndefined();
    at = 1900;
    expect(await other.acquire("shop", "two", 1000)).toBeDefined();
  });

  it("are forgotten once they are given back, and waited for anew when taken again", async () => {
    let at = 0;
    const { server } = sharedLeases();
    const [one, other] = [server(() => 5), server(() => at)];
    const first = await one.acquire("shop", "one", 1000);
    await other.observe();
    if (first !== undefined) await one.release("shop", first);
    await one.acquire("shop", "one", 1000);
    at = 5000;
    expect(await other.acquire("shop", "two", 1000)).toBeUndefined();
  });

  it("are read when they do not say for how long they were given", () => {
    const before = { holder: "one", token: 3, until: 17 };
    expect(SCHEMA.leases.fromDocument(before)).toEqual({ ...before, forMs: 60_000 });
    expect(SCHEMA.leases.fromDocument(SCHEMA.leases.toDocument({ ...before, forMs: 5 }))).toEqual({
      ...before,
      forMs: 5,
    });
  });
});
