import { describe, expect, it } from "vitest";
import { PrivacySignals } from "../../src/gen/aisle/v1/app_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { erased } from "../fixtures/operations.js";
import { storeKinds } from "../fixtures/stores.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const IDS = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, "0")}`);
const FIRST_TEN = IDS.slice(0, 10);
const stores = await storeKinds();

async function openShop(openStore?: Parameters<typeof openAisle>[0], frame: object = {}) {
  const aisle = await openAisle(openStore);
  const { rpc, now } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop", privacy: { signals: PrivacySignals.GPC } } });
  const feed = async function* () {
    yield { appId: "shop", products: IDS.map((productId) => ({ productId, title: productId })) };
  };
  await rpc.catalog.upsertProducts(feed());
  const set = (frameId: string, more: object) =>
    rpc.apps.setFrameConfiguration({
      appId: "shop",
      frameConfiguration: { frameId, recommendedCount: 10, ...more },
    });
  await set("home", frame);
  await set("side", frame);
  /** The recommended products of a request with uses of a frame at these times. */
  const show = async (uses: readonly number[] = [], more: object = {}): Promise<string[]> => {
    const answer = await aisle.recommend({
      appId: "shop",
      cId: "c1",
      productInteractions: [],
      marketingMachineFrameConfigurationId: "home",
      recommendFrameInteractions: uses.map((at) => ({
        trackerProductGroupId: "home",
        utcInteractionDate: new Date(at).toISOString(),
      })),
      ...more,
    });
    expect(answer.status).toBe(200);
    return answer.recommended.map(({ productId }) => productId);
  };
  /** A minute passes. */
  const later = () => {
    now.at += MINUTE_MS;
    return now.at;
  };
  return { ...aisle, set, show, later };
}

const repeated = (shown: readonly string[]) => shown.filter((id) => FIRST_TEN.includes(id)).length;

describe.each(stores)("a frame that a visitor used: $name", ({ openStore }) => {
  it("replaces the last products of ten that were passed over, and keeps the first ones", async () => {
    const { show, later } = await openShop(openStore);
    expect(await show()).toEqual(FIRST_TEN);
    const use = later();
    const shown = await show([use]);
    expect(shown.slice(0, 6)).toEqual(FIRST_TEN.slice(0, 6));
    expect(repeated(shown)).toBe(8);
    expect(await show([use])).toEqual(shown);
  });

  it("remembers what it showed in the store", async () => {
    const { show, later, store, rpc, writeFrameCounts } = await openShop(openStore);
    await show();
    await show();
    await writeFrameCounts();
    const kept = { frameId: "home", productIds: FIRST_TEN };
    const stored = await store.visitors.exposure("shop", "c:c1");
    expect(stored?.shownLists).toEqual([expect.objectContaining(kept)]);
    expect(repeated(await show([later()]))).toBe(8);
    await writeFrameCounts();
    const person = { visitor: { clientId: "c1" } };
    const exported: unknown[] = [];
    for await (const { item } of rpc.privacy.exportVisitor({ appId: "shop", person }))
      if (item.case === "shownList") exported.push(item.value);
    expect(exported).toHaveLength(2);
    expect(exported[0]).toMatchObject({ ...kept, visitor: { clientId: "c1" } });
    await erased(rpc, "shop", person);
    expect(await store.visitors.exposure("shop", "c:c1")).toBeUndefined();
  });
});

describe("a frame that a visitor used", () => {
  it.each([
    [0, 10],
    [0.1, 9],
    [0.5, 5],
    [1, 0],
  ])("with a rotation rate of %d repeats %d of ten products", async (rotationRate, count) => {
    const { show, later } = await openShop(undefined, { rotationRate });
    await show();
    expect(repeated(await show([later()]))).toBe(count);
  });

  it("keeps the place of a product that was viewed since it was shown", async () => {
    const { show, later, trace } = await openShop(undefined, { rotationRate: 1, includeViewed: true });
    await show();
    later();
    await trace({ app_id: "shop", action_type: "product_view", c_id: "c1", product_ids: "p03" });
    const shown = await show([later()]);
    expect(shown.filter((id) => FIRST_TEN.includes(id))).toEqual(["p03"]);
  });

  it("is as before the use when its rotation days are over, and half of it when half of them are", async () => {
    const { show, later, now } = await openShop(undefined, {
      rotationRate: 0.4,
      rotationPeriod: { seconds: 172_800n },
    });
    await show();
    const use = later();
    expect(repeated(await show([use]))).toBe(6);
    now.at = use + DAY_MS;
    expect(repeated(await show([use]))).toBe(8);
    now.at = use + 2 * DAY_MS;
    expect(await show([use])).toEqual(FIRST_TEN);
  });

  it.each([
    ["400 days old", -400],
    ["in the future", 400],
  ])("is as if the use was not told when that is %s", async (_, days) => {
    const { show, later } = await openShop();
    await show();
    expect(await show([later() + days * DAY_MS])).toEqual(FIRST_TEN);
  });

  it("stays the same for a visitor whom the server showed nothing, and for requests that name none", async () => {
    const { show, later } = await openShop();
    await show();
    const use = later();
    expect(await show([use], { cId: "stranger" })).toEqual(FIRST_TEN);
    expect(await show([use], { cId: undefined })).toEqual(FIRST_TEN);
    expect(await show([use], { marketingMachineFrameConfigurationId: "side" })).toEqual(FIRST_TEN);
  });

  it("never moves a product further than four times its rate of the list, however often it is passed over", async () => {
    const { show, later } = await openShop();
    const uses: number[] = [];
    for (let n = 0; n < 30; n++) {
      expect((await show(uses))[0]).toBe("p00");
      uses.push(later());
      later();
    }
    expect(Math.max(...(await show(uses)).map((id) => IDS.indexOf(id)))).toBeLessThan(18);
  });

  it("remembers nothing of visitors who refuse profiling, and no products of frames that do not rotate", async () => {
    const { show, set, store, facade, writeFrameCounts } = await openShop();
    await facade.inject({
      method: "POST",
      url: "/recommend",
      headers: { "sec-gpc": "1" },
      payload: { appId: "shop", cId: "c1", productInteractions: [], marketingMachineFrameConfigurationId: "home" },
    });
    await writeFrameCounts();
    expect(await store.visitors.exposure("shop", "c:c1")).toBeUndefined();
    await set("side", { rotation: false });
    await show([], { marketingMachineFrameConfigurationId: "side" });
    await writeFrameCounts();
    const exposure = await store.visitors.exposure("shop", "c:c1");
    expect(exposure).toMatchObject({ frames: [{ frameId: "side", shown: [] }], shownLists: [] });
  });

  it("is forgotten 7 days after it showed something, and as a result of the frame after two years", async () => {
    const { show, now, store, writeFrameCounts, sweepRetention } = await openShop();
    await show();
    await writeFrameCounts();
    const kept = async () => {
      await sweepRetention(() => undefined);
      const exposure = await store.visitors.exposure("shop", "c:c1");
      return exposure && [exposure.frames.length, exposure.shownLists.length];
    };
    now.at += 7 * DAY_MS - 1;
    expect(await kept()).toEqual([1, 1]);
    now.at += 1;
    expect(await kept()).toEqual([1, 0]);
    now.at += 723 * DAY_MS;
    expect(await kept()).toEqual([1, 0]);
    now.at += 1;
    expect(await kept()).toBeUndefined();
  });

  it.each([
    ["rotation_rate", { rotationRate: 1.1 }],
    ["rotation_rate", { rotationRate: Number.NaN }],
    ["rotation_period", { rotationPeriod: {} }],
    ["rotation_period", { rotationPeriod: { seconds: 648_000n } }],
  ])("refuses another %s", async (field, frame) => {
    const { set } = await openShop();
    await expect(set("home", frame)).rejects.toThrow(new RegExp(`invalid_argument.*frame_configuration\\.${field}`));
  });
});
