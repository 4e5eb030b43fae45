import { describe, expect, it } from "vitest";
import { PrivacySignals } from "../../../src/gen/aisle/v1/app_pb.js";
import { COPIED_TABLES } from "../../../src/store/ports/copies.js";
import { openAisle } from "../../fixtures/aisle.js";
import { storeKinds } from "../../fixtures/stores.js";
import { type Aisle, MAJA, NAMES_OF_MAJA } from "./person.js";

const stores = await storeKinds();

const GPC = { "sec-gpc": "1" };
const DNT = { dnt: "1" };

async function post(aisle: Aisle, form: Record<string, string>, headers: Record<string, string>): Promise<string> {
  const answer = await aisle.facade.inject({
    method: "POST",
    url: "/trace",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    payload: new URLSearchParams({ app_id: "shop", ...form }).toString(),
  });
  expect(answer.statusCode).toBe(200);
  return String(answer.headers["x-service-event-id"]);
}

async function namesIn({ store }: Aisle): Promise<string[]> {
  const rows = [];
  for (const table of COPIED_TABLES) rows.push(...(await store.copies.scan("shop", table, "", 1000)));
  const text = JSON.stringify(rows).toLowerCase();
  return NAMES_OF_MAJA.filter((name) => text.includes(name.toLowerCase()));
}

describe.each(stores)("privacy signals of a browser: $name", ({ openStore }) => {
  const openShop = async (signals: PrivacySignals) => {
    const aisle = await openAisle(openStore);
    await aisle.rpc.apps.createApp({ app: { appId: "shop", learnedAfterVisitors: 1, privacy: { signals } } });
    return aisle;
  };
  const ids = { c_id: MAJA.c_id, fp_ccid: MAJA.fp_ccid, user_id: MAJA.user_id };
  const view = { action_type: "product_view", product_ids: "p1", ...ids, note_of_shop: "Mustermaja" };

  it("store an event without its sender, and create no visitor", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    const eventId = await post(aisle, { ...view, email: MAJA.email, last_name: "Mustermaja" }, GPC);
    expect(await namesIn(aisle)).toEqual([]);
    const { event } = await aisle.rpc.events.getEvent({ appId: "shop", eventId });
    expect(event?.products.map(({ productId }) => productId)).toEqual(["p1"]);
    expect(event?.notes).toEqual([expect.stringContaining("asks for no profile")]);
    expect(await aisle.store.copies.scan("shop", "visitors", "", 10)).toEqual([]);
    expect(await aisle.store.copies.scan("shop", "interactions", "", 10)).toHaveLength(1);
    expect(aisle.metrics.counts.get("events_without_profile")).toBe(1);
  });

  it("keep neither the text of a search nor an address with a query", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    const urls = "https://a.example/p?mail=maja.muster@example.com|https://a.example/q";
    const form = {
      action_type: "search_query",
      search_query: "gift for Mustermaja",
      product_ids: "p1|p2",
      product_urls: urls,
    };
    const eventId = await post(aisle, form, GPC);
    expect(await namesIn(aisle)).toEqual([]);
    const { event } = await aisle.rpc.events.getEvent({ appId: "shop", eventId });
    expect(event?.products.map(({ url }) => url)).toEqual(["", "https://a.example/q"]);
  });

  it("keep no text that holds an e-mail address", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    const said = `of ${MAJA.email}`;
    const texts = { coupon: said, platform: said, platform_version: said, version: said, order_status: said };
    const order = { action_type: "order", order_id: "o1", order_payment_value: "5", order_currency: "EUR" };
    const products = { product_ids: "p1|p2", product_titles: `${said}|Tent`, product_skus: `${MAJA.email}|s2` };
    const escaped = { product_brand_names: "maja.muster%40example.com|Northfold" };
    const eventId = await post(aisle, { ...order, ...texts, ...products, ...escaped }, GPC);
    await post(aisle, { action_type: MAJA.email, product_ids: `${MAJA.email}|p1` }, GPC);
    expect(await namesIn(aisle)).toEqual([]);
    const { event } = await aisle.rpc.events.getEvent({ appId: "shop", eventId });
    expect(event?.order).toMatchObject({ orderId: "o1", coupon: "", payment: { amount: "5", currency: "EUR" } });
    expect(event?.products.map(({ title, sku }) => [title, sku])).toEqual([
      ["", ""],
      ["Tent", "s2"],
    ]);
  });

  it("keep the evidence of a subscription in its ledger entry", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    const consent = {
      consent_text: "Yes. Withdraw at mail@shop.example.",
      consent_place: "https://shop.example/footer",
    };
    await post(aisle, { action_type: "subscribe", email: MAJA.email, ...consent, note_of_shop: "Mustermaja" }, GPC);
    const ledger = JSON.stringify(await aisle.store.copies.scan("shop", "changes", "", 10));
    expect(ledger).toContain(consent.consent_text);
    expect(ledger).toContain(consent.consent_place);
    expect(await namesIn(aisle)).toEqual(["maja.muster", "Maja.Muster"]);
  });

  it("subscribe nobody by a status that says neither yes nor no", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    await post(aisle, { action_type: "subscribe", email: MAJA.email, subscriber_status: "nie" }, GPC);
    const { contact } = await aisle.rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    expect(contact?.emailState).not.toBe(2);
  });

  it("let a person subscribe by address, and link the browser to no one", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    await post(aisle, { action_type: "Subscribe", ...ids, email: MAJA.email, last_name: "Mustermaja" }, GPC);
    const { contact } = await aisle.rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    expect(contact).toMatchObject({ email: MAJA.email, emailState: 2, lastName: "" });
    expect(await aisle.status("shop", MAJA.fp_ccid)).toMatchObject({ identified: false, status: null });
    expect(await namesIn(aisle)).toEqual(["maja.muster", "Maja.Muster"]);
    await post(aisle, { action_type: "subscribe", ...ids, email: MAJA.email, subscriber_status: "0" }, GPC);
    const after = await aisle.rpc.subscriptions.getContact({
      appId: "shop",
      contact: { case: "email", value: MAJA.email },
    });
    expect(after.contact?.emailState).toBe(3);
  });

  it("apply as the app's setting says: none, Global Privacy Control, or Do Not Track as well", async () => {
    const kept = async (signals: PrivacySignals, headers: Record<string, string>) => {
      const aisle = await openShop(signals);
      await post(aisle, view, headers);
      return (await namesIn(aisle)).length > 0;
    };
    expect(await kept(PrivacySignals.UNSPECIFIED, { ...GPC, ...DNT })).toBe(true);
    expect(await kept(PrivacySignals.GPC, DNT)).toBe(true);
    expect(await kept(PrivacySignals.GPC, { "sec-gpc": "0" })).toBe(true);
    expect(await kept(PrivacySignals.GPC, { "sec-gpc": "1, 1" })).toBe(false);
    expect(await kept(PrivacySignals.GPC, { "sec-gpc": "0, 1" })).toBe(false);
    expect(await kept(PrivacySignals.GPC, { "sec-gpc": "10" })).toBe(true);
    expect(await kept(PrivacySignals.GPC_AND_DNT, DNT)).toBe(false);
    expect(await kept(PrivacySignals.GPC_AND_DNT, GPC)).toBe(false);
  });

  it("store a rejected event without its sender", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    const answer = await aisle.facade.inject({
      method: "POST",
      url: "/trace",
      headers: { "content-type": "application/x-www-form-urlencoded", ...GPC },
      payload: new URLSearchParams({ app_id: "shop", action_type: "product_view", ...ids }).toString(),
    });
    expect(answer.statusCode).toBe(400);
    const { rejectedEvents } = await aisle.rpc.events.listRejectedEvents({ appId: "shop" });
    expect(rejectedEvents).toHaveLength(1);
    expect(await namesIn(aisle)).toEqual([]);
  });

  it("limit a recommendation to the request, whose ids are neither looked up nor stored", async () => {
    const aisle = await openShop(PrivacySignals.GPC);
    await post(
      aisle,
      { action_type: "product_view", product_ids: "p1|p2|p3", product_titles: "A|B|C", c_id: "known" },
      {},
    );
    const at = new Date(aisle.now()).toISOString();
    await post(aisle, { action_type: "order", order_id: "o1", product_ids: "p1", c_id: "known", utc_time: at }, {});
    const ask = async (headers: Record<string, string>, cId = "known") => {
      const payload = { appId: "shop", productInteractions: [], cId, fpccid: `fp-of-${cId}` };
      const answer = await aisle.facade.inject({ method: "POST", url: "/recommend", headers, payload });
      return answer.json<{ recommended: { productId: string }[] }>().recommended.map(({ productId }) => productId);
    };
    expect(await ask({})).not.toContain("p1"); // bought
    expect(await ask(GPC)).toContain("p1");
    await ask(GPC, "newcomer");
    expect(JSON.stringify(await aisle.store.copies.scan("shop", "visitorKeys", "", 10))).not.toContain("newcomer");
  });
});
