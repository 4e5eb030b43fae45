import { describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.js";
import { appStoreContract } from "./app-store.js";
import { contactStoreContract } from "./contact-store.js";
import { copiesContract } from "./copies.js";
import { eventPositionsContract } from "./event-positions.js";
import { eventStoreContract } from "./event-store.js";
import { feedStoreContract } from "./feed-store.js";
import { hookStoreContract } from "./hook-store.js";
import { interactionStoreContract } from "./interaction-store.js";
import { leasesContract } from "./lease.js";
import { modelStoreContract } from "./model-store.js";
import { type OpenStore, type StoreLimits, useStore } from "./open-store.js";
import { orderStoreContract } from "./order-store.js";
import { productStoreContract } from "./product-store.js";
import { rejectedEventStoreContract } from "./rejected-event-store.js";
import { app, event, model, pointer, product, view } from "./samples.js";
import { unitOfWorkContract } from "./unit-of-work.js";
import { visitorStoreContract } from "./visitor-store.js";

/** The suites of all ports, and what holds for the store as a whole. */
export function storeContract(name: string, open: OpenStore, limits: StoreLimits = {}): void {
  describe(`store: ${name}`, () => {
    const under = useStore(open);

    it("is ready once it is open, and rejects works once it is closed", async () => {
      await expect(under.store.ready()).resolves.toBeUndefined();
      const { store } = under;
      await store.close();
      await expect(store.ready()).rejects.toBeInstanceOf(Unavailable);
      await expect(store.unitOfWork.run("shop", () => 1)).rejects.toBeInstanceOf(Unavailable);
      await expect(store.events.get("shop", "e1")).rejects.toBeInstanceOf(Unavailable);
    });

    it("completes the works under way before it closes", async () => {
      const works = Array.from({ length: 50 }, (_, n) =>
        under.store.unitOfWork.run("shop", (tx) => tx.events.put(`e${n}`, event(`e${n}`))),
      );
      await under.store.close();
      await Promise.all(works);
      const again = await under.reopen();
      expect(await again.events.list("shop", "", 100, false)).toHaveLength(50);
    });

    it("has the same records after it is opened again", async () => {
      const bytes = new Uint8Array([1, 2, 3]);
      await under.store.apps.create(app("shop"));
      await under.store.unitOfWork.run("shop", (tx) => {
        tx.events.put("e1", event("e1"));
        tx.products.put("p1", product("p1", { sku: "s1" }));
        tx.putInteraction("v1", view(5));
        tx.markChanged();
      });
      await under.store.models.put("shop", model("m1", bytes), [bytes]);
      await under.store.models.setPointer("shop", () => pointer("m1", "1"));
      const activity = await under.store.models.activity("shop");
      const again = await under.reopen();
      expect(await again.apps.get("shop")).toEqual(app("shop"));
      expect(await again.events.get("shop", "e1")).toEqual(event("e1"));
      expect(await again.products.getBySku("shop", "s1")).toEqual(product("p1", { sku: "s1" }));
      expect(await again.interactions.recent("shop", ["v1"], 5)).toEqual([view(5)]);
      expect(await again.models.read("shop", "m1")).toEqual([Buffer.of(1, 2, 3)]);
      expect(await again.models.pointer("shop")).toEqual(pointer("m1", "1"));
      expect(await again.models.activity("shop")).toBe(activity);
    });
  });

  appStoreContract(name, open);
  contactStoreContract(name, open);
  hookStoreContract(name, open);
  feedStoreContract(name, open);
  copiesContract(name, open);
  eventStoreContract(name, open);
  eventPositionsContract(name, open, limits);
  interactionStoreContract(name, open);
  leasesContract(name, open, limits);
  modelStoreContract(name, open);
  orderStoreContract(name, open);
  productStoreContract(name, open, limits);
  rejectedEventStoreContract(name, open);
  unitOfWorkContract(name, open);
  visitorStoreContract(name, open);
}
