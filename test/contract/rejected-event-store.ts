import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RejectedEvent } from "../../src/domain/rejected-event.js";
import { REJECTED_LOG_LIMITS } from "../../src/store/ports/rejected-event-store.js";
import { RUNS } from "../fixtures/runs.js";
import { type OpenStore, useStore } from "./open-store.js";
import { anyEvent, app, rejected } from "./samples.js";

export function rejectedEventStoreContract(name: string, open: OpenStore): void {
  describe(`rejected event store: ${name}`, () => {
    const under = useStore(open);

    const add = (appId: string, ...events: Partial<RejectedEvent>[]) =>
      under.store.unitOfWork.run(appId, (tx) => events.map((event) => tx.rejectedEvents.add(rejected(event))));
    const fields = async (before = "", limit = 2000) =>
      (await under.store.rejectedEvents.list("shop", before, limit)).map(({ field }) => field);

    it("returns an event as it was added", async () => {
      await fc.assert(
        fc.asyncProperty(fc.option(anyEvent), async (event) => {
          const one = rejected({ event, fault: "invalid", accepted: "text", idempotencyKey: "k" });
          const [rejectedId = ""] = await under.store.unitOfWork.run("shop", (tx) => [tx.rejectedEvents.add(one)]);
          expect(await under.store.rejectedEvents.get("shop", rejectedId)).toEqual({ ...one, rejectedId });
        }),
        { numRuns: RUNS.some },
      );
    });

    it("lists events newest first, and those before an id", async () => {
      const ids = await add("shop", { field: "a" }, { field: "b" }, { field: "c" });
      await add("shop", { field: "d" });
      expect(await fields()).toEqual(["d", "c", "b", "a"]);
      expect(await fields("", 2)).toEqual(["d", "c"]);
      expect(await fields(ids[2], 1)).toEqual(["b"]);
      expect(await fields(ids[0])).toEqual([]);
    });

    it("shows an app nothing of another", async () => {
      const [id = ""] = await add("shop", { field: "a" });
      expect(await under.store.rejectedEvents.get("shop2", id)).toBeUndefined();
      expect(await under.store.rejectedEvents.list("shop2", "", 10)).toEqual([]);
      expect(await under.store.rejectedEvents.get("shop", "nothing")).toBeUndefined();
    });

    it("evicts the oldest when there are too many, also within one work", async () => {
      const { events } = REJECTED_LOG_LIMITS;
      const numbered = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => ({ field: String(from + n), bytes: 1 }));
      await add("shop", ...numbered(0, 500));
      await add("shop", ...numbered(500, 501));
      const found = await fields();
      expect(found).toHaveLength(events);
      expect([found[0], found.at(-1)]).toEqual(["1000", "1"]);
    });

    it("evicts the oldest when they take too many bytes, and never the newest", async () => {
      const third = Math.floor(REJECTED_LOG_LIMITS.bytes / 3);
      for (const field of ["a", "b", "c", "d"]) await add("shop", { field, bytes: third });
      expect(await fields()).toEqual(["d", "c", "b"]);
      await add("shop", { field: "e", bytes: 10 * third });
      expect(await fields()).toEqual(["e"]);
    });

    it("replaces an event in its place, and updates its size", async () => {
      const half = Math.floor(REJECTED_LOG_LIMITS.bytes / 2);
      const [id = ""] = await add("shop", { field: "a", bytes: half }, { field: "b", bytes: half });
      await under.store.unitOfWork.run("shop", (tx) => {
        const before = tx.rejectedEvents.get(id);
        if (before) tx.rejectedEvents.replace({ ...before, event: null, bytes: 1, replayedAs: "e1" });
      });
      await add("shop", { field: "c", bytes: half - 1 });
      expect(await fields()).toEqual(["c", "b", "a"]);
      expect(await under.store.rejectedEvents.get("shop", id)).toMatchObject({ event: null, replayedAs: "e1" });
    });

    it("does not bring back an evicted event", async () => {
      const one = { ...rejected(), rejectedId: "000000000007" };
      await under.store.unitOfWork.run("shop", (tx) => tx.rejectedEvents.replace(one));
      expect(await fields()).toEqual([]);
    });

    it("is empty for an app that was deleted and created again", async () => {
      await under.store.apps.create(app("shop"));
      await add("shop", { field: "a" });
      await under.store.apps.delete("shop");
      await under.store.apps.create(app("shop"));
      expect(await fields()).toEqual([]);
      expect(await add("shop", { field: "b" })).toEqual(["000000000000"]);
    });
  });
}
