import { describe, expect, it } from "vitest";
import { storeKinds } from "../fixtures/stores.js";
import { DAY_MS, openResultShop } from "./result-shop.js";

const stores = await storeKinds();
const PAID = { order_payment_value: "10", order_currency: "EUR" };
const VARIANTS = {
  variants: [
    { name: "plain", weight: 1 },
    { name: "varied", weight: 0, diversity: 0.4 },
  ],
};
const OTHER_WEIGHTS = {
  variants: [
    { name: "plain", weight: 0 },
    { name: "varied", weight: 1, diversity: 0.4 },
  ],
};

describe.each(stores)("an order counts for the list that preceded it: $name", ({ openStore }) => {
  it("and not for the first list, a second later, of the page that thanks for it", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    now.at += 1000;
    await list({ fpccid: "v1" });
    expect(await told()).toBe("1 answers, 1 visitors, 0 clicked by 0 clicks, 0 ordered; after a click 0; other 0");
  });

  it("and not for that list when its event arrives after it", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const orderedAt = now.at;
    now.at += 1000;
    await list({ fpccid: "v1" });
    now.at += 3000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID }, orderedAt);
    expect(await told()).toContain("0 ordered");
  });

  it("also within the second whose beginning its sender gives as its time", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    now.at = Math.ceil(now.at / 1000) * 1000 + 300;
    await list({ fpccid: "v1" });
    now.at += 400;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID }, now.at - 700);
    expect(await told()).toContain("1 ordered; after a click 0; other 1 for 10.00 EUR");
  });

  it("at its earliest time: a copy of a later status makes no result of a later list", async () => {
    const { list, send, shopSends, told, now } = await openResultShop(openStore);
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    now.at += DAY_MS;
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 1000;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    now.at += 1000;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { status: "shipped" });
    await send("order", { fp_ccid: "v1", order_id: "o1", order_status: "shipped", ...PAID });
    expect(await told()).toBe("1 answers, 1 visitors, 1 clicked by 1 clicks, 0 ordered; after a click 0; other 0");
  });

  it("at its earliest time, also by a copy that arrives last", async () => {
    const { list, send, shopSends, told, now } = await openResultShop(openStore);
    const before = now.at;
    now.at += DAY_MS;
    await list({ fpccid: "v1" });
    now.at += 1000;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    expect(await told()).toContain("1 ordered");
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID }, before);
    expect(await told()).toContain("0 ordered; after a click 0; other 0");
  });

  it("at its earliest time, also where the shop's copy names only the address", async () => {
    const { list, send, rpc, told, now } = await openResultShop(openStore);
    await send("order", { fp_ccid: "v1", order_id: "o1", email: "ann@x.example", ...PAID });
    now.at += DAY_MS;
    await list({ fpccid: "v1" });
    now.at += 1000;
    const order = { orderId: "o1", status: "shipped", payment: { amount: "10", currency: "EUR" } };
    const contact = { email: "ann@x.example" };
    await rpc.events.recordEvent({
      appId: "shop",
      event: { actionType: "order", contact, products: [{ productId: "a" }], order },
    });
    expect(await told()).toContain("0 ordered");
  });
});

describe.each(stores)("an order and a person count once: $name", ({ openStore }) => {
  const ONCE = "1 visitors, 0 clicked by 0 clicks, 1 ordered; after a click 0; other 1 for 10.00 EUR";

  it("with lists under one id and under both", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    await list({ cId: "c1" });
    now.at += 1000;
    await list({ cId: "c1", fpccid: "v1" });
    now.at += 1000;
    await send("order", { c_id: "c1", fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
  });

  it("with lists under two ids that a later event names together", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    await list({ cId: "c1" });
    await list({ fpccid: "v1" });
    now.at += 1000;
    await send("order", { c_id: "c1", order_id: "o1", ...PAID });
    expect(await told()).toContain("2 answers, 2 visitors");
    await send("homepage_view", { c_id: "c1", fp_ccid: "v1" });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
  });

  it("with an order under one id, a list under the other, and an event with both at last", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ cId: "c1" });
    now.at += 1000;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toBe("1 answers, 1 visitors, 0 clicked by 0 clicks, 0 ordered; after a click 0; other 0");
    await send("homepage_view", { c_id: "c1", fp_ccid: "v1" });
    expect(await told()).toBe(
      "1 answers, 1 visitors, 1 clicked by 1 clicks, 1 ordered; after a click 1 for 10.00 EUR; other 0",
    );
  });

  it("with lists by RPC for a user id and for a browser of that user", async () => {
    const { listByRpc, shopSends, told, now } = await openResultShop(openStore);
    await listByRpc({ userId: "u1" });
    await listByRpc({ userId: "u1", fingerprintId: "v1" });
    now.at += 1000;
    await shopSends("order", "o1", { userId: "u1" }, { amount: "10" });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
  });

  it("with copies of a browser and of a server under other ids", async () => {
    const { list, listByRpc, send, shopSends, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await listByRpc({ userId: "u1" });
    now.at += 1000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await shopSends("order", "o1", { userId: "u1", fingerprintId: "v1" }, { amount: "10" });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
  });

  it.each([["nobody"], ["an address"], ["a user id"]])(
    "with the shop's copy that names %s, first or last",
    async (whom) => {
      for (const isFirst of [true, false]) {
        const { list, send, rpc, told, now } = await openResultShop(openStore);
        await list({ fpccid: "v1" });
        now.at += 1000;
        const named = {
          ...(whom === "an address" && { contact: { email: "ann@x.example" } }),
          ...(whom === "a user id" && { visitor: { userId: "u1" } }),
        };
        const order = { orderId: "o1", payment: { amount: "10", currency: "EUR" } };
        const event = { actionType: "order", products: [{ productId: "d" }], order, ...named };
        const shop = async () => void (await rpc.events.recordEvent({ appId: "shop", event }));
        const browser = () => send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
        for (const copy of isFirst ? [shop, browser] : [browser, shop]) await copy();
        expect(`${isFirst} ${await told()}`).toBe(`${isFirst} 1 answers, ${ONCE}`);
      }
    },
  );

  it("with copies of which each names another id", async () => {
    const { list, listByRpc, send, shopSends, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await listByRpc({ userId: "u1" });
    now.at += 1000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await told();
    await shopSends("order", "o1", { userId: "u1" }, { amount: "10" });
    expect(await told()).toMatch(/ 1 ordered; after a click 0; other 1 for 10\.00 EUR$/);
  });

  it.each([
    ["the address", "", { email: "ann@x.example" }, {}],
    ["the address, as the browser does", "", { email: "ann@x.example" }, { email: "ann@x.example" }],
    ["a user id", "u1", { user_id: "u1" }, {}],
    ["nobody", "", {}, {}],
  ])(
    "with an unsigned backend's copy first, that names %s, and its cancellation",
    async (_, userId, backend, browser) => {
      const { list, listByRpc, send, told, now } = await openResultShop(openStore);
      await list({ fpccid: "v1" });
      if (userId !== "") await listByRpc({ userId });
      const once = userId === "" ? ONCE : ONCE.replace("1 visitors", "2 visitors");
      const backendSends = (action: string) =>
        send(action, { sender_type: "server", order_id: "o1", ...PAID, ...backend }, 0, "198.51.100.7");
      now.at += 1000;
      await backendSends("order");
      now.at += 1000;
      await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID, ...browser });
      expect(await told()).toContain(once);
      await backendSends("order");
      expect(await told()).toContain(once);
      await backendSends("order_cancel");
      expect(await told()).toContain("0 ordered; after a click 0; other 0");
    },
  );

  it("with a split that begins between two copies, and with another split", async () => {
    const { list, send, shopSends, setFrame, told, toldByVariant, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    now.at += 1000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await setFrame(VARIANTS);
    now.at += 2000;
    await list({ fpccid: "v1" });
    now.at += 1000;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
    await setFrame(OTHER_WEIGHTS);
    now.at += 2000;
    await list({ fpccid: "v1" });
    now.at += 1000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toBe(`3 answers, ${ONCE}`);
    const nothing = "1 visitors, 0 clicked by 0 clicks, 0 ordered; after a click 0; other 0";
    expect(await toldByVariant()).toEqual([`plain: 1 answers, ${nothing}`, `varied: 1 answers, ${nothing}`]);
  });

  it("with 8 days between lists and copies", async () => {
    const { list, send, shopSends, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    now.at += 8 * DAY_MS;
    await list({ fpccid: "v1" });
    now.at += 1000;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    expect(await told()).toBe(`2 answers, ${ONCE}`);
  });

  it("with 30 orders that are sent again", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    for (let round = 0; round < 2; round++)
      for (let n = 0; n < 30; n++) {
        now.at += 1000;
        await send("order", { fp_ccid: "v1", order_id: `o${n}`, ...PAID });
      }
    expect(await told()).toContain("1 ordered; after a click 0; other 30 for 300.00 EUR");
  });

  it("with 250 orders that are sent again", async () => {
    const { list, rpc, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    const payment = { amount: "1", currency: "EUR" };
    for (let round = 0; round < 2; round++) {
      const events = Array.from({ length: 250 }, (_, n) => ({
        ...{ actionType: "order", visitor: { fingerprintId: "v1" }, products: [{ productId: "a" }] },
        ...{ order: { orderId: `o${n}`, payment }, eventTime: { seconds: BigInt(Math.ceil(now.at / 1000) + n + 1) } },
      }));
      now.at += 300_000;
      await rpc.events.recordEvents(batches(events));
      expect(await told()).toContain("other 250 for 250.00 EUR");
    }
  });
});

async function* batches<T>(events: readonly T[]) {
  for (let from = 0; from < events.length; from += 100) yield { appId: "shop", events: events.slice(from, from + 100) };
}

describe.each(stores)("what becomes known late corrects results: $name", ({ openStore }) => {
  it("a cancellation, after the exposure was replaced", async () => {
    const { list, send, setFrame, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await send("order", { fp_ccid: "v1", order_id: "o2", ...PAID });
    await setFrame(VARIANTS);
    now.at += 8 * DAY_MS;
    await list({ fpccid: "v1" });
    expect(await told()).toContain("1 ordered; after a click 0; other 2 for 20.00 EUR");
    await send("order_cancel", { fp_ccid: "v1", order_id: "o1" });
    expect(await told()).toContain("1 ordered; after a click 0; other 1 for 10.00 EUR");
    await send("order_cancel", { fp_ccid: "v1", order_id: "o2" });
    expect(await told()).toContain("0 ordered; after a click 0; other 0");
  });

  it("a lower amount by the shop, and none that a browser sends later", async () => {
    const { list, send, shopSends, told } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "7.5", status: "partly refunded" });
    expect(await told()).toContain("other 1 for 7.50 EUR");
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toContain("other 1 for 7.50 EUR");
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "0", status: "refunded" });
    expect(await told()).toContain("1 ordered; after a click 0; other 1 for 0.00 EUR");
  });

  it("a click that arrives after its order, and whose time is before it", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 10_000;
    const clickedAt = now.at;
    now.at += 60_000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toContain("after a click 0; other 1 for 10.00 EUR");
    now.at += 2 * DAY_MS;
    await send("product_view", { fp_ccid: "v1", recommendation_id }, clickedAt);
    expect(await told()).toContain("1 clicked by 1 clicks, 1 ordered; after a click 1 for 10.00 EUR; other 0");
  });

  it("but a click after the order leaves it an order without a click", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 10_000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    now.at += 10_000;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    expect(await told()).toContain("1 clicked by 1 clicks, 1 ordered; after a click 0; other 1 for 10.00 EUR");
  });

  it("the view of an order that named its answer first: both are one click", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 10_000;
    const clickedAt = now.at;
    now.at += 60_000;
    await send("order", { fp_ccid: "v1", order_id: "o1", product_ids: "b|a", recommendation_id, ...PAID });
    expect(await told()).toContain("1 clicked by 1 clicks, 1 ordered; after a click 1 for 10.00 EUR; other 0");
    await send("product_view", { fp_ccid: "v1", recommendation_id }, clickedAt);
    expect(await told()).toContain("1 clicked by 1 clicks, 1 ordered; after a click 1 for 10.00 EUR; other 0");
  });

  it("the shop's word that an order is somebody else's", async () => {
    const { list, send, shopSends, told } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toContain("1 ordered");
    await shopSends("order", "o1", { fingerprintId: "v2" }, { amount: "10" });
    expect(await told()).toContain("0 ordered; after a click 0; other 0");
  });
});

describe.each(stores)("an experiment: $name", ({ openStore }) => {
  it("that has the names of an earlier one is one of its own", async () => {
    const { list, send, setFrame, report, toldByVariant, now } = await openResultShop(openStore);
    const visitors = Array.from({ length: 20 }, (_, n) => `v${n}`);
    const all = async () => {
      for (const fpccid of visitors) {
        const recommendation_id = await list({ fpccid });
        now.at += 100;
        await send("product_view", { fp_ccid: fpccid, recommendation_id });
      }
    };
    await setFrame({ ...VARIANTS, includeViewed: true });
    await all();
    await setFrame();
    await setFrame({ ...VARIANTS, includeViewed: true });
    await all();
    const twenty = "plain: 20 answers, 20 visitors, 20 clicked by 20 clicks, 0 ordered; after a click 0; other 0";
    const nobody = "varied: 0 answers, 0 visitors, 0 clicked by 0 clicks, 0 ordered; after a click 0; other 0";
    expect(await toldByVariant()).toEqual([twenty, nobody, twenty]);
    const { variants, total } = await report();
    expect(variants.map(({ isRunning }) => isRunning)).toEqual([true, true, false]);
    expect(new Set(variants.map(({ experimentStartTime }) => experimentStartTime?.seconds)).size).toBe(2);
    expect(total?.visitorCount).toBe(20);
  });

  it("goes on with other weights, and begins anew with other settings", async () => {
    const { list, setFrame, toldByVariant } = await openResultShop(openStore);
    await setFrame(VARIANTS);
    await list({ fpccid: "v1" });
    await setFrame({ variants: VARIANTS.variants.map((variant) => ({ ...variant, weight: 1 })) });
    expect((await toldByVariant())[0]).toContain("plain: 1 answers, 1 visitors");
    expect(await toldByVariant()).toHaveLength(2);
    await setFrame({ variants: [VARIANTS.variants[0]!, { ...VARIANTS.variants[1]!, diversity: 0.5 }] });
    expect((await toldByVariant())[0]).toContain("plain: 0 answers, 0 visitors");
    expect(await toldByVariant()).toHaveLength(3);
  });
});

describe.each(stores)("revenue: $name", ({ openStore }) => {
  it("adds up eur and EUR, and tells orders without a currency from orders without a payment", async () => {
    const { list, send, told } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", order_payment_value: "1", order_currency: "eur" });
    await send("order", { fp_ccid: "v1", order_id: "o2", order_payment_value: "2", order_currency: "EUR" });
    await send("order", { fp_ccid: "v1", order_id: "o3", order_payment_value: "4" });
    await send("order", { fp_ccid: "v1", order_id: "o4" });
    expect(await told()).toContain("other 1 + 2 for 3.00 EUR + 1 for 4.00");
  });
});

describe.each(stores)("an order of a history that is imported: $name", ({ openStore }) => {
  it("is not due, but for a visitor who was shown a list", async () => {
    const { list, shopSends, store, now, writeFrameCounts } = await openResultShop(openStore);
    const due = async () => (await store.copies.scan("shop", "dueResults", "", 10)).length;
    const at = now.at - 31 * DAY_MS;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10", at });
    expect(await due()).toBe(0);
    await list({ fpccid: "v1" });
    await writeFrameCounts();
    await shopSends("order", "o2", { fingerprintId: "v1" }, { amount: "10", at });
    expect(await due()).toBe(1);
  });
});

describe.each(stores)("a process that is killed: $name", ({ openStore }) => {
  it("loses no click and no order that it has acknowledged", async () => {
    const { list, send, shopSends, told, reportOfAnother, now } = await openResultShop(openStore);
    for (let n = 0; n < 5; n++) {
      const recommendation_id = await list({ fpccid: `v${n}` });
      now.at += 100;
      await send("product_view", { fp_ccid: `v${n}`, recommendation_id });
      await send("order", { fp_ccid: `v${n}`, order_id: `o${n}`, ...PAID });
    }
    await shopSends("order_cancel", "o4", {});
    const all = "5 answers, 5 visitors, 5 clicked by 5 clicks, 4 ordered; after a click 4 for 40.00 EUR; other 0";
    expect(await reportOfAnother()).toBe(all);
    expect(await told()).toBe(all);
  });
});
