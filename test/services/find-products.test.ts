import { expect, it } from "vitest";
import { Availability } from "../../src/gen/aisle/v1/product_pb.js";
import { openAisle } from "../fixtures/aisle.js";

const appId = "shop";

async function openShop() {
  const { rpc, trainer, refreshLive } = await openAisle();
  await rpc.apps.createApp({ app: { appId } });
  const titles = ["Green tea", "Black tea", "Tea pot of glass", "Wall paint white", "Paint brush", "Paint roller"];
  const products = titles.map((title, i) => ({ productId: `p${i}`, title }));
  const sold = { productId: "sold", title: "Green tea leaves", availability: Availability.OUT_OF_STOCK };
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId, products: [...products, sold] };
    })(),
  );
  const idsFor = async (more: object) =>
    (await rpc.recommendations.findProducts({ appId, ...more })).products.map(({ product }) => product?.productId);
  return { rpc, idsFor, refreshLive, train: () => trainer.train(appId, () => undefined) };
}

it("FindProducts finds the products whose texts are nearest, those in stock unless told otherwise", async () => {
  const { idsFor, train } = await openShop();
  await train();
  expect((await idsFor({ text: "green tea", productCount: 1 }))[0]).toBe("p0");
  expect((await idsFor({ text: "paint", productCount: 3 })).sort()).toEqual(["p3", "p4", "p5"]);
  expect(await idsFor({ text: "green tea" })).not.toContain("sold");
  expect(await idsFor({ text: "green tea", includeUnavailable: true })).toContain("sold");
});

it("FindProducts finds products that are newer than the model", async () => {
  const { rpc, idsFor, train, refreshLive } = await openShop();
  await train();
  await idsFor({ text: "green tea" });
  await rpc.catalog.upsertProducts(
    (async function* () {
      yield { appId, products: [{ productId: "new", title: "Green tea, green tea" }] };
    })(),
  );
  await refreshLive();
  expect(await idsFor({ text: "green tea" })).toContain("new");
});

it("FindProducts finds nothing before the first model, and for unknown words", async () => {
  const { idsFor, train } = await openShop();
  expect(await idsFor({ text: "tea" })).toEqual([]);
  await train();
  expect(await idsFor({ text: "12345 67890" })).toEqual([]);
});
