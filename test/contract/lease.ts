import { describe, expect, it } from "vitest";
import { Conflict } from "../../src/domain/errors.js";
import type { Lease } from "../../src/store/ports/lease.js";
import { because, type OpenStore, START, type StoreLimits, useStore } from "./open-store.js";
import { model, pointer } from "./samples.js";

export function leasesContract(name: string, open: OpenStore, limits: StoreLimits = {}): void {
  describe(`leases: ${name}`, () => {
    const under = useStore(open);

    const take = async (holder: string, appId = "shop"): Promise<Lease> => {
      const lease = await under.store.leases.acquire(appId, holder, 1000);
      if (lease === undefined) throw new Error("The lease is held by another");
      return lease;
    };

    it("give the lease of an app to one of many concurrent callers", async () => {
      const asked = Array.from({ length: 20 }, (_, n) => under.store.leases.acquire("shop", `h${n}`, 1000));
      const given = (await Promise.all(asked)).filter((lease) => lease !== undefined);
      expect(given).toHaveLength(1);
    });

    it("keep the leases of two apps apart", async () => {
      await take("one", "shop");
      await expect(take("two", "other")).resolves.toMatchObject({ holder: "two" });
    });

    it("pass an expired lease to another caller, with a greater token", async () => {
      const first = await take("one");
      under.at = START + 999;
      expect(await under.store.leases.acquire("shop", "two", 1000)).toBeUndefined();
      under.at = START + 1000;
      expect((await take("two")).token).toBeGreaterThan(first.token);
    });

    it("measure the time from a renewal", async () => {
      const lease = await take("one");
      under.at = START + 900;
      expect(await under.store.leases.renew("shop", lease, 1000)).toBe(true);
      under.at = START + 1800;
      expect(await under.store.leases.acquire("shop", "two", 1000)).toBeUndefined();
    });

    it("do not renew a lease that another has taken, and do not release it", async () => {
      const lost = await take("one");
      under.at = START + 1000;
      await take("two");
      expect(await under.store.leases.renew("shop", lost, 1000)).toBe(false);
      await under.store.leases.release("shop", lost);
      expect(await under.store.leases.acquire("shop", "three", 1000)).toBeUndefined();
    });

    it("pass a released lease on at once, with a greater token", async () => {
      const first = await take("one");
      await under.store.leases.release("shop", first);
      expect((await take("two")).token).toBeGreaterThan(first.token);
    });

    it("survive a new opening of the store", async () => {
      const lease = await take("one");
      const again = await under.reopen();
      expect(await again.leases.acquire("shop", "two", 1000)).toBeUndefined();
      expect(await again.leases.renew("shop", lease, 1000)).toBe(true);
    });

    it("move the model pointer for the holder of a lease, and not for one who lost it", async () => {
      const bytes = Buffer.from("bytes");
      for (const id of ["m1", "m2", "m3"]) await under.store.models.put("shop", model(id, bytes), [bytes]);
      const lost = await take("one");
      await under.store.models.setPointer("shop", () => pointer("m1", "1"), lost);
      under.at = START + 1000;
      const held = await take("two");
      await expect(under.store.models.setPointer("shop", () => pointer("m2", "2"), lost)).rejects.toBeInstanceOf(
        Conflict,
      );
      expect(await under.store.models.pointer("shop")).toEqual(pointer("m1", "1"));
      await under.store.models.setPointer("shop", () => pointer("m3", "3"), held);
      expect(await under.store.models.pointer("shop")).toEqual(pointer("m3", "3"));
    });

    it("store a model for the holder of a lease, and not for one who lost it", async () => {
      const bytes = Buffer.from("bytes");
      const lost = await take("one");
      under.at = START + 1000;
      const held = await take("two");
      const put = (id: string, lease: Lease) =>
        under.store.models.put("shop", model(id, bytes), [bytes], undefined, lease);
      await expect(put("m1", lost)).rejects.toBeInstanceOf(Conflict);
      await put("m2", held);
      expect((await under.store.models.list("shop")).map(({ modelId }) => modelId)).toEqual(["m2"]);
      expect(await under.store.models.read("shop", "m1")).toBeUndefined();
    });

    describe.skipIf(limits.oneClock !== undefined)(`of a store by another clock${because(limits.oneClock)}`, () => {
      const TEN_MINUTES = 600_000;

      it("are not taken by a clock that is ahead while they are renewed", async () => {
        const ahead = await under.openSecond(() => under.at + TEN_MINUTES);
        const lease = await take("one");
        for (let n = 0; n < 5; n++) {
          expect(await ahead.leases.acquire("shop", "two", 1000)).toBeUndefined();
          under.at += 900;
          expect(await under.store.leases.renew("shop", lease, 1000)).toBe(true);
        }
      });

      it("are taken by a clock that is ahead or behind when they are no longer renewed", async () => {
        for (const apart of [TEN_MINUTES, -TEN_MINUTES]) {
          const other = await under.openSecond(() => under.at + apart);
          const lost = await take("one", `shop${apart}`);
          expect(await other.leases.acquire(`shop${apart}`, "two", 1000)).toBeUndefined();
          under.at += 999;
          expect(await other.leases.acquire(`shop${apart}`, "two", 1000)).toBeUndefined();
          under.at += 1;
          const taken = await other.leases.acquire(`shop${apart}`, "two", 1000);
          expect(taken?.token).toBeGreaterThan(lost.token);
          expect(await under.store.leases.renew(`shop${apart}`, lost, 1000)).toBe(false);
        }
      });

      it("are taken at once when a clock that is ahead has released them", async () => {
        const ahead = await under.openSecond(() => under.at + TEN_MINUTES);
        const lease = await ahead.leases.acquire("shop", "two", 1000);
        if (lease === undefined) throw new Error("The lease is held by another");
        await ahead.leases.release("shop", lease);
        expect((await take("one")).token).toBeGreaterThan(lease.token);
      });
    });
  });
}
