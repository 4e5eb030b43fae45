import { request } from "node:http";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import type { ProductSchema } from "../../src/gen/aisle/v1/product_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { trained } from "../fixtures/operations.js";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";

type Clients = Pick<ReturnType<typeof rpcClients>, "apps" | "catalog" | "events">;

const COUNT = 30;
const TENT = { title: "Ridge tent", description: "Ridge tent with porch and pegs, for two people who sleep outdoors" };
const STOVE = { title: "Gas stove", description: "Gas stove with burner and pan, for cooking hot meals" };

async function upsert({ catalog }: Pick<Clients, "catalog">, ...products: MessageInitShape<typeof ProductSchema>[]) {
  await catalog.upsertProducts(
    (async function* () {
      yield { appId: "shop", products };
    })(),
  );
}

/** Thirty tents and thirty stoves, viewed and bought by enough for a model; frames that show three of one list each. */
async function makeShop(clients: Clients): Promise<void> {
  await clients.apps.createApp({ app: { appId: "shop" } });
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  await upsert(clients, ...numbers.map((n) => ({ productId: `tent-${n}`, ...TENT, title: `Ridge tent ${n}` })));
  await upsert(clients, ...numbers.map((n) => ({ productId: `stove-${n}`, ...STOVE, title: `Gas stove ${n}` })));
  for (const frameId of ["similar", "completing"]) {
    const [recommendedCount, alternativeCount] = frameId === "similar" ? [0, 3] : [3, 0];
    const frameConfiguration = { frameId, recommendedCount, alternativeCount };
    await clients.apps.setFrameConfiguration({ appId: "shop", frameConfiguration });
  }
  const start = Date.UTC(2026, 0, 1);
  await clients.events.recordEvents(
    (async function* () {
      const events = Array.from({ length: 120 }, (_, n) => ({
        actionType: "product_view",
        visitor: { clientId: `c${n >> 1}` },
        products: [{ productId: `${n % 4 < 2 ? "tent" : "stove"}-${n % COUNT}` }],
        eventTime: timestampFromMs(start + n * 60_000),
      }));
      yield { appId: "shop", events };
    })(),
  );
}

const askFor = (productId: string, frame: string) => ({
  appId: "shop",
  productInteractions: [],
  currentProductIds: productId,
  marketingMachineFrameConfigurationId: frame,
});

const viewsOf = (visitor: string, ...productIds: string[]) =>
  productIds.map((product_ids) => ({ app_id: "shop", action_type: "product_view", product_ids, fp_ccid: visitor }));

/** One request over a connection of its own. */
function post(url: string, type: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, method: "POST", headers: { "content-type": type } }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on("error", reject);
      answer.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe.each(await serverStoreKinds())("a product newer than the model: $name", ({ newStore, env }) => {
  it("is shown among the alternatives to similar products, then recommended with products viewed together", async () => {
    const server = await startServer({
      store: await newStore(),
      env,
      flags: ["--train-every", "off"],
    });
    const clients = rpcClients(server.rpcUrl);
    await makeShop(clients);
    await trained(clients, "shop");
    const shows = async (productId: string, frame: string) => {
      const body = JSON.stringify(askFor(productId, frame));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => post(`${server.facadeUrl}/recommend`, "application/json", body)),
      );
      return answers.filter((answer) => answer.includes('"productId":"new"')).length;
    };
    expect(await shows("tent-1", "similar")).toBe(0);
    await upsert(clients, { productId: "new", ...TENT, title: "Ridge tent with porch" });
    await expect.poll(() => shows("tent-1", "similar"), { timeout: 5000, interval: 100 }).toBe(8);

    expect(await shows("stove-1", "completing")).toBe(0);
    for (const visitor of ["v1", "v2", "v3"])
      for (const view of viewsOf(visitor, "stove-1", "new"))
        await post(`${server.facadeUrl}/trace`, "application/x-www-form-urlencoded", `${new URLSearchParams(view)}`);
    await expect.poll(() => shows("stove-1", "completing"), { timeout: 5000, interval: 100 }).toBe(8);

    await upsert(clients, { productId: "new", ...TENT, title: "Ridge tent with porch", hidden: true });
    await expect.poll(() => shows("tent-1", "similar"), { timeout: 5000, interval: 100 }).toBe(0);
    await upsert(clients, { productId: "new", ...TENT, title: "Ridge tent with porch" });
    await expect.poll(() => shows("tent-1", "similar"), { timeout: 5000, interval: 100 }).toBe(8);
    await upsert(clients, { productId: "new", ...TENT, title: "Ridge tent with porch", availability: 2 });
    await expect.poll(() => shows("tent-1", "similar"), { timeout: 5000, interval: 100 }).toBe(0);
  });
});

describe("products and views newer than the model", () => {
  const trained = async () => {
    const aisle = await openAisle();
    await makeShop(aisle.rpc);
    await aisle.trainer.train("shop", () => undefined);
    const ids = async (productId: string, frame: string) => {
      const answer = await aisle.recommend(askFor(productId, frame));
      return [...answer.recommended, ...answer.alternative].map((card) => card.productId);
    };
    await ids("tent-1", "similar");
    await upsert(aisle.rpc, { productId: "new", ...TENT, title: "Ridge tent with porch" });
    await aisle.refreshLive();
    return { ...aisle, ids };
  };

  it("disappear with the product, and are not shown while it is hidden", async () => {
    const aisle = await trained();
    expect(await aisle.ids("tent-1", "similar")).toContain("new");
    await upsert(aisle.rpc, { productId: "new", ...TENT, hidden: true });
    expect(await aisle.ids("tent-1", "similar")).not.toContain("new");
    await upsert(aisle.rpc, { productId: "new", ...TENT });
    expect(await aisle.ids("tent-1", "similar")).toContain("new");
    await aisle.rpc.catalog.deleteProduct({ appId: "shop", productId: "new" });
    await aisle.refreshLive();
    expect(await aisle.ids("tent-1", "similar")).not.toContain("new");
  });

  it("make no alternative to unlike products", async () => {
    const aisle = await trained();
    expect(await aisle.ids("stove-1", "similar")).not.toContain("new");
  });

  it("have a reason", async () => {
    const aisle = await trained();
    const { alternativeReasons } = await aisle.rpc.recommendations.explainRecommendation({
      request: { appId: "shop", currentProductIds: ["tent-1"], frameId: "similar" },
    });
    const reason = alternativeReasons.find(({ productId }) => productId === "new");
    expect(reason?.sources[0]).toMatchObject({ source: 2, counts: { similarity: expect.any(Number) } });
  });

  it("recommend nothing for one visitor alone, or for robots", async () => {
    const aisle = await trained();
    for (const view of viewsOf("v1", "stove-1", "new", "stove-1", "new")) await aisle.trace(view);
    await aisle.refreshLive();
    expect(await aisle.ids("stove-1", "completing")).not.toContain("new");
    for (const view of viewsOf("v2", "stove-1", "new")) await aisle.trace(view);
    await aisle.refreshLive();
    expect(await aisle.ids("stove-1", "completing")).toContain("new");
  });

  it("a hidden, sold-out, renamed or repriced product changes in the next answer", async () => {
    const aisle = await trained();
    const cards = async () => (await aisle.recommend(askFor("tent-1", "similar"))).alternative;
    const first = (await cards())[0];
    const productId = first?.productId ?? "";
    const price = { amount: "12.50", currency: "EUR" };
    await upsert(aisle.rpc, { productId, ...TENT, title: "Another title", price });
    expect(await cards()).toContainEqual(
      expect.objectContaining({ productId, title: "Another title", price: "12.50" }),
    );
    await upsert(aisle.rpc, { productId, ...TENT, availability: 2 });
    expect((await cards()).map((card) => card.productId)).not.toContain(productId);
    await upsert(aisle.rpc, { productId, ...TENT });
    expect((await cards()).map((card) => card.productId)).toContain(productId);
    await upsert(aisle.rpc, { productId, ...TENT, hidden: true });
    expect((await cards()).map((card) => card.productId)).not.toContain(productId);
  });
});
