import { describe, expect, it } from "vitest";
import { type OpenStore, useStore } from "./open-store.js";
import { model, pointer } from "./samples.js";

export function modelStoreContract(name: string, open: OpenStore): void {
  describe(`model store: ${name}`, () => {
    const under = useStore(open);

    const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
    const put = (appId: string, modelId: string, createdAt: number) =>
      under.store.models.put(appId, model(modelId, bytesOf(modelId), { createdAt }), [bytesOf(modelId)]);
    const ids = async (appId = "shop") => (await under.store.models.list(appId)).map((one) => one.modelId);

    it("returns a snapshot byte by byte, and its record as it was put", async () => {
      const bytes = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 2654435761) >>> 24);
      const record = model("m1", bytes, {
        createdAt: 5,
        trainingMs: 6,
        activity: "17",
        manifest: {
          formatNumber: 2,
          cutOff: 7,
          seed: 8,
          dataCounts: { events: 9, "unusual name": 0.5 },
          algorithms: [
            { name: "rules", included: true, reason: "", facts: { rules: 10 } },
            { name: "semantic", included: false, reason: "fewer than 10 products", facts: {} },
          ],
        },
      });
      await under.store.models.put("shop", record, [bytes]);
      expect(Buffer.compare(Buffer.concat((await under.store.models.read("shop", "m1")) ?? []), bytes)).toBe(0);
      expect(await under.store.models.list("shop")).toEqual([record]);
    });

    it("returns a snapshot in the pieces that were put, some of them empty", async () => {
      const bytes = Uint8Array.from({ length: 700_000 }, (_, i) => (i * 2654435761) >>> 24);
      const pieces = [0, 1, 300_000, 300_000, bytes.length, bytes.length].map((end, n, ends) =>
        bytes.subarray(ends[n - 1] ?? 0, end),
      );
      await under.store.models.put("shop", model("m1", bytes), pieces);
      const read = (await under.store.models.read("shop", "m1")) ?? [];
      expect(read.map(({ length }) => length)).toEqual(pieces.map(({ length }) => length));
      expect(Buffer.compare(Buffer.concat(read), bytes)).toBe(0);
    });

    it("accepts an empty snapshot", async () => {
      await under.store.models.put("shop", model("m0", new Uint8Array()), [new Uint8Array()]);
      expect(await under.store.models.read("shop", "m0")).toEqual([Buffer.alloc(0)]);
    });

    it("replaces a snapshot that is put again", async () => {
      await under.store.models.put("shop", model("m1", bytesOf("old")), [bytesOf("old")]);
      await under.store.models.put("shop", model("m1", bytesOf("newer")), [bytesOf("newer")]);
      expect(Buffer.concat((await under.store.models.read("shop", "m1")) ?? []).toString()).toBe("newer");
      expect(await ids()).toEqual(["m1"]);
    });

    it("serves a snapshot only when the pointer names it", async () => {
      await put("shop", "m1", 1);
      expect(await under.store.models.pointer("shop")).toBeUndefined();
      const to = {
        modelId: "m1",
        version: "2026011512",
        activatedAt: 3,
        usedVersions: ["2026011511", "2026011512"],
        isHeld: false,
      };
      await under.store.models.setPointer("shop", () => to);
      expect(await under.store.models.pointer("shop")).toEqual(to);
      expect(await under.store.models.pointer("shop-2")).toBeUndefined();
    });

    it("lists the newest first", async () => {
      await put("shop", "m2", 2);
      await put("shop", "m3", 3);
      await put("shop", "m1", 1);
      expect(await ids()).toEqual(["m3", "m2", "m1"]);
    });

    it("keeps apps apart", async () => {
      await put("shop", "m1", 1);
      expect(await ids("shop-2")).toEqual([]);
      expect(await under.store.models.read("shop-2", "m1")).toBeUndefined();
    });

    it("prunes all snapshots but the newest and the serving one", async () => {
      for (const n of [1, 2, 3, 4, 5]) await put("shop", `m${n}`, n);
      await put("shop-2", "m1", 1);
      await under.store.models.setPointer("shop", () => pointer("m2", "1"));
      await under.store.models.prune("shop", 2);
      expect(await ids()).toEqual(["m5", "m4", "m2"]);
      expect(await under.store.models.read("shop", "m1")).toBeUndefined();
      expect(await under.store.models.read("shop", "m2")).toBeDefined();
      expect(await ids("shop-2")).toEqual(["m1"]);
      await under.store.models.prune("shop", 5);
      expect(await ids()).toEqual(["m5", "m4", "m2"]);
    });

    it("changes the activity text with each work that marks a change, and no other", async () => {
      const activity = () => under.store.models.activity("shop");
      const mark = (appId: string) => under.store.unitOfWork.run(appId, (tx) => tx.markChanged());
      const seen = [await activity()];
      expect(seen).toEqual([""]);
      for (let n = 0; n < 5; n++) {
        await mark("shop");
        seen.push(await activity());
        await mark("shop-2");
        await under.store.unitOfWork.run("shop", () => undefined);
        const failing = under.store.unitOfWork.run("shop", (tx) => {
          tx.markChanged();
          throw new Error("on purpose");
        });
        await expect(failing).rejects.toThrow("on purpose");
        expect(await activity()).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(6);
    });
  });
}
