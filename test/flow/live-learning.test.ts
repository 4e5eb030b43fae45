import { describe, expect, it } from "vitest";
import { erased, trained } from "../fixtures/operations.js";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { COUNT, makeShopOfPairs } from "../fixtures/shop-of-pairs.js";

describe.each(await serverStoreKinds())("events after a training: $name", ({ newStore, env }) => {
  it("change what another visitor is recommended, until their visitor is erased", async () => {
    const flags = ["--train-every", "off", "--live-learning"];
    const server = await startServer({ store: await newStore(), env, flags });
    const clients = rpcClients(server.rpcUrl);
    await makeShopOfPairs(clients, Date.now() - 86_400_000);
    await trained(clients, "shop");
    const body = JSON.stringify({
      appId: "shop",
      productInteractions: [],
      currentProductIds: "p0",
      marketingMachineFrameConfigurationId: "lean",
    });
    /** Answers of eight connections that recommend the last product with the first. */
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
