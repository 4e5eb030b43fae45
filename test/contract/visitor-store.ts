import { describe, expect, it } from "vitest";
import type { Visitor } from "../../src/domain/visitor.js";
import { type OpenStore, useStore } from "./open-store.js";
import { visitor } from "./samples.js";

export function visitorStoreContract(name: string, open: OpenStore): void {
  describe(`visitor store: ${name}`, () => {
    const under = useStore(open);

    const record = (appId: string, visitors: readonly Visitor[]) =>
      under.store.unitOfWork.run(appId, (tx) => {
        for (const one of visitors) {
          tx.visitors.put(one.visitorId, one);
          for (const key of one.keys) tx.visitorKeys.put(key, one.visitorId);
        }
      });

    const full = visitor("v1", {
      keys: ["c:1", "f:1", "u:ä"],
      members: ["v1", "v0"],
      contactId: "k1",
      linkedAt: 5,
      createdAt: 6,
    });

    it("returns a visitor as it was recorded, by any of its keys", async () => {
      await record("shop", [full]);
      for (const key of full.keys) expect(await under.store.visitors.find("shop", [key])).toEqual([full]);
    });

    it("returns each visitor once, in the order of the keys", async () => {
      const other = visitor("v0", { keys: ["c:2"] });
      await record("shop", [full, other]);
      expect(await under.store.visitors.find("shop", ["c:2", "u:ä", "f:1", "c:2"])).toEqual([other, full]);
      expect(await under.store.visitors.find("shop", ["c:1", "c:2"])).toEqual([full, other]);
    });

    it("skips keys without a visitor", async () => {
      await record("shop", [full]);
      expect(await under.store.visitors.find("shop", ["c:9", "c:1", "c:"])).toEqual([full]);
      expect(await under.store.visitors.find("shop", ["1"])).toEqual([]);
      expect(await under.store.visitors.find("shop", [])).toEqual([]);
    });

    it("returns visitors by their ids, in order, as far as they are there", async () => {
      const other = visitor("v0", { keys: ["c:2"] });
      await record("shop", [full, other]);
      expect(await under.store.visitors.get("shop", ["v1", "v9", "v0"])).toEqual([full, other]);
      expect(await under.store.visitors.get("shop", [])).toEqual([]);
      expect(await under.store.visitors.get("other", ["v1"])).toEqual([]);
    });

    it("skips keys of a visitor that is gone", async () => {
      await record("shop", [full]);
      await under.store.unitOfWork.run("shop", (tx) => tx.visitors.delete("v1"));
      expect(await under.store.visitors.find("shop", ["c:1"])).toEqual([]);
    });

    it("finds no visitor by the keys of another app", async () => {
      await record("shop", [full]);
      expect(await under.store.visitors.find("shop-2", full.keys)).toEqual([]);
    });
  });
}
