import { describe, expect, it } from "vitest";
import { gather, type OpenStore, useStore } from "./open-store.js";
import { order } from "./samples.js";

export function orderStoreContract(name: string, open: OpenStore): void {
  describe(`order store: ${name}`, () => {
    const under = useStore(open);

    const full = order("100", {
      visitorId: "v1",
      visitor: { clientId: "c", fingerprintId: "f", userId: "u" },
      contactId: "k1",
      lines: [
        { productId: "p1", quantity: 2 },
        { productId: "p2", quantity: 0.5 },
      ],
      status: "complete",
      statusAt: 5,
      payment: { amount: "149.90", currency: "EUR" },
      occurredAt: 6,
      cancelled: true,
      bot: true,
      vouched: true,
      sentFrom: "0a1b2c",
    });

    it("returns an order as it was recorded", async () => {
      await under.store.unitOfWork.run("shop", (tx) => tx.orders.put("100", full));
      expect(await under.store.orders.get("shop", "100")).toEqual(full);
      expect(await under.store.orders.get("shop", "10")).toBeUndefined();
      expect(await under.store.orders.get("shop-2", "100")).toBeUndefined();
    });

    it("scans all orders of the app in order of ids", async () => {
      const ids = Array.from({ length: 6000 }, (_, i) => String(i).padStart(5, "0"));
      await under.store.unitOfWork.run("shop", (tx) => {
        for (const id of ids) tx.orders.put(id, order(id));
      });
      await under.store.unitOfWork.run("shop-2", (tx) => tx.orders.put("1", order("1")));
      const found = await gather(under.store.orders.scan("shop"));
      expect(found.map((one) => one.orderId)).toEqual(ids);
      expect(await gather(under.store.orders.scan("sho"))).toEqual([]);
    });
  });
}
