import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";

/** Nine products, of which s1 … s3 are variants of one. */
async function openShop() {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  const feed = async function* () {
    const products = ["a", "b", "c", "d", "e", "f", "s1", "s2", "s3"].map((productId) => ({
      productId,
      title: productId,
      variantGroupId: productId.startsWith("s") ? "s" : "",
    }));
    yield { appId: "shop", products };
  };
  await rpc.catalog.upsertProducts(feed());
  for (const [frameId, counts] of Object.entries({
    top: { recommendedCount: 2, alternativeCount: 1 },
    side: { recommendedCount: 2, bannedProductIds: ["d"] },
    end: { recommendedCount: 9 },
  }))
    await rpc.apps.setFrameConfiguration({ appId: "shop", frameConfiguration: { frameId, ...counts } });
  const ask = async (frameIds: string[], request: object = {}) => {
    const { frames } = await rpc.recommendations.recommendPage({ request: { appId: "shop", ...request }, frameIds });
    return frames.map(({ frameId, recommended, alternative, missingIds }) => ({
      frameId,
      missingIds,
      shown: [...recommended, ...alternative].map(({ productId }) => productId),
    }));
  };
  return { rpc, ask };
}

describe("the frames of a page", () => {
  it("share no product and no variant, and earlier frames choose first", async () => {
    const { ask } = await openShop();
    const [top, side, end] = await ask(["top", "side", "end"]);
    expect(top?.shown).toEqual(["a", "b", "c"]);
    expect(side?.shown).toEqual(["e", "f"]);
    expect(end?.shown).toEqual(["d", "s1"]);
    const [first, second] = await ask(["end", "top"]);
    expect(first?.shown).toEqual(["a", "b", "c", "d", "e", "f", "s1"]);
    expect(second?.shown).toEqual([]);
  });

  it("keep their own rules, and are answered in the order asked, unknown ones as the default frame", async () => {
    const { ask } = await openShop();
    const answers = await ask(["side", "nothing"], { filter: { excludedProductIds: ["a"] } });
    expect(answers.map(({ frameId }) => frameId)).toEqual(["side", "default"]);
    expect(answers[0]?.shown).toEqual(["b", "c"]);
    expect(answers[1]).toMatchObject({ missingIds: ["nothing"], shown: expect.not.arrayContaining(["a", "b", "c"]) });
  });

  it("with a single frame equal the answer of Recommend", async () => {
    const { rpc, ask } = await openShop();
    const { recommended, alternative } = await rpc.recommendations.recommend({ appId: "shop", frameId: "top" });
    const shown = [...recommended, ...alternative].map(({ productId }) => productId);
    expect(await ask(["top"])).toMatchObject([{ shown }]);
  });

  it.each([
    ["frame_ids", [], {}],
    ["frame_ids", Array.from({ length: 21 }, () => "top"), {}],
    ["request.frame_id", ["top"], { frameId: "top" }],
  ])("are rejected by the name of %s", async (field, frameIds, request) => {
    const { ask } = await openShop();
    await expect(ask(frameIds, request)).rejects.toThrow(
      expect.objectContaining({ rawMessage: expect.stringContaining(`field: ${field}`) }),
    );
  });
});
