import { describe, expect, it } from "vitest";
import { rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { makeShop } from "../fixtures/small-shop.js";

const EVERY = ["--train-every", "100ms"];
const WAIT = { interval: 50, timeout: 25_000 };

const view = { actionType: "product_view", visitor: { clientId: "c1" }, products: [{ productId: "p4" }] };

describe.each(await serverStoreKinds())("training by schedule: $name", ({ newStore, env }) => {
  it("swaps the model without a failed request", async () => {
    const server = await startServer({ store: await newStore(), env, flags: EVERY });
    const clients = rpcClients(server.rpcUrl);
    await makeShop(clients, "shop");
    const answers = new Set<string>();
    const versions = new Set<string>();
    let stopped = false;
    const body = JSON.stringify({ appId: "shop", productInteractions: [], currentProductIds: "p0" });
    const caller = async () => {
      while (!stopped) {
        const headers = { "content-type": "application/json" };
        const answer = await fetch(`${server.facadeUrl}/recommend`, { method: "POST", headers, body });
        const json: unknown = await answer.json();
        const version = typeof json === "object" && json !== null && "version" in json ? String(json.version) : "";
        answers.add(`${answer.status} ${version === "" ? "without" : "with"} version`);
        versions.add(version);
      }
    };
    const callers = Promise.all(Array.from({ length: 8 }, caller));
    // The version before the first model, and at least three models.
    for (let seen = 2; seen <= 4; seen++) {
      await clients.events.recordEvent({ appId: "shop", event: view });
      await expect.poll(() => versions.size, WAIT).toBeGreaterThanOrEqual(seen);
    }
    stopped = true;
    await callers;
    expect([...answers]).toEqual(["200 with version"]);
  });

  it("trains an app only when something changed in it", async () => {
    const store = await newStore();
    const without = await startServer({ store, env, flags: ["--train-every", "off"] });
    for (const appId of ["still", "zeal"]) await makeShop(rpcClients(without.rpcUrl), appId);
    expect(await without.end("SIGTERM")).toBe(0);

    const clients = rpcClients((await startServer({ store, env, flags: EVERY })).rpcUrl);
    const newest = async (appId: string) => (await clients.models.listModels({ appId })).models[0]?.modelId;
    await expect.poll(() => newest("zeal"), WAIT).toBeDefined();
    // Apps are looked at in the order of their ids: another model of the later one means another look at the first.
    for (let round = 0; round < 2; round++) {
      const before = await newest("zeal");
      await clients.events.recordEvent({ appId: "zeal", event: view });
      await expect.poll(() => newest("zeal"), WAIT).not.toBe(before);
    }
    expect((await clients.models.listModels({ appId: "still" })).models).toHaveLength(1);
  });
});
