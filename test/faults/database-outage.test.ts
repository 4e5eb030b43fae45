import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { remoteStore } from "../../src/server/local-services.js";
import { readConfig } from "../../src/server/settings/config.js";
import { mongoBehindProxy, openMongoPeer } from "../fixtures/mongo-peer.js";
import { trained } from "../fixtures/operations.js";
import {
  freePort,
  launchServer,
  type Owner,
  rpcClients,
  type ServerProcess,
  sharedOwner,
  startServer,
} from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import type { TcpProxy } from "../fixtures/tcp-proxy.js";
import { databaseName } from "../store/mongo/open-mongo.js";
import { EventLoad, storedEvents } from "./event-load.js";
import { rounds } from "./faults.js";
import { recordFault } from "./report.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

const RESETS = rounds(6, 60);
const OUTAGES = rounds(4, 24);
const WAIT = { interval: 100, timeout: 25_000 };
/** The address of a new database, reached through a proxy. */
async function behindProxy(owner: Owner) {
  const { proxy, url: store } = await mongoBehindProxy(peer, databaseName());
  owner(() => proxy.close());
  return { proxy, store };
}

/** A caller's own patience. What the server promises is a second; a busy machine gets some more. */
const CALL_MS = 4_000;

describe(`a server whose database fails: ${peer.name}`, () => {
  const { owner, release } = sharedOwner();
  afterAll(release);
  let proxy: TcpProxy;
  let server: ServerProcess;
  let restAt = "";

  /** A call as a storefront makes it; `status` 0 when nothing came in time. */
  async function call(path: string, init: RequestInit = {}) {
    try {
      const answer = await fetch(`${restAt}${path}`, { ...init, signal: AbortSignal.timeout(CALL_MS) });
      const retryAfter = answer.headers.get("retry-after");
      const id = answer.headers.get("x-service-event-id") ?? "";
      return { status: answer.status, body: (await answer.json()) as unknown, retryAfter, id };
    } catch {
      return { status: 0, body: undefined, retryAfter: null, id: "" };
    }
  }
  const ORIGIN = { origin: "https://shop.example" };
  const trace = (more = {}) => {
    const view = { app_id: "shop", action_type: "product_view", product_ids: "p0", fp_ccid: "f1" };
    const body = new URLSearchParams({ ...view, ...more });
    return call("/trace", { method: "POST", body, headers: ORIGIN });
  };
  const recommend = (visitor = {}) => {
    const body = { appId: "shop", productInteractions: [], currentProductIds: "p0", ...visitor };
    const headers = { ...ORIGIN, "content-type": "application/json" };
    return call("/recommend", { method: "POST", headers, body: JSON.stringify(body) });
  };
  const status = () => call("/subscription_status?app_id=shop&fpcid=f1&force=1", { headers: ORIGIN });
  const ready = () => call("/readyz");
  const isReady = async () => (await ready()).status;

  /** A counter of the server. */
  async function counted(name: string): Promise<number> {
    const text = await (await fetch(`${server.rpcUrl}/metrics`)).text();
    return Number(new RegExp(`^aisle_${name}_total (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  }

  beforeAll(async () => {
    const behind = await behindProxy(owner);
    proxy = behind.proxy;
    server = await startServer({ store: behind.store, flags: ["--log-level", "warn"], owner });
    restAt = server.facadeUrl;
    const clients = rpcClients(server.rpcUrl);
    await makeShop(clients, "shop");
    await trained(clients, "shop");
  }, 120_000);

  it("answers a sender within a second", () => {
    const { answerMs, settingsMs } = remoteStore(readConfig({}, {}).answerMs);
    expect(answerMs + settingsMs).toBeLessThan(1000);
  });

  it.each([
    ["lets nothing through", () => proxy.stall()],
    ["cuts its connections and takes no more", () => proxy.cut()],
    ["answers five seconds late", () => proxy.delay(5_000)],
  ])(
    "refuses events, still recommends, is not ready, and recovers: the network %s",
    async (_, fail) => {
      const whole = await recommend();
      expect([(await trace()).status, whole.status, (await status()).status, await isReady()]).toEqual([
        200, 200, 200, 200,
      ]);
      const without = await counted("recommend_history_failures");
      fail();
      const calls = [trace(), recommend(), recommend({ cId: "c1" }), status(), ready()] as const;
      const [traced, recommended, ofVisitor, asked, readiness] = await Promise.all(calls);
      const refusal = { error: "Service temporarily unavailable" };
      expect(traced).toMatchObject({ status: 503, body: refusal, retryAfter: "1" });
      expect(recommended).toMatchObject({ status: 200, body: whole.body });
      expect(ofVisitor).toMatchObject({ status: 200 });
      expect(asked).toMatchObject({ status: 500, body: { identified: false, status: null } });
      const reason = expect.stringMatching(/^The store (did|does) not answer/);
      expect(readiness).toMatchObject({ status: 503, body: { error: "Not ready", reason } });
      expect(await counted("recommend_history_failures")).toBeGreaterThan(without);
      // Settings are read again after a second: recommending goes on from those it knows.
      await pause(1_500);
      expect(await recommend()).toMatchObject({ status: 200, body: whole.body });
      expect((await trace()).status).toBe(503);
      proxy.restore();
      await expect.poll(isReady, WAIT).toBe(200);
      await expect.poll(async () => [(await trace()).status, (await status()).status], WAIT).toEqual([200, 200]);
      expect(await recommend()).toMatchObject({ status: 200, body: whole.body });
    },
    60_000,
  );

  it("stores an event once although its sender repeats it while connections are reset", async () => {
    const ids = new Map<string, string>();
    const before = (await eventIds()).size;
    let lost = 0;
    const send = async (idempotency_key: string) => {
      for (;;) {
        const { status, id } = await trace({ idempotency_key });
        if (status === 200) return ids.set(idempotency_key, id);
        expect([0, 503]).toContain(status);
        lost++;
      }
    };
    let sent = 0;
    let round = 0;
    // A reset may come when all is answered: rounds go on until one came before.
    for (; round < RESETS || (lost === 0 && round < 60); round++) {
      const sending = Array.from({ length: 8 }, () => send(`key-${sent++}`));
      await Promise.race(sending);
      proxy.reset();
      await Promise.all(sending);
    }
    expect(new Set(ids.values()).size).toBe(sent);
    const stored = await eventIds();
    const missing = [...ids.values()].filter((id) => !stored.has(id)).length;
    const more = stored.size - before - sent;
    expect([missing, more]).toEqual([0, 0]);
    expect(lost).toBeGreaterThan(0);
    const seen = `${lost} calls broken or refused before their event was acknowledged`;
    const counts = { acknowledged: ids.size, lost: missing, duplicated: more, wrong: 0 };
    recordFault("store-resets", "mongo", { rounds: round, ...counts, seen });
  }, 120_000);

  async function eventIds(): Promise<Set<string>> {
    const { events } = rpcClients(server.rpcUrl);
    const { events: found } = await events.listEvents({ appId: "shop", pageSize: 1000 });
    return new Set(found.map(({ eventId }) => eventId));
  }

  it(
    "keeps every acknowledged event while the database fails again and again in every way, under load",
    async () => {
      const load = new EventLoad();
      const ways = [() => proxy.stall(), () => proxy.cut(), () => proxy.delay(3_000), () => proxy.reset()];
      let refused = 0;
      let isLoading = true;
      const caller = async () => {
        while (isLoading) {
          if ((await load.post(server.facadeUrl)).kind === "accepted") continue;
          refused++;
          await pause(50);
        }
      };
      const calling = Promise.all(Array.from({ length: 8 }, caller));
      for (let round = 0; round < OUTAGES; round++) {
        const enough = load.acknowledged.size + 20;
        await expect.poll(() => load.acknowledged.size, { ...WAIT, timeout: 60_000 }).toBeGreaterThan(enough);
        ways[round % ways.length]!();
        await pause(1_200);
        proxy.restore();
      }
      const enough = load.acknowledged.size + 20;
      await expect.poll(() => load.acknowledged.size, { ...WAIT, timeout: 60_000 }).toBeGreaterThan(enough);
      isLoading = false;
      await calling;
      const counts = load.judge(await storedEvents(server.rpcUrl));
      expect(counts).toMatchObject({ lost: 0, duplicated: 0, wrong: 0 });
      const seen = `${refused.toLocaleString("en")} calls refused or broken meanwhile; it went on by itself`;
      recordFault("store-away", "mongo", { rounds: OUTAGES, ...counts, seen });
    },
    120_000 + OUTAGES * 30_000,
  );

  it("starts alive but not ready while its database is away, and serves when it is back", async () => {
    const behind = await behindProxy(onTestFinished);
    behind.proxy.cut();
    const url = `http://127.0.0.1:${await freePort()}`;
    const flags = ["--facade-port", new URL(url).port];
    const { ready, output } = launchServer({ store: behind.store, flags });
    const statusOf = async (path: string) => (await fetch(`${url}${path}`).catch(() => undefined))?.status;
    await expect.poll(() => statusOf("/healthz"), WAIT).toBe(200);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      error: "Not ready",
      reason: "The store could not be reached yet",
    });
    expect(output()).toMatch(/--store \(AISLE_STORE\): No MongoDB server answers \(.*\); waiting for the store/);
    expect(output()).not.toMatch(/aisle is ready/);
    behind.proxy.restore();
    const { rpcUrl } = await ready;
    await rpcClients(rpcUrl).apps.createApp({ app: { appId: "shop" } });
    expect(await statusOf("/readyz")).toBe(200);
  }, 90_000);
});
