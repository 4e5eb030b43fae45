import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { ErrorInfoSchema } from "../../src/gen/google/rpc/error_details_pb.js";
import { openAisle } from "../fixtures/aisle.js";

async function openShop() {
  const { rpc } = await openAisle();
  await rpc.apps.createApp({ app: { appId: "shop" } });
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products: ["p1", "p2"].map((productId) => ({ productId, title: productId })) };
    })(),
  );
  return rpc;
}

it("BatchRecommend answers each request in its place, and a request that fails by its error with its reason", async () => {
  const { recommendations } = await openShop();
  const { results } = await recommendations.batchRecommend({
    appId: "shop",
    requests: [{ currentProductIds: ["p1"] }, { recommendedCount: 101 }, { appId: "shop", currentProductIds: ["p2"] }],
  });
  const [first, second, third] = results.map(({ result }) => result);
  expect([first?.case, third?.case]).toEqual(["response", "response"]);
  if (first?.case === "response") expect(first.value.currentProduct?.productId).toBe("p1");
  if (second?.case !== "error") return expect.unreachable("the second request fails");
  const infos = second.value.details.map((detail) => anyUnpack(detail, ErrorInfoSchema)?.reason);
  expect([second.value.code, infos]).toEqual([Code.InvalidArgument, ["INVALID_FIELDS", undefined]]);
});

it.each([
  ["no request", { appId: "shop" }],
  ["101 requests", { appId: "shop", requests: Array.from({ length: 101 }, () => ({})) }],
  ["a request of another app", { appId: "shop", requests: [{ appId: "other" }] }],
])("BatchRecommend rejects %s", async (_, request) => {
  const { recommendations } = await openShop();
  await expect(recommendations.batchRecommend(request)).rejects.toMatchObject({ code: Code.InvalidArgument });
});
