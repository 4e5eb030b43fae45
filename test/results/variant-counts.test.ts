import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const DAY_MS = 86_400_000;
const stores = await storeKinds();

async function openShop(openStore: Parameters<typeof openAisle>[0], weights = { plain: 1, none: 0 }) {
  const aisle = await openAisle(openStore);
  const { rpc, now, metrics, writeFrameCounts } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c", "d"].map((id) => ({ productId: id, title: id })) };
  };
  await rpc.catalog.upsertProducts(feed());
  const variants = Object.entries(weights).map(([name, weight]) => ({ name, weight }));
  const frame = { frameId: "home", recommendedCount: 2, variants };
  await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: frame });
  const show = async (fingerprintId: string, more: object = {}) =>
    (await rpc.recommendations.recommend({ appId: "shop", frameId: "home", visitor: { fingerprintId }, ...more }))
      .variant;
  const act = (fields: Record<string, string>) => aisle.trace({ app_id: "shop", ...fields });
  const view = (fp_ccid: string, product_ids: string) => act({ action_type: "product_view", fp_ccid, product_ids });
  const order = (fp_ccid: string, order_id: string) =>
    act({ action_type: "order", fp_ccid, order_id, product_ids: "d" });
  const report = async (more: object = {}) => {
    await writeFrameCounts();
    const answer = await rpc.apps.getFrameReport({ appId: "shop", frameId: "home", ...more });
    return answer.frames[0]?.variants.map(({ variant, results }) => [
      variant,
      Number(results?.exposureCount),
      ...[results?.visitorCount, results?.clickedVisitorCount, results?.orderingVisitorCount],
    ]);
  };
  return { ...aisle, now, metrics, show, view, order, act, report, frame };
}

describe.each(stores)("the counts of a frame's variants: $name", ({ openStore }) => {
  it("have each answer, and each visitor once who saw, viewed or ordered a product", async () => {
    const { show, view, order, report } = await openShop(openStore);
    for (const visitor of ["v1", "v1", "v2", "v3"]) expect(await show(visitor)).toBe("plain");
    expect(await report()).toEqual([
      ["plain", 4, 3, 0, 0],
      ["none", 0, 0, 0, 0],
    ]);
    await view("v1", "a"); // shown
    await view("v1", "b");
    await view("v2", "d"); // never shown
    await view("stranger", "a");
    await order("v2", "o1");
    await order("v2", "o1"); // the same order, sent again
    await order("stranger", "o2");
    expect((await report())?.[0]).toEqual(["plain", 4, 3, 1, 1]);
  });

  it("leave out visitors who cancelled all their orders, in any order of events, whether they or the shop cancel", async () => {
    const { show, order, act, report, metrics, rpc } = await openShop(openStore);
    const cancel = (order_id: string) =>
      rpc.events.recordEvent({ appId: "shop", event: { actionType: "order_cancel", order: { orderId: order_id } } });
    const cancelOwn = (fp_ccid: string, order_id: string) => act({ action_type: "order_cancel", fp_ccid, order_id });
    const ordering = async () => (await report())?.[0]?.[4];
    for (const visitor of ["v1", "v2", "v3"]) await show(visitor);
    await report();
    await order("v1", "o1");
    await order("v1", "o2");
    await order("v2", "o3");
    expect(await ordering()).toBe(2);
    await cancelOwn("v1", "o1");
    expect(await ordering()).toBe(2);
    await cancel("o2");
    await cancel("o2");
    expect(await ordering()).toBe(1);
    await cancel("o4");
    await order("v3", "o4");
    await order("v3", "o5");
    await cancel("o5");
    expect(await ordering()).toBe(1);
    await order("v1", "o6");
    expect(await ordering()).toBe(2);
    const before = metrics.counts.get("frame_outcomes") ?? 0;
    await cancel("o6");
    expect(await ordering()).toBe(1);
    expect(metrics.counts.get("frame_outcomes")).toBe(before + 1);
  });

  it("count a used frame in a request as a click, and ignore uses from before", async () => {
    const { show, report, now } = await openShop(openStore);
    const used = (at: number) => ({
      frameInteractions: [{ frameId: "home", interactionTime: { seconds: BigInt(Math.floor(at / 1000)) } }],
    });
    await show("v1", used(now() - DAY_MS));
    expect((await report())?.[0]).toEqual(["plain", 1, 1, 0, 0]);
    await show("v1", used(now() + 2000));
    expect((await report())?.[0]).toEqual(["plain", 2, 1, 1, 0]);
  });

  it("leave out visitors without a name, explanations, and frames without variants", async () => {
    const { rpc, show, report } = await openShop(openStore);
    expect(await show("")).toBe("");
    const request = { appId: "shop", frameId: "home", visitor: { fingerprintId: "v1" } };
    expect((await rpc.recommendations.explainRecommendation({ request })).response?.variant).toBe("plain");
    await rpc.recommendations.recommend({ appId: "shop", visitor: { fingerprintId: "v1" } });
    expect((await report())?.[0]).toEqual(["plain", 0, 0, 0, 0]);
  });
});

describe("the report of a frame's variants", () => {
  it("counts a visitor anew after a change of variant", async () => {
    const { rpc, show, view, report, frame } = await openShop(undefined);
    await show("v1");
    await view("v1", "a");
    await report();
    const variants = [
      { name: "plain", weight: 0 },
      { name: "none", weight: 1 },
    ];
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { ...frame, variants } });
    expect(await show("v1")).toBe("none");
    expect(await report()).toEqual([
      ["plain", 1, 1, 1, 0],
      ["none", 1, 1, 0, 0],
    ]);
  });

  it("has intervals, and differences from the first variant", async () => {
    const { rpc, show, view, report } = await openShop(undefined, { plain: 1, none: 1 });
    const visitors = Array.from({ length: 40 }, (_, i) => `v${i}`);
    const names = new Map<string, string>();
    for (const visitor of visitors) names.set(visitor, await show(visitor));
    await report();
    for (const [visitor, variant] of names) if (variant === "none") await view(visitor, "a");
    await report();
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop", frameId: "home" });
    const [first, second] = frames[0]?.variants ?? [];
    expect(first?.results?.clickRate).toMatchObject({ value: 0, low: 0 });
    expect(second?.results?.clickRate).toMatchObject({ value: 1, high: 1 });
    expect(second?.results?.clickRate?.low).toBeGreaterThan(0.5);
    expect(first?.clickRateDifference).toBeUndefined();
    expect(second?.clickRateDifference).toMatchObject({ value: 1 });
    expect(second?.clickRateDifference?.low).toBeGreaterThan(0.5);
    expect(second?.orderRateDifference).toMatchObject({ value: 0 });
  });

  it("covers the days asked for", async () => {
    const { rpc, show, report, now } = await openShop(undefined);
    await show("v1");
    const today = new Date(now()).toISOString().slice(0, 10);
    expect((await report({ fromDay: today, toDay: today }))?.[0]).toEqual(["plain", 1, 1, 0, 0]);
    expect((await report({ toDay: "2001-01-01" }))?.[0]).toEqual(["plain", 0, 0, 0, 0]);
    expect((await report({ fromDay: "2999-01-01" }))?.[0]).toEqual(["plain", 0, 0, 0, 0]);
    const ask = (days: object) => rpc.apps.getFrameReport({ appId: "shop", frameId: "home", ...days });
    await expect(ask({ fromDay: "2026-02-30" })).rejects.toThrow(/invalid_argument.*from_day/);
    await expect(ask({ fromDay: "2026-02-02", toDay: "2026-02-01" })).rejects.toThrow(/invalid_argument.*to_day/);
    await expect(rpc.apps.getFrameReport({ appId: "shop", frameId: "nothing" })).rejects.toThrow(/not_found/);
  });

  it("appears in the metrics, and loses a person who is erased", async () => {
    const { rpc, store, show, view, order, act, report, metrics } = await openShop(undefined);
    await show("v1");
    await report();
    await view("v1", "b");
    await report();
    expect(metrics.counts.get("frame_outcomes")).toBe(3); // an answer, a visitor, a click
    await act({ action_type: "product_view", fp_ccid: "v1", c_id: "c1", product_ids: "a" }); // another id of v1
    await order("v1", "o1");
    await report();
    expect(await store.copies.scan("shop", "frameExposures", "", 10)).toHaveLength(1);
    const person = { visitor: { clientId: "c1" } };
    const kept: unknown[] = [];
    for await (const { item } of rpc.privacy.exportVisitor({ appId: "shop", person }))
      if (item.case === "frameExposure") kept.push(item.value);
    expect(kept).toEqual([
      expect.objectContaining({
        visitor: expect.objectContaining({ fingerprintId: "v1" }),
        frameId: "home",
        variant: "plain",
        shownProductIds: ["a", "b"],
        clickTime: expect.anything(),
        orderIds: ["o1"],
      }),
    ]);
    await show("v1"); // waits in memory while the person is erased
    await erased(rpc, "shop", person);
    await report();
    expect(await store.copies.scan("shop", "frameExposures", "", 10)).toEqual([]);
  });

  it("counts what a visitor did only after the exposure is written", async () => {
    const { show, view, writeFrameCounts, rpc } = await openShop(undefined);
    await view("v1", "a");
    await show("v1");
    await writeFrameCounts();
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop", frameId: "home" });
    expect(frames[0]?.total).toMatchObject({ visitorCount: 1, clickedVisitorCount: 0 });
  });
});
