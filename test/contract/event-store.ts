import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event.js";
import { RUNS } from "../fixtures/runs.js";
import { byCodePoints, type OpenStore, useStore } from "./open-store.js";
import { anyEvent, anyId, event } from "./samples.js";

export function eventStoreContract(name: string, open: OpenStore): void {
  describe(`event store: ${name}`, () => {
    const under = useStore(open);

    const record = (appId: string, events: readonly Event[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const one of events) tx.events.put(one.eventId, one);
      });
    const ids = async (from: string, limit: number, newestFirst: boolean) =>
      (await under.store.events.list("shop", from, limit, newestFirst)).map((one) => one.eventId);

    it("returns an event as it was recorded", async () => {
      await fc.assert(
        fc.asyncProperty(anyEvent, async (one) => {
          await record("shop", [one]);
          expect(await under.store.events.get("shop", one.eventId)).toEqual(one);
        }),
        { numRuns: RUNS.some },
      );
    });

    it("returns no event that was not recorded", async () => {
      await record("shop", [event("e1")]);
      expect(await under.store.events.get("shop", "e")).toBeUndefined();
      expect(await under.store.events.get("shop", "e11")).toBeUndefined();
      expect(await under.store.events.get("shop", "")).toBeUndefined();
      expect(await under.store.events.get("shop", "x".repeat(5000))).toBeUndefined();
    });

    it("shows an app nothing of another, however alike their ids", async () => {
      await record("shop", [event("1")]);
      await record("shop-1", [event("1", { platform: "other" })]);
      for (const appId of ["sho", "shop\0", "shop\x01", "shop\x001", ""]) {
        expect(await under.store.events.get(appId, "1")).toBeUndefined();
        expect(await under.store.events.list(appId, "", 10, false)).toEqual([]);
        expect(await under.store.events.list(appId, "", 10, true)).toEqual([]);
      }
      expect(await ids("", 10, false)).toEqual(["1"]);
      expect((await under.store.events.get("shop", "1"))?.platform).toBe("");
    });

    it("lists events after an id in order of ids", async () => {
      await record("shop", [event("e3"), event("e1"), event("e2"), event("e4")]);
      expect(await ids("", 10, false)).toEqual(["e1", "e2", "e3", "e4"]);
      expect(await ids("", 2, false)).toEqual(["e1", "e2"]);
      expect(await ids("e2", 2, false)).toEqual(["e3", "e4"]);
      expect(await ids("e2x", 2, false)).toEqual(["e3", "e4"]);
      expect(await ids("e4", 2, false)).toEqual([]);
      expect(await ids("", 0, false)).toEqual([]);
    });

    it("lists events before an id, newest first", async () => {
      await record("shop", [event("e3"), event("e1"), event("e2"), event("e4")]);
      await record("shoq", [event("e0")]);
      await record("sho", [event("e9")]);
      expect(await ids("", 10, true)).toEqual(["e4", "e3", "e2", "e1"]);
      expect(await ids("", 2, true)).toEqual(["e4", "e3"]);
      expect(await ids("e3", 10, true)).toEqual(["e2", "e1"]);
      expect(await ids("e2x", 10, true)).toEqual(["e2", "e1"]);
      expect(await ids("e1", 10, true)).toEqual([]);
      expect(await ids("", 0, true)).toEqual([]);
    });

    it("counts events after an id, up to a limit, and names the last one", async () => {
      await record("shop", [event("e3"), event("e1"), event("e2"), event("e4")]);
      await record("shoq", [event("e0")]);
      const count = (from: string, limit: number) => under.store.events.count("shop", from, limit);
      expect(await count("", 10)).toEqual({ count: 4, lastId: "e4" });
      expect(await count("", 4)).toEqual({ count: 4, lastId: "e4" });
      expect(await count("", 3)).toEqual({ count: 3, lastId: "e3" });
      expect(await count("e2x", 10)).toEqual({ count: 2, lastId: "e4" });
      expect(await count("e4", 10)).toEqual({ count: 0, lastId: "e4" });
      expect(await count("e1", 0)).toEqual({ count: 0, lastId: "e1" });
    });

    it("counts more events than it reads at once", async () => {
      const all = Array.from({ length: 2345 }, (_, n) => event(`e${String(n).padStart(4, "0")}`));
      for (let from = 0; from < all.length; from += 500) await record("shop", all.slice(from, from + 500));
      const { count } = under.store.events;
      expect(await count("shop", "", Number.POSITIVE_INFINITY)).toEqual({ count: 2345, lastId: "e2344" });
      expect(await count("shop", "", 2000)).toEqual({ count: 2000, lastId: "e1999" });
      expect(await count("shop", "", 1001)).toEqual({ count: 1001, lastId: "e1000" });
    });

    it("lists what sorting and cutting all ids would give", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyId, { maxLength: 12 }),
          fc.oneof(fc.constant(""), anyId),
          fc.nat({ max: 12 }),
          fc.boolean(),
          async (all, from, limit, newestFirst) => {
            const appId = `app${under.at++}`;
            await record(
              appId,
              all.map((id) => event(id)),
            );
            const sorted = [...all].sort(byCodePoints);
            const oldest = sorted.filter((id) => from === "" || byCodePoints(id, from) > 0);
            const newest = sorted.filter((id) => from === "" || byCodePoints(id, from) < 0).reverse();
            const listed = await under.store.events.list(appId, from, limit, newestFirst);
            expect(listed.map((one) => one.eventId)).toEqual((newestFirst ? newest : oldest).slice(0, limit));
          },
        ),
        { numRuns: RUNS.some },
      );
    });
  });
}
