import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Interaction, VisitorHistory } from "../../src/domain/interaction.js";
import { RUNS } from "../fixtures/runs.js";
import { byCodePoints, gather, type OpenStore, useStore } from "./open-store.js";
import { anyId, anyInteraction, view } from "./samples.js";

export function interactionStoreContract(name: string, open: OpenStore): void {
  describe(`interaction store: ${name}`, () => {
    const under = useStore(open);

    const record = (appId: string, visitorId: string, interactions: readonly Interaction[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const one of interactions) tx.putInteraction(visitorId, one);
      });

    it("returns the newest interactions first", async () => {
      await record("shop", "v1", [view(3), view(1), view(2)]);
      expect(await under.store.interactions.recent("shop", ["v1"], 10)).toEqual([view(3), view(2), view(1)]);
      expect(await under.store.interactions.recent("shop", ["v1"], 2)).toEqual([view(3), view(2)]);
      expect(await under.store.interactions.recent("shop", ["v1"], 0)).toEqual([]);
    });

    it("merges the histories of several visitor ids", async () => {
      await record("shop", "v1", [view(1), view(4), view(5)]);
      await record("shop", "v2", [view(2), view(3), view(6)]);
      await record("shop", "v3", [view(7)]);
      const recent = await under.store.interactions.recent("shop", ["v1", "v2", "v1"], 4);
      expect(recent.map((one) => one.at)).toEqual([6, 5, 4, 3]);
    });

    it("keeps two interactions of one time apart by their refs", async () => {
      await record("shop", "v1", [view(1, "a"), view(1, "b")]);
      const recent = await under.store.interactions.recent("shop", ["v1"], 10);
      expect(recent.map((one) => one.ref).sort()).toEqual(["a", "b"]);
    });

    it("replaces the interaction with the same time and ref", async () => {
      const replacement: Interaction = { type: "order", at: 1, productIds: ["x", "y"], ref: "order:1" };
      await record("shop", "v1", [view(1, "order:1"), replacement]);
      expect(await under.store.interactions.recent("shop", ["v1"], 10)).toEqual([replacement]);
    });

    it("forgets a deleted interaction", async () => {
      await record("shop", "v1", [view(1), view(2)]);
      await under.store.unitOfWork.run("shop", (tx) => {
        tx.deleteInteraction("v1", 1, "e1");
        tx.deleteInteraction("v1", 2, "another");
      });
      expect(await under.store.interactions.recent("shop", ["v1"], 10)).toEqual([view(2)]);
    });

    it("shows an app and a visitor nothing of others with similar ids", async () => {
      await record("shop", "v1", [view(1)]);
      await record("shop", "v11", [view(2)]);
      await record("shop-2", "v1", [view(3)]);
      expect(await under.store.interactions.recent("shop", ["v1"], 10)).toEqual([view(1)]);
      expect(await under.store.interactions.recent("shop", ["v"], 10)).toEqual([]);
      expect(await gather(under.store.interactions.scan("sho"))).toEqual([]);
      expect(await gather(under.store.interactions.scan("shop-2"))).toEqual([
        { visitorId: "v1", interactions: [view(3)] },
      ]);
    });

    it("scans whole histories, each visitor once, also beyond one batch", async () => {
      const long = Array.from({ length: 7000 }, (_, i) => view(i + 1));
      await record("shop", "long", long);
      for (let v = 0; v < 40; v++) {
        await record("shop", `v${String(v).padStart(2, "0")}`, long.slice(0, 150));
      }
      const histories = await gather(under.store.interactions.scan("shop"));
      expect(histories).toHaveLength(41);
      expect(histories[0]).toEqual({ visitorId: "long", interactions: long });
      for (const history of histories.slice(1)) expect(history.interactions).toEqual(long.slice(0, 150));
    });

    it("scans and returns what a list sorted by time and ref holds", async () => {
      const writes = fc.array(fc.tuple(anyId, anyInteraction, fc.boolean()), { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(writes, async (all) => {
          const appId = `app${under.at++}`;
          const expected = new Map<string, Map<string, Interaction>>();
          await under.store.unitOfWork.run(appId, (tx) => {
            for (const [visitorId, one, deleted] of all) {
              const rows = expected.get(visitorId) ?? new Map<string, Interaction>();
              expected.set(visitorId, rows);
              tx.putInteraction(visitorId, one);
              rows.set(`${one.at} ${one.ref}`, one);
              if (!deleted) continue;
              tx.deleteInteraction(visitorId, one.at, one.ref);
              rows.delete(`${one.at} ${one.ref}`);
            }
          });
          const histories = historiesOf(expected);
          expect(await gather(under.store.interactions.scan(appId))).toEqual(histories);
          const ids = histories.map((history) => history.visitorId);
          const merged = histories.flatMap((history) => history.interactions).map((one) => one.at);
          const recent = await under.store.interactions.recent(appId, ids, 5);
          expect(recent.map((one) => one.at)).toEqual(merged.sort((a, b) => b - a).slice(0, 5));
        }),
        { numRuns: RUNS.some },
      );
    });
  });
}

function historiesOf(expected: ReadonlyMap<string, ReadonlyMap<string, Interaction>>): VisitorHistory[] {
  return [...expected]
    .filter(([, rows]) => rows.size > 0)
    .sort(([a], [b]) => byCodePoints(a, b))
    .map(([visitorId, rows]) => ({
      visitorId,
      interactions: [...rows.values()].sort((a, b) => a.at - b.at || byCodePoints(a.ref, b.ref)),
    }));
}
