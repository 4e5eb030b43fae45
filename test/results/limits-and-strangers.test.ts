import { describe, expect, it } from "vitest";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";
import { DAY_MS, openResultShop } from "./result-shop.js";

const stores = await storeKinds();
const PAID = { order_payment_value: "10", order_currency: "EUR" };
const MINUTE_MS = 60_000;
const AFTER_A_CLICK = "1 ordered; after a click 1 for 10.00 EUR; other 0";

describe("what is remembered of a visitor keeps", () => {
  it("a click on the first of 130 lists, and its order", async () => {
    const { list, send, told, now } = await openResultShop();
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 1000;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    now.at += 1000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    for (let n = 0; n < 130; n++) {
      if (n === 30) await told();
      now.at += 10 * MINUTE_MS;
      await list({ fpccid: "v1" });
    }
    expect(await told()).toContain(`1 clicked by 1 clicks, ${AFTER_A_CLICK}`);
  });

  it("an order between a list a day and 250 lists in an evening", async () => {
    const { list, send, told, now, writeFrameCounts } = await openResultShop();
    for (let day = 0; day < 16; day++) {
      await list({ fpccid: "v1" });
      now.at += DAY_MS;
      if (day === 8) await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    }
    for (let n = 0; n < 250; n++) {
      now.at += 90_000;
      await list({ fpccid: "v1" });
      if (n % 50 === 0) await writeFrameCounts();
    }
    expect(await told()).toContain("1 ordered; after a click 0; other 1 for 10.00 EUR");
  });

  it("a click before 101 views of another product, so that a cancellation leaves nothing", async () => {
    const { list, send, told, now } = await openResultShop();
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 1000;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    for (let n = 0; n < 101; n++) {
      now.at += 1000;
      await send("product_view", { fp_ccid: "v1", product_ids: "b", recommendation_id });
    }
    expect(await told()).toContain(`1 clicked by 2 clicks, ${AFTER_A_CLICK}`);
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    expect(await told()).toContain(`1 clicked by 2 clicks, ${AFTER_A_CLICK}`);
    await send("order_cancel", { fp_ccid: "v1", order_id: "o1" });
    expect(await told()).toContain("0 ordered; after a click 0; other 0");
  });

  it("one person of 24 keys, with each order once", async () => {
    const { list, shopSends, rpc, told, now } = await openResultShop();
    for (let n = 0; n < 12; n++) {
      const ids = { clientId: `c${n}`, fingerprintId: `v${n}`, userId: "u1" };
      await list({ cId: ids.clientId, fpccid: ids.fingerprintId });
      await rpc.events.recordEvent({ appId: "shop", event: { actionType: "homepage_view", visitor: ids } });
      now.at += 1000;
      await shopSends("order", `o${n}`, ids, { amount: "10" });
      now.at += DAY_MS;
    }
    expect(await told()).toBe(
      "12 answers, 1 visitors, 0 clicked by 0 clicks, 1 ordered; after a click 0; other 12 for 120.00 EUR",
    );
  });

  it("what was counted of a key that retention removes", async () => {
    const { list, send, rpc, told, now, sweepRetention } = await openResultShop();
    const app = { appId: "shop", privacy: { retention: { seconds: BigInt(30 * 86_400) } } };
    await rpc.apps.updateApp({ app, updateMask: { paths: ["privacy.retention"] } });
    await list({ cId: "c1" });
    await list({ fpccid: "v1" });
    await send("order", { c_id: "c1", order_id: "o1", ...PAID });
    await send("homepage_view", { c_id: "c1", fp_ccid: "v1" });
    now.at += 20 * DAY_MS;
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o2", ...PAID });
    expect(await told()).toContain("other 2 for 20.00 EUR");
    now.at += 15 * DAY_MS;
    await sweepRetention(() => undefined);
    await list({ fpccid: "v1" });
    expect(await told()).toContain("other 2 for 20.00 EUR");
  });
});

describe.each(stores)("persons and orders: $name", ({ openStore }) => {
  it("are one where an event names two ids that only had lists", async () => {
    const { list, send, told } = await openResultShop(openStore);
    await list({ cId: "c1" });
    await list({ fpccid: "v1" });
    expect(await told()).toContain("2 visitors");
    await send("homepage_view", { c_id: "c1", fp_ccid: "v1" });
    expect(await told()).toContain("1 visitors");
  });

  it("have a refund and a cancellation that come after 35 days with the order's own time", async () => {
    const { list, shopSends, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    now.at += 1000;
    const at = now.at;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    await shopSends("order", "o2", { fingerprintId: "v1" }, { amount: "10" });
    now.at += 35 * DAY_MS;
    await shopSends("order", "o1", {}, { amount: "4", currency: "", at });
    await shopSends("order_cancel", "o2", {}, { at });
    expect(await told()).toContain("other 1 for 4.00 EUR");
  });

  it("follow the click of the list that an order names, also where another copy is earlier", async () => {
    const { list, send, shopSends, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 2000;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    now.at += 2000;
    await send("order", { fp_ccid: "v1", order_id: "o1", product_ids: "a", recommendation_id, ...PAID });
    expect(await told()).toContain(`1 clicked by 1 clicks, ${AFTER_A_CLICK}`);
  });

  it("follow a click whose clock was three minutes ahead", async () => {
    const { list, send, shopSends, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 2000;
    await send("product_view", { fp_ccid: "v1", recommendation_id }, now.at + 3 * MINUTE_MS);
    now.at += MINUTE_MS;
    await shopSends("order", "o1", { fingerprintId: "v1" }, { amount: "10" });
    expect(await told()).toContain(`1 clicked by 1 clicks, ${AFTER_A_CLICK}`);
  });

  it("count 7 days from a click as well as from the list", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    const recommendation_id = await list({ fpccid: "v1" });
    now.at += 3 * DAY_MS;
    await send("product_view", { fp_ccid: "v1", recommendation_id });
    now.at += 5 * DAY_MS;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toContain(AFTER_A_CLICK);
  });
});

describe.each(stores)("an erasure of a visitor: $name", ({ openStore }) => {
  it("leaves nothing of the visitor in somebody else's order", async () => {
    const { send, rpc, store, list, writeFrameCounts } = await openResultShop(openStore);
    const order = { orderId: "o1", payment: { amount: "10", currency: "EUR" } };
    const contact = { email: "ann@x.example" };
    const event = { actionType: "order", contact, products: [{ productId: "d" }], order };
    await rpc.events.recordEvent({ appId: "shop", event });
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    await writeFrameCounts();
    expect((await store.orders.get("shop", "o1"))?.claimedBy).toEqual(["f:v1"]);
    await erased(rpc, "shop", { visitor: { fingerprintId: "v1" } });
    expect((await store.orders.get("shop", "o1"))?.claimedBy).toEqual([]);
    expect(await store.copies.scan("shop", "frameExposures", "", 10)).toEqual([]);
  });
});

describe.each(stores)("a stranger who guesses: $name", ({ openStore }) => {
  const OWN = "1 ordered; after a click 0; other 1 for 10.00 EUR";
  const evil = { fp_ccid: "evil", order_id: "o1", order_payment_value: "99999", order_currency: "EUR" };

  it("takes an order's time, payment and result from nobody, before it or after it", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    await send("order", evil);
    await list({ fpccid: "v1" });
    now.at += 2000;
    await send("order", { fp_ccid: "v1", order_id: "o1", ...PAID });
    expect(await told()).toContain(OWN);
    await send("order", { ...evil, fp_ccid: "evil2" }, now.at - 5 * DAY_MS);
    expect(await told()).toContain(OWN);
    await send("order_cancel", { fp_ccid: "evil", order_id: "o1" });
    expect(await told()).toContain(`1 visitors, 0 clicked by 0 clicks, ${OWN}`);
  });

  it("makes no visitors one by their order numbers", async () => {
    const { list, send, told, now } = await openResultShop(openStore);
    for (let n = 0; n < 5; n++) {
      await list({ fpccid: `v${n}` });
      now.at += 1000;
      await send("order", { fp_ccid: `v${n}`, order_id: `o${n}`, ...PAID });
      await send("order", { ...evil, order_id: `o${n}` });
    }
    expect(await told()).toContain(
      "5 visitors, 0 clicked by 0 clicks, 5 ordered; after a click 0; other 5 for 50.00 EUR",
    );
  });

  it("makes no visitors one by their user ids", async () => {
    const { listByRpc, send, told, now } = await openResultShop(openStore);
    for (let n = 0; n < 5; n++) {
      await listByRpc({ userId: `u${n}` });
      now.at += 1000;
      await send("product_view", { fp_ccid: "evil", user_id: `u${n}`, recommendation_id: "guessed" });
    }
    expect(await told()).toContain("5 visitors, 0 clicked by 0 clicks");
  });

  it("gives a signed order no payment that the shop did not send", async () => {
    const { list, send, rpc, shopSends, told, now } = await openResultShop(openStore);
    await rpc.apps.createSigningSecret({ appId: "shop" });
    await list({ fpccid: "v1" });
    now.at += 1000;
    await send("order", { ...evil, fp_ccid: "v1" });
    expect(await told()).toContain("0 ordered");
    await shopSends("order", "o1", { fingerprintId: "v1" });
    expect(await told()).toContain("1 ordered; after a click 0; other 1");
    expect(await told()).not.toContain("99999");
  });

  it.each([
    ["the first secret", 1],
    ["the second secret", 2],
    ["a secret that replaced the first", 3],
  ])("keeps an order of before signing when a browser posts it again after %s", async (_case, secrets) => {
    const { list, send, rpc, told, now } = await openResultShop(openStore);
    const paid = { fp_ccid: "v1", order_payment_value: "10", order_currency: "EUR" };
    await list({ fpccid: "v1" });
    await send("order", { ...paid, order_id: "o1" });
    const before = await told();
    expect(before).toContain("1 ordered; after a click 0; other 1 for 10.00 EUR");
    for (let n = 0; n < secrets; n++) {
      now.at += 1000;
      await rpc.apps.createSigningSecret({ appId: "shop", replaceOldest: true });
      await send("order", { ...paid, order_id: "o2" });
    }
    await send("order", { ...paid, order_id: "o1" });
    expect(await told()).toBe(before);
  });

  it("takes an order of before signing out when the shop cancels it after", async () => {
    const { list, send, shopSends, rpc, told, now } = await openResultShop(openStore);
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1" });
    expect(await told()).toContain("1 ordered");
    now.at += 1000;
    await rpc.apps.createSigningSecret({ appId: "shop" });
    await shopSends("order_cancel", "o1", {});
    expect(await told()).toContain("0 ordered");
  });

  it("takes no order for one of before signing after all secrets were removed and one was made", async () => {
    const { list, send, rpc, told, now } = await openResultShop(openStore);
    const made = await rpc.apps.createSigningSecret({ appId: "shop" });
    await rpc.apps.deleteSigningSecret({ appId: "shop", secretId: made.signingSecret?.secretId ?? "" });
    now.at += 1000;
    await rpc.apps.createSigningSecret({ appId: "shop" });
    await list({ fpccid: "v1" });
    await send("order", { fp_ccid: "v1", order_id: "o1" });
    expect(await told()).toContain("0 ordered");
  });
});
