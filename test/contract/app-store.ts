import { describe, expect, it } from "vitest";
import type { App } from "../../src/domain/app.js";
import { Conflict, NotFound } from "../../src/domain/errors.js";
import type { FrameVariant } from "../../src/domain/frame.js";
import { INSTALLATION } from "../../src/domain/ids.js";
import { deleteFrame, putApp, putFrame } from "../fixtures/put-records.js";
import { gather, type OpenStore, useStore } from "./open-store.js";
import {
  app,
  change,
  contact,
  event,
  exposure,
  frame,
  frameTally,
  fullFrame,
  model,
  order,
  pointer,
  product,
  variant,
  view,
  visitor,
} from "./samples.js";

export function appStoreContract(name: string, open: OpenStore): void {
  describe(`app store: ${name}`, () => {
    const under = useStore(open);

    /** Something of every kind in the app. */
    const furnish = async (appId: string) => {
      const { store } = under;
      await putFrame(store, appId, frame("f1"));
      await store.unitOfWork.run(appId, (tx) => {
        tx.events.put("e1", event("e1"));
        tx.idempotency.put("i1", { eventId: "e1", bodyHash: "h", claimedAt: under.at });
        tx.visitors.put("v1", visitor("v1"));
        tx.visitorKeys.put("c:1", "v1");
        tx.contacts.put("k1", contact("k1"));
        tx.contactKeys.put("e:a@b.de", "k1");
        tx.changes.put("c1", change("c1", "k1"));
        tx.products.put("p1", product("p1", { sku: "s1" }));
        tx.orders.put("o1", order("o1"));
        tx.frameTallies.put("f1/2026-01-15/a", frameTally());
        tx.frameExposures.put("c:1", exposure());
        tx.dueResults.put("e1", "");
        tx.putInteraction("v1", view(1));
        tx.markChanged();
      });
      await store.models.put(appId, model("m1", Buffer.from("bytes")), [Buffer.from("bytes")]);
      await store.models.setPointer(appId, () => pointer("m1", "2026011512"));
    };

    /** All that can be read of the app. */
    const read = async (appId: string) => {
      const { store } = under;
      return {
        app: await store.apps.get(appId),
        frames: await store.apps.listFrames(appId, "", 10),
        versions: await store.apps.frameVersions(appId, "f1"),
        tallies: await store.copies.scan(appId, "frameTallies", "", 10),
        exposures: await store.copies.scan(appId, "frameExposures", "", 10),
        due: await store.copies.scan(appId, "dueResults", "", 10),
        events: await store.events.list(appId, "", 10, false),
        idempotency: await store.unitOfWork.run(appId, (tx) => tx.idempotency.get("i1")),
        visitors: await store.visitors.find(appId, ["c:1"]),
        contact: await store.contacts.find(appId, "e:a@b.de"),
        changes: await store.contacts.changes(appId, "k1", "", 10),
        products: await store.products.list(appId, "", 10),
        bySku: await store.products.getBySku(appId, "s1"),
        orders: await gather(store.orders.scan(appId)),
        interactions: await store.interactions.recent(appId, ["v1"], 10),
        models: await store.models.list(appId),
        bytes: await store.models.read(appId, "m1"),
        pointer: await store.models.pointer(appId),
        activity: await store.models.activity(appId),
      };
    };

    it("returns an app as it was created", async () => {
      const full = app("shop", {
        displayName: "Läden & Söhne",
        allowedOrigins: ["https://a.example", "https://b.example"],
        privacy: { signals: "gpc_and_dnt", retentionDays: 400, rejectedRetentionDays: 7 },
        createdAt: 5,
        updatedAt: 6,
      });
      expect(await under.store.apps.create(full)).toBe(true);
      expect(await under.store.apps.get("shop")).toEqual(full);
      expect(await under.store.apps.get("sho")).toBeUndefined();
    });

    it("creates an id once, also for two concurrent calls", async () => {
      const made = await Promise.all([
        under.store.apps.create(app("shop", { displayName: "first" })),
        under.store.apps.create(app("shop", { displayName: "second" })),
      ]);
      expect(made).toEqual([true, false]);
      expect(await under.store.apps.create(app("shop", { displayName: "third" }))).toBe(false);
      expect((await under.store.apps.get("shop"))?.displayName).toBe("first");
    });

    it("writes a claim together with the app, and none when the id is taken", async () => {
      const { apps, unitOfWork } = under.store;
      const claimed = (bodyHash: string) => ({ key: "r", claim: { eventId: "", bodyHash, claimedAt: under.at } });
      const kept = () => unitOfWork.run("shop", (tx) => tx.idempotency.get("r"));
      expect(await apps.create(app("shop"), claimed("first"))).toBe(true);
      expect(await apps.create(app("shop"), claimed("second"))).toBe(false);
      expect(await kept()).toMatchObject({ bodyHash: "first", claimedAt: under.at, answer: "" });
      await apps.delete("shop");
      expect(await kept()).toBeUndefined();
    });

    it("keeps claims and answers of the installation apart from those of every app", async () => {
      const { apps, unitOfWork } = under.store;
      const claim = { eventId: "plan", bodyHash: "h", claimedAt: under.at, answer: "sealed" };
      await apps.create(app("shop"));
      await unitOfWork.run(INSTALLATION, (tx) => tx.idempotency.put("r", claim));
      const kept = (owner: string) => unitOfWork.run(owner, (tx) => tx.idempotency.get("r"));
      expect(await kept(INSTALLATION)).toMatchObject(claim);
      expect(await kept("shop")).toBeUndefined();
      expect((await apps.list("", 10)).map(({ appId }) => appId)).toEqual(["shop"]);
    });

    it("lists apps in order of ids", async () => {
      for (const id of ["b", "a-1", "a", "c", "A"]) await under.store.apps.create(app(id));
      const ids = async (after: string, limit: number) =>
        (await under.store.apps.list(after, limit)).map((one) => one.appId);
      expect(await ids("", 10)).toEqual(["A", "a", "a-1", "b", "c"]);
      expect(await ids("a", 2)).toEqual(["a-1", "b"]);
      expect(await ids("c", 2)).toEqual([]);
    });

    it("updates an existing app, and no other", async () => {
      await under.store.apps.create(app("shop"));
      await putApp(under.store, app("shop", { displayName: "New" }));
      expect((await under.store.apps.get("shop"))?.displayName).toBe("New");
      await expect(putApp(under.store, app("none"))).rejects.toThrow(NotFound);
      expect(await under.store.apps.get("none")).toBeUndefined();
    });

    it("shows a work the current app", async () => {
      const displayName = () => under.store.unitOfWork.run("shop", (tx) => tx.app()?.displayName);
      expect(await displayName()).toBeUndefined();
      await under.store.apps.create(app("shop", { displayName: "Shop" }));
      expect(await displayName()).toBe("Shop");
    });

    it("keeps frame configurations by app", async () => {
      const written = fullFrame("f1");
      const full = { ...written, experimentAt: written.updatedAt };
      await putFrame(under.store, "shop", written);
      await putFrame(under.store, "shop", frame("f0"));
      await putFrame(under.store, "shop-2", frame("f2"));
      expect(await under.store.apps.getFrame("shop", "f1")).toEqual(full);
      expect(await under.store.apps.getFrame("shop", "f2")).toBeUndefined();
      expect(await under.store.apps.listFrames("shop", "", 10)).toEqual([frame("f0"), full]);
      expect(await under.store.apps.listFrames("shop", "f0", 10)).toEqual([full]);
      expect(await deleteFrame(under.store, "shop", "f1", 12)).toBe(true);
      expect(await deleteFrame(under.store, "shop", "f1", 12)).toBe(false);
      expect(await under.store.apps.getFrame("shop", "f1")).toBeUndefined();
    });

    it("keeps the versions of a frame, also of one that was deleted and created again", async () => {
      const { apps } = under.store;
      const said = async () =>
        (await apps.frameVersions("shop", "f1")).map(({ frame: one, deleted }) => [one.version, one.title, deleted]);
      expect(await said()).toEqual([]);
      expect(await putFrame(under.store, "shop", frame("f1", { title: "first" }))).toEqual(
        frame("f1", { title: "first" }),
      );
      expect((await putFrame(under.store, "shop", frame("f1", { title: "second" }))).version).toBe(2);
      expect((await apps.getFrame("shop", "f1"))?.version).toBe(2);
      await deleteFrame(under.store, "shop", "f1", 12);
      expect((await putFrame(under.store, "shop", frame("f1", { title: "third" }))).version).toBe(4);
      expect(await said()).toEqual([
        [4, "third", false],
        [3, "second", true],
        [2, "second", false],
        [1, "first", false],
      ]);
      expect((await apps.frameVersions("shop", "f1"))[1]?.frame.updatedAt).toBe(12);
      expect(await apps.frameVersions("shop", "f")).toEqual([]);
      expect(await apps.frameVersions("shop-2", "f1")).toEqual([]);
    });

    it("begins an experiment with each change of a frame's variants but of their weights", async () => {
      const startOf = async (updatedAt: number, variants: readonly FrameVariant[]) =>
        (await putFrame(under.store, "shop", frame("f1", { updatedAt, variants }))).experimentAt;
      const two = [variant("a", 1), variant("b", 1, { diversity: 0.4 })];
      expect(await startOf(1, [])).toBe(0);
      expect(await startOf(2, two)).toBe(2);
      expect(await startOf(3, [variant("b", 5, { diversity: 0.4 }), variant("a", 0)])).toBe(2);
      expect(await startOf(4, [variant("a", 1), variant("b", 1, { diversity: 0.5 })])).toBe(4);
      expect(await startOf(5, [])).toBe(4);
      expect(await startOf(6, two)).toBe(6);
      await deleteFrame(under.store, "shop", "f1", 6);
      expect(await startOf(6, two)).toBe(7);
    });

    it("keeps concurrent additions to an app", async () => {
      await under.store.apps.create(app("shop"));
      const origins = Array.from({ length: 20 }, (_, n) => `https://${n}.example`);
      const add = (origin: string) =>
        under.store.unitOfWork.run("shop", (tx) => {
          const before = tx.app();
          if (before !== undefined) tx.putApp({ ...before, allowedOrigins: [...before.allowedOrigins, origin] });
        });
      await Promise.all(origins.map(add));
      expect((await under.store.apps.get("shop"))?.allowedOrigins).toEqual(origins);
    });

    it("numbers the versions of a frame that are written concurrently", async () => {
      const written = await Promise.all([1, 2, 3].map(() => putFrame(under.store, "shop", frame("f1"))));
      expect(written.map(({ version }) => version)).toEqual([1, 2, 3]);
    });

    it("removes an app only when the check passes", async () => {
      await under.store.apps.create(app("shop", { displayName: "Shop" }));
      const seen: string[] = [];
      const refuse = ({ displayName }: App) => {
        seen.push(displayName);
        throw new Conflict("etag_mismatch", "no");
      };
      await expect(under.store.apps.delete("shop", refuse)).rejects.toThrow(Conflict);
      expect(seen).toContain("Shop");
      expect(await under.store.apps.get("shop")).toBeDefined();
    });

    it("keeps the newest 100 versions of a frame", async () => {
      const { apps } = under.store;
      for (let n = 0; n < 103; n++) await putFrame(under.store, "shop", frame("f1"));
      const versions = await apps.frameVersions("shop", "f1");
      expect(versions.map(({ frame: one }) => one.version)).toEqual(Array.from({ length: 100 }, (_, i) => 103 - i));
    });

    it("deletes an app with all its records and leaves others as they are", async () => {
      const others = ["sho", "shop-2", "shop_"];
      for (const appId of ["shop", ...others]) {
        await under.store.apps.create(app(appId));
        await furnish(appId);
      }
      const before = await Promise.all(others.map(read));
      expect(await under.store.apps.delete("shop")).toBe(true);
      expect(await read("shop")).toEqual({
        app: undefined,
        frames: [],
        versions: [],
        tallies: [],
        exposures: [],
        due: [],
        events: [],
        idempotency: undefined,
        visitors: [],
        contact: undefined,
        changes: [],
        products: [],
        bySku: undefined,
        orders: [],
        interactions: [],
        models: [],
        bytes: undefined,
        pointer: undefined,
        activity: "",
      });
      expect(await Promise.all(others.map(read))).toEqual(before);
      expect(await under.store.apps.delete("shop")).toBe(false);
    });

    it("gives an app created with a deleted id none of the old records", async () => {
      await under.store.apps.create(app("shop"));
      await furnish("shop");
      const [deleted, created] = await Promise.all([
        under.store.apps.delete("shop"),
        under.store.apps.create(app("shop", { displayName: "new" })),
      ]);
      expect([deleted, created]).toEqual([true, true]);
      expect(await read("shop")).toMatchObject({ app: { displayName: "new" }, events: [], products: [], models: [] });
      await furnish("shop");
      expect(await read("shop")).toMatchObject({ events: [event("e1")], models: [{ modelId: "m1" }] });
    });

    it("deletes an app of many records", async () => {
      await under.store.apps.create(app("shop"));
      await under.store.unitOfWork.run("shop", (tx) => {
        for (let n = 0; n < 5000; n++) tx.putInteraction(`v${n % 50}`, view(n));
      });
      await under.store.apps.delete("shop");
      expect(await gather(under.store.interactions.scan("shop"))).toEqual([]);
    });
  });
}
