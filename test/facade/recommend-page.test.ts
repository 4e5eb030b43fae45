import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { readContract } from "../openapi/contract.js";

interface PageAnswer {
  readonly frames: readonly {
    readonly frameId: string;
    readonly recommendationId?: string;
    readonly recommended: readonly { readonly productId: string }[];
  }[];
}

async function openShop() {
  const aisle = await openAisle();
  const { rpc, facade } = aisle;
  await rpc.apps.createApp({ app: { appId: "shop", allowedOrigins: ["https://shop.example"] } });
  const feed = async function* () {
    yield { appId: "shop", products: ["a", "b", "c", "d", "e"].map((id) => ({ productId: id, title: id })) };
  };
  await rpc.catalog.upsertProducts(feed());
  for (const frameId of ["below", "side"])
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { frameId, recommendedCount: 2 } });
  const ask = async (more: object, headers: Record<string, string> = {}) => {
    const payload = { appId: "shop", fpccid: "v1", productInteractions: [], ...more };
    const answer = await facade.inject({ method: "POST", url: "/recommend_page", payload, headers });
    return { status: answer.statusCode, body: answer.json<PageAnswer & { error?: string }>() };
  };
  return { ...aisle, ask };
}

describe("POST /recommend_page", () => {
  it("fills the frames in their order and shows no product twice", async () => {
    const { ask } = await openShop();
    const { body } = await ask({ frames: ["side", "below", "nothing"], currentProductIds: "a" });
    expect(body).toMatchObject({ version: expect.stringMatching(/^\d+$/), trackerProduct: { productId: "a" } });
    expect(body.frames.map(({ frameId }) => frameId)).toEqual(["side", "below", "default"]);
    const shown = body.frames.flatMap(({ recommended }) => recommended.map(({ productId }) => productId));
    expect(shown.sort()).toEqual(["b", "c", "d", "e"]);
    expect(Object.keys(body.frames[0] ?? {})).toEqual(["frameId", "recommended", "alternative"]);
    const isAnswer = readContract().schema("RecommendPageAnswer");
    const withIds = await ask({ frames: ["side"], trackClicks: true });
    expect([body, withIds.body, { ...body, more: 1 }].map((one) => isAnswer(one))).toEqual([true, true, false]);
  });

  it("gives each frame an id of its own, whose clicks count for that frame", async () => {
    const { ask, trace, rpc, writeFrameCounts } = await openShop();
    const { body } = await ask({ frames: ["side", "below"], trackClicks: true });
    await writeFrameCounts();
    const below = body.frames[1];
    await trace({
      ...{ app_id: "shop", action_type: "product_view", fp_ccid: "v1" },
      ...{ product_ids: below?.recommended[0]?.productId ?? "", recommendation_id: below?.recommendationId ?? "" },
    });
    await writeFrameCounts();
    const { frames } = await rpc.apps.getFrameReport({ appId: "shop" });
    const clicked = frames.map(({ frameId, total }) => [frameId, total?.visitorCount, total?.clickCount]);
    expect(clicked).toEqual(
      expect.arrayContaining([
        ["below", 1, 1],
        ["side", 1, 0],
      ]),
    );
  });

  it.each([
    ["no frames", {}, "Missing required field: frames"],
    ["an empty list", { frames: [] }, "Invalid field: frames"],
    ["text", { frames: "side|below" }, "Invalid field: frames"],
    ["an empty id", { frames: ["side", ""] }, "Invalid field: frames"],
    ["21 frames", { frames: Array.from({ length: 21 }, (_, i) => `f${i}`) }, "Invalid field: frames"],
    ["an object without an id", { frames: [{}] }, "Invalid field: frames"],
    ["an unknown app", { appId: "nobody", frames: ["side"] }, "Invalid appId"],
    [
      "no interactions",
      { productInteractions: undefined, frames: ["side"] },
      "Missing required field: productInteractions",
    ],
  ])("refuses %s", async (_, more, error) => {
    const { ask } = await openShop();
    expect(await ask(more)).toMatchObject({ status: 400, body: { error } });
  });

  it("refuses a page of another origin", async () => {
    const { ask } = await openShop();
    expect(await ask({ frames: ["side"] }, { origin: "https://other.example" })).toMatchObject({ status: 403 });
    expect(await ask({ frames: ["side"] }, { origin: "https://shop.example" })).toMatchObject({ status: 200 });
  });
});
