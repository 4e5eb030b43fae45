import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { erased, trained } from "../fixtures/operations.js";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";

const COUNT = 40;
type Clients = ReturnType<typeof rpcClients>;

/** Forty products, each viewed by visitors together with the next one: never the first with the last. */
async function makeShop({ apps, catalog, events }: Clients): Promise<void> {
  await apps.createApp({ app: { appId: "shop" } });
  // Popular products do not fill the list.
  const frameConfiguration = { frameId: "lean", recommendedCount: 10, alternativeCount: 0, fallback: false };
  await apps.setFrameConfiguration({ appId: "shop", frameConfiguration });
  await catalog.upsertProducts(
    (async function* () {
      const products = Array.from({ length: COUNT }, (_, n) => ({ productId: `p${n}`, title: `Thing ${n}` }));
      yield { appId: "shop", products };
    })(),
  );
  const start = Date.now() - 86_400_000;
  await events.recordEvents(
    (async function* () {
      const views = Array.from({ length: 2 * COUNT }, (_, n) => ({
        actionType: "product_view",
        visitor: { clientId: `c${n >> 1}` },
        products: [{ productId: `p${((n >> 1) % (COUNT - 3)) + (n % 2)}` }],
        eventTime: timestampFromMs(start + n * 60_000),
      }));
      yield { appId: "shop", events: views };
    })(),
  );
}

describe.each(await serverStoreKinds())("events after a training: $name", ({ newStore, env }) => {
  it("change what another visitor is recommended, in every process, until their visitor is erased", async () => {
    const flags = ["--workers", "2", "--train-every", "off", "--live-learning"];
    const server = await startServer({ store: await newStore(), env, flags });
    const clients = rpcClients(server.rpcUrl);
    await makeShop(clients);
    await trained(clients, "shop");
    const body = JSON.stringify({
      appId: "shop",
      productInteractions: [],
      currentProductIds: "p0",
      marketingMachineFrameConfigurationId: "lean",
    });
    /** Answers of eight connections, which both processes give, that recommend the last product with the first. */
    const recommending = async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const headers = { "content-type": "application/json", connection: "close" };
          const answer = await fetch(`${server.facadeUrl}/recommend`, { method: "POST", headers, body });
          return answer.text();
        }),
      );
      return answers.filter((answer) => answer.includes(`"productId":"p${COUNT - 1}"`)).length;
    };
    const view = async (visitor: string, product: string) => {
      const form = { app_id: "shop", action_type: "product_view", product_ids: product, c_id: visitor };
      const answer = await fetch(`${server.facadeUrl}/trace`, { method: "POST", body: new URLSearchParams(form) });
      expect(answer.status).toBe(200);
    };
    expect(await recommending()).toBe(0);
    await view("a", "p0");
    await view("a", `p${COUNT - 1}`);
    await expect.poll(recommending, { timeout: 15_000, interval: 50 }).toBe(8);
    await erased(clients, "shop", { visitor: { clientId: "a" } });
    await expect.poll(recommending, { timeout: 15_000, interval: 50 }).toBe(0);
  }, 180_000);
});
