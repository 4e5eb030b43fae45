import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const DAY_MS = 86_400_000;
const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const stores = await storeKinds();

type Fields = Readonly<Record<string, string>>;

/** A shop with the frame `home`, whose page asks for ids of answers as aisle.js does. */
async function openShop(openStore?: Parameters<typeof openAisle>[0]) {
  const aisle = await openAisle(openStore);
  const { rpc, facade, writeFrameCounts } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c", "d"].map((id) => ({ productId: id, title: id })) };
  };
  await rpc.catalog.upsertProducts(feed());
  await rpc.apps.setFrameConfiguration({
    appId: "shop",
    frameConfiguration: { frameId: "home", recommendedCount: 2 },
  });
  const show = async (fpccid: string, more: object = {}, headers: Record<string, string> = {}) => {
    const payload = {
      ...{ appId: "shop", fpccid, productInteractions: [], trackClicks: true },
      ...{ marketingMachineFrameConfigurationId: "home", ...more },
    };
    const answer = await facade.inject({ method: "POST", url: "/recommend", payload, headers });
    await writeFrameCounts();
    return answer.json<{ recommendationId?: string; recommended: readonly { productId: string }[] }>();
  };
  const trace = async (action_type: string, fp_ccid: string, fields: Fields) => {
    expect((await aisle.trace({ app_id: "shop", action_type, fp_ccid, ...fields })).status).toBe(200);
    await writeFrameCounts();
  };
  const click = (fp_ccid: string, recommendation_id = "", product_ids = "a") =>
    trace("product_view", fp_ccid, { product_ids, recommendation_id });
  const order = (fp_ccid: string, order_id: string, order_payment_value = "", order_currency = "EUR") =>
    trace("order", fp_ccid, { order_id, order_payment_value, order_currency, product_ids: "d" });
  const report = async (more: object = {}) => {
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop", frameId: "home", ...more });
    return frames[0];
  };
  /** Answers, visitors, clicked visitors and clicks. */
  const counts = async () => {
    const total = (await report())?.total;
    return [Number(total?.exposureCount), total?.visitorCount, total?.clickedVisitorCount, total?.clickCount];
  };
  const sales = async (kind: "salesAfterClick" | "salesWithoutClick") =>
    (await report())?.total?.[kind].map(({ orderCount, revenue }) => [
      orderCount,
      revenue && `${revenue.amount} ${revenue.currency}`,
    ]);
  return { ...aisle, show, click, order, trace, report, counts, sales };
}

describe.each(stores)("the results of a frame: $name", ({ openStore }) => {
  it("count answers, visitors, and a click that names its answer once for each answer and product", async () => {
    const { show, click, counts } = await openShop(openStore);
    const first = await show("v1");
    const second = await show("v1");
    await show("v2");
    expect(first.recommended.map(({ productId }) => productId)).toEqual(["a", "b"]);
    expect(await counts()).toEqual([3, 2, 0, 0]);
    await click("v1", first.recommendationId);
    await click("v1", first.recommendationId);
    expect(await counts()).toEqual([3, 2, 1, 1]);
    await click("v1", first.recommendationId, "b");
    await click("v1", second.recommendationId);
    expect(await counts()).toEqual([3, 2, 1, 3]);
  });

  it("have orders and revenue by currency, those after a click apart", async () => {
    const { show, click, order, trace, sales, report } = await openShop(openStore);
    const { recommendationId } = await show("v1");
    await show("v2");
    await click("v1", recommendationId);
    await order("v1", "o1", "19.90");
    await order("v1", "o2", "0.10");
    await order("v1", "o3", "5", "PLN");
    await order("v2", "o4");
    await order("stranger", "o5", "70");
    expect(await sales("salesAfterClick")).toEqual([
      [2, "20.00 EUR"],
      [1, "5.00 PLN"],
    ]);
    expect(await sales("salesWithoutClick")).toEqual([[1, undefined]]);
    await order("v2", "o4", "12.345"); // a copy that tells the payment
    await trace("order_cancel", "v1", { order_id: "o3" });
    expect(await sales("salesAfterClick")).toEqual([[2, "20.00 EUR"]]);
    expect(await sales("salesWithoutClick")).toEqual([[1, "12.345 EUR"]]);
    expect((await report())?.total).toMatchObject({ orderingVisitorCount: 2, orderRate: { value: 1 } });
  });
});

describe("the results of a frame", () => {
  it("do not count an id that the visitor was not given, nor a product that was not shown", async () => {
    const { show, click, counts } = await openShop();
    const { recommendationId } = await show("v1");
    await show("v2");
    await click("v2", recommendationId);
    await click("v1", "0195514a-2a80-7d3c-a1f5-3c6f0e9b7a42");
    await click("v1", recommendationId, "d");
    await click("v1"); // a view by another way
    expect(await counts()).toEqual([2, 2, 0, 0]);
  });

  it("leave out crawlers", async () => {
    const { show, trace, counts } = await openShop();
    const { recommendationId } = await show("v1", {}, { "user-agent": CRAWLER });
    expect(recommendationId).toBeDefined();
    expect(await counts()).toEqual([0, 0, 0, 0]);
    const seen = await show("v1");
    const fields = { product_ids: "a", recommendation_id: seen.recommendationId ?? "", user_agent: CRAWLER };
    await trace("product_view", "v1", fields);
    expect(await counts()).toEqual([1, 1, 0, 0]);
  });

  it("count an order within 7 days of the click as one after it, and a later one not at all", async () => {
    const { show, click, order, sales, now } = await openShop();
    const { recommendationId } = await show("v1");
    await click("v1", recommendationId);
    now.at += 6 * DAY_MS;
    await order("v1", "o1", "1");
    now.at += 2 * DAY_MS;
    await order("v1", "o2", "1");
    expect(await sales("salesAfterClick")).toEqual([[1, "1.00 EUR"]]);
    expect(await sales("salesWithoutClick")).toEqual([]);
  });

  it("take the id with an order for a click, once", async () => {
    const { show, trace, counts, sales } = await openShop();
    const { recommendationId = "" } = await show("v1");
    const fields = { order_id: "o1", order_payment_value: "9", order_currency: "EUR", product_ids: "a|b" };
    await trace("order", "v1", { ...fields, recommendation_id: recommendationId });
    expect(await counts()).toEqual([1, 1, 1, 1]);
    expect(await sales("salesAfterClick")).toEqual([[1, "9.00 EUR"]]);
  });

  it("count only the shop's own orders once it signs its events", async () => {
    const { rpc, show, order, sales, writeFrameCounts } = await openShop();
    await rpc.apps.createSigningSecret({ appId: "shop" });
    await show("v1");
    await order("v1", "o1", "1000000");
    expect(await sales("salesWithoutClick")).toEqual([]);
    const visitor = { fingerprintId: "v1" };
    const products = [{ productId: "d" }];
    const payment = { amount: "10", currency: "EUR" };
    const event = { actionType: "order", visitor, products, order: { orderId: "o1", payment } };
    await rpc.events.recordEvent({ appId: "shop", event });
    await writeFrameCounts();
    expect(await sales("salesWithoutClick")).toEqual([[1, "10.00 EUR"]]);
  });

  it("are given by day, and for all frames of an app", async () => {
    const { rpc, show, now, report } = await openShop();
    await show("v1");
    await show("v1", { marketingMachineFrameConfigurationId: "default" });
    now.at += DAY_MS;
    await show("v2");
    const days = (await report())?.days.map(({ day, results }) => [day, results?.visitorCount]);
    const today = new Date(now.at).toISOString().slice(0, 10);
    const yesterday = new Date(now.at - DAY_MS).toISOString().slice(0, 10);
    expect(days).toEqual([
      [yesterday, 1],
      [today, 1],
    ]);
    expect((await report({ fromDay: today }))?.days).toHaveLength(1);
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop" });
    expect(frames.map(({ frameId, total }) => [frameId, total?.visitorCount])).toEqual([
      ["default", 1],
      ["home", 2],
    ]);
  });

  it("forget a person who is erased: clicks of theirs no longer count", async () => {
    const { rpc, store, show, click, counts } = await openShop();
    const { recommendationId } = await show("v1");
    const person = { visitor: { fingerprintId: "v1" } };
    const kept: unknown[] = [];
    for await (const { item } of rpc.privacy.exportVisitor({ appId: "shop", person }))
      if (item.case === "frameExposure") kept.push(item.value.recommendationIds);
    expect(kept).toEqual([[recommendationId]]);
    await erased(rpc, "shop", person);
    await click("v1", recommendationId);
    expect(await counts()).toEqual([1, 1, 0, 0]);
    const left = await store.copies.scan("shop", "frameExposures", "", 10);
    expect(left.flatMap(({ value }) => [...value.frames, ...value.shownLists])).toEqual([]);
  });
});

describe("POST /recommend", () => {
  it("has the documented answer unless the request asks for its id", async () => {
    const { show } = await openShop();
    expect(Object.keys(await show("v1", { trackClicks: undefined }))).toEqual([
      ...["version", "trackerProduct", "recommended", "alternative"],
    ]);
    for (const trackClicks of [true, 1, "true"])
      expect(await show("v1", { trackClicks })).toHaveProperty("recommendationId");
    for (const trackClicks of [false, null, "no", [], {}])
      expect(await show("v1", { trackClicks })).not.toHaveProperty("recommendationId");
  });
});
