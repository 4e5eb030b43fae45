import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../src/gen/grpc/health/v1/health_pb.js";
import { trained } from "../fixtures/operations.js";
import { freePort, launchServer, rpcClients, startServer } from "../fixtures/server.js";
import { serverStoreKinds } from "../fixtures/server-stores.js";
import { makeShop } from "../fixtures/small-shop.js";

const WAIT = { interval: 50, timeout: 25_000 };

async function startServices(
  { store, env }: { readonly store: string; readonly env: Readonly<Record<string, string>> },
  rpcPort = 0,
) {
  return startServer({ store, env, flags: ["--role", "services", "--rpc-port", String(rpcPort)] });
}

/** A facade that is given no store. */
async function startFacade(rpcUrl: string) {
  const env = { AISLE_ROLE: "facade", AISLE_RPC_URL: rpcUrl };
  return startServer({ defaults: false, flags: ["--facade-port", "0"], env });
}

function storefront(facadeUrl: string) {
  const trace = async (form: Record<string, string>) => {
    const body = new URLSearchParams({ app_id: "shop", ...form });
    const answer = await fetch(`${facadeUrl}/trace`, { method: "POST", body });
    const retryAfter = answer.headers.get("retry-after");
    return {
      status: answer.status,
      retryAfter,
      body: await answer.json(),
      id: answer.headers.get("x-service-event-id"),
    };
  };
  const json = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${facadeUrl}${path}`, init);
    return { status: answer.status, body: await answer.json() };
  };
  const view = (visitor: string) => trace({ action_type: "product_view", product_ids: "p0", fp_ccid: visitor });
  const status = (visitor: string, appId = "shop") => json(`/subscription_status?app_id=${appId}&fpcid=${visitor}`);
  const recommend = (appId = "shop") =>
    json("/recommend", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ appId, productInteractions: [], currentProductIds: "p0" }),
    });
  return { trace, view, status, recommend, ready: () => json("/readyz"), alive: () => json("/healthz") };
}

describe.each(await serverStoreKinds())("roles: $name", ({ newStore, env }) => {
  it("a facade takes events and answers status and recommendations by its services", async () => {
    const services = await startServices({ store: await newStore(), env });
    const shop = storefront((await startFacade(services.rpcUrl)).facadeUrl);
    const clients = rpcClients(services.rpcUrl);
    await makeShop(clients, "shop");
    await trained(clients, "shop");

    const signedUp = await shop.trace({ action_type: "subscribe", email: "maja@shop.example", fp_ccid: "f1" });
    expect(signedUp.status).toBe(200);
    const { event } = await clients.events.getEvent({ appId: "shop", eventId: signedUp.id ?? "" });
    expect(event?.actionType).toBe("subscribe");
    expect(await shop.status("f1")).toEqual({
      status: 200,
      body: { identified: true, status: true, message: "Success" },
    });
    const recommended = await shop.recommend();
    expect(recommended).toMatchObject({ status: 200, body: { trackerProduct: { productId: "p0" } } });
    expect(JSON.stringify(recommended.body)).toMatch(/"recommended":\[\{/);
    expect(await shop.ready()).toEqual({ status: 200, body: { status: "ready" } });

    expect(await shop.recommend("other")).toEqual({ status: 400, body: { error: "Invalid appId" } });
    const unknown = { app_id: "other", action_type: "product_view", product_ids: "p0", fp_ccid: "f1" };
    expect(await shop.trace(unknown)).toMatchObject({ status: 400, body: { error: "Invalid app_id" } });
  });

  it("a facade without its services answers the documented errors, and recovers", async () => {
    const store = await newStore();
    const port = await freePort();
    let services = await startServices({ store, env }, port);
    const shop = storefront((await startFacade(services.rpcUrl)).facadeUrl);
    await rpcClients(services.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    expect((await shop.view("f1")).status).toBe(200);

    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await services.end(signal);
      const refused = { status: 503, retryAfter: "1", body: { error: "Service temporarily unavailable" } };
      expect(await shop.view("f1")).toMatchObject(refused);
      expect(await shop.recommend()).toEqual({ status: 500, body: { error: "Service temporarily unavailable" } });
      const failed = { identified: false, status: null, message: "An error occurred while processing the request" };
      expect(await shop.status("f1")).toEqual({ status: 500, body: failed });
      expect(await shop.ready()).toEqual({ status: 503, body: { error: "Not ready", reason: "no answer" } });
      expect((await shop.alive()).status).toBe(200);

      services = await startServices({ store, env }, port);
      await expect.poll(async () => (await shop.ready()).status, WAIT).toBe(200);
      expect((await shop.view("f1")).status).toBe(200);
      expect((await shop.status("f1")).status).toBe(200);
    }
  });

  it("a facade refuses calls that its services do not answer in time, and recovers", async () => {
    const services = await startServices({ store: await newStore(), env });
    const shop = storefront((await startFacade(services.rpcUrl)).facadeUrl);
    await rpcClients(services.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    expect((await shop.view("f1")).status).toBe(200);
    const signal = (name: NodeJS.Signals) => {
      for (const pid of services.pids()) process.kill(pid, name);
    };
    signal("SIGSTOP");
    expect((await shop.view("f1")).status).toBe(503);
    expect((await shop.ready()).status).toBe(503);
    signal("SIGCONT");
    await expect.poll(async () => (await shop.view("f1")).status, WAIT).toBe(200);
  });

  it("each call under way while services are killed is stored and gets 200, or gets 503", async () => {
    const store = await newStore();
    const port = await freePort();
    let services = await startServices({ store, env }, port);
    const shop = storefront((await startFacade(services.rpcUrl)).facadeUrl);
    await rpcClients(services.rpcUrl).apps.createApp({ app: { appId: "shop" } });
    const statuses = new Set<number>();
    const ids: string[] = [];
    let stopped = false;
    const caller = async (n: number) => {
      while (!stopped) {
        const { status, id } = await shop.view(`f${n}`);
        statuses.add(status);
        if (status === 200) ids.push(id ?? "");
        else await sleep(10);
      }
    };
    const callers = Promise.all(Array.from({ length: 16 }, (_, n) => caller(n)));
    for (let round = 0; round < 3; round++) {
      const before = ids.length;
      await expect.poll(() => ids.length, WAIT).toBeGreaterThan(before + 50);
      await services.end("SIGKILL");
      services = await startServices({ store, env }, port);
    }
    const before = ids.length;
    await expect.poll(() => ids.length, WAIT).toBeGreaterThan(before + 50);
    stopped = true;
    await callers;
    expect([...statuses].sort()).toEqual([200, 503]);
    const { events } = rpcClients(services.rpcUrl);
    const lost: string[] = [];
    for (const eventId of ids) await events.getEvent({ appId: "shop", eventId }).catch(() => lost.push(eventId));
    expect(lost).toEqual([]);
  });

  it("services train by themselves on an embedded store, which is refused to a trainer", async ({ skip }) => {
    const store = await newStore();
    skip(!store.startsWith("embedded:"), "of an embedded store");
    const flags = ["--role", "services", "--rpc-port", "0", "--train-every", "100ms"];
    const services = await startServer({ store, env, flags });
    const clients = rpcClients(services.rpcUrl);
    const refused = launchServer({ store, env, flags: ["--role", "trainer"] });
    expect(await refused.ended).toBe(2);
    expect(refused.output()).toMatch(/^error: --role \(AISLE_ROLE\): trainer is for MongoDB[^\n]+\n$/);
    await makeShop(clients, "shop");
    const version = async () =>
      (await clients.recommendations.recommend({ appId: "shop", currentProductIds: ["p0"] })).version;
    const first = await version();
    await expect.poll(version, WAIT).not.toBe(first);
  });

  it("a trainer trains on events of other processes of the store, and they serve its model", async ({ skip }) => {
    const store = await newStore();
    skip(store.startsWith("embedded:"), "of MongoDB");
    const services = await startServices({ store, env });
    const clients = rpcClients(services.rpcUrl);
    const flags = ["--role", "trainer", "--rpc-port", "0", "--train-every", "100ms"];
    const trainer = await startServer({ store, env, flags });
    expect(trainer.facadeUrl).toBe("");
    const health = createClient(Health, createGrpcTransport({ baseUrl: trainer.rpcUrl }));
    expect((await health.check({ service: "" })).status).toBe(ServingStatus.SERVING);
    await expect(rpcClients(trainer.rpcUrl).apps.listApps({})).rejects.toThrow(/unimplemented/);

    await makeShop(clients, "shop");
    const version = async () =>
      (await clients.recommendations.recommend({ appId: "shop", currentProductIds: ["p0"] })).version;
    const first = await version();
    await expect.poll(version, WAIT).not.toBe(first);
    expect(await trainer.end("SIGTERM")).toBe(0);
  });
});
