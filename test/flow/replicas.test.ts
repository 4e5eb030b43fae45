import { setTimeout as pause } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openMongoStore } from "../../src/store/mongo/store.js";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { freePort, rpcClients, type ServerProcess, startServer } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { databaseName, PATIENT } from "../store/mongo/open-mongo.js";
import { ReplicaLoad } from "./replica-load.js";

/** Seconds of load: 60 in CI, fewer at a desk unless AISLE_REPLICAS_SECONDS says how many. */
const SECONDS = Number(process.env.AISLE_REPLICAS_SECONDS ?? (process.env.CI ? 60 : 15));
const APPS = ["north", "south", "west"];
/** So often each of the three processes is killed. */
const ROUNDS = Math.max(1, Math.floor(SECONDS / 20));
const WAIT = { interval: 100, timeout: 60_000 };
/** Milliseconds: the load, its restarts on a machine with much else to do (27 s each were seen), and what is waited for. */
const TIMEOUT_MS = SECONDS * 1000 + 3 * ROUNDS * 30_000 + 180_000;

const peer = await openMongoPeer();
afterAll(() => peer.stop());

/** `aisle serve`, which can be killed and started again at the same ports. */
async function replica(...flags: string[]) {
  const ports = ["--rpc-port", String(await freePort())];
  if (!flags.includes("trainer")) ports.push("--facade-port", String(await freePort()));
  const start = () => startServer({ directory: "", defaults: false, flags: [...flags, ...ports] });
  let running: ServerProcess = await start();
  const { facadeUrl, rpcUrl } = running;
  return {
    facadeUrl,
    rpcUrl,
    async killAndRestart(awayMs: number) {
      await running.end("SIGKILL");
      await pause(awayMs);
      running = await start();
    },
  };
}

interface Training {
  readonly appId: string;
  readonly from: number;
  readonly to: number;
}

interface LeaseDocument {
  readonly _id: string;
  readonly app: string;
  readonly v: { readonly holder: string; readonly token: number };
}

/** Notes what is trained, and under which leases, while it happens: only the newest of both are kept. */
async function watchTrainings(url: string) {
  const client = new MongoClient(url);
  const store = await openMongoStore({ url, now: Date.now, limits: PATIENT, readOnly: true });
  const trainings = new Map<string, Training>();
  const leases = new Map<string, { readonly app: string; readonly token: number; readonly holder: string }>();
  let isDone = false;
  const look = async () => {
    const found = await client.db().collection<LeaseDocument>("records").find({ across: "leases" }).toArray();
    for (const { app, v } of found) leases.set(`${app} ${v.token} ${v.holder}`, { app, ...v });
    for (const appId of APPS) {
      for (const { modelId, createdAt, trainingMs } of await store.models.list(appId))
        trainings.set(modelId, { appId, from: createdAt - trainingMs, to: createdAt });
    }
  };
  const looking = (async () => {
    while (!isDone) {
      await look();
      await pause(100);
    }
  })();
  const stop = async () => {
    isDone = true;
    await looking;
  };
  onTestFinished(async () => {
    await stop().catch(() => undefined);
    await Promise.all([client.close(), store.close()]);
  });
  return { trainings, leases, stop };
}

/** Pairs of trainings of one app of which the later began before the earlier had ended. */
function overlaps(trainings: Iterable<Training>): (readonly [Training, Training])[] {
  const inOrder = [...trainings].sort((a, b) => a.from - b.from);
  return APPS.flatMap((appId) => {
    const own = inOrder.filter((one) => one.appId === appId);
    return own.slice(1).flatMap((later, i) => (later.from < own[i]!.to ? [[own[i]!, later] as const] : []));
  });
}

/** The keys of all stored events, by app and event id. */
async function storedKeys(rpcUrl: string): Promise<Map<string, string>> {
  const { events } = rpcClients(rpcUrl);
  const keys = new Map<string, string>();
  for (const appId of APPS) {
    for (let pageToken = ""; ; ) {
      const page = await events.listEvents({ appId, pageSize: 1000, pageToken });
      for (const { eventId, extraFields } of page.events) {
        const key = extraFields.page_key;
        if (key !== undefined) keys.set(`${appId} ${eventId}`, key);
      }
      pageToken = page.nextPageToken;
      if (pageToken === "") break;
    }
  }
  return keys;
}

describe(`two servers and a trainer on one store: ${peer.name}`, () => {
  it(
    `lose no acknowledged event and store none twice through ${SECONDS} s of load in which each is killed in turn`,
    async () => {
      const database = databaseName();
      onTestFinished(() => peer.drop(database));
      const url = peer.url(database);
      const servers = [
        await replica("--store", url, "--train-every", "off"),
        await replica("--store", url, "--train-every", "off"),
      ];
      const trainer = await replica("--store", url, "--role", "trainer", "--train-every", "1s");
      const { rpcUrl } = servers[0]!;
      for (const appId of APPS) await makeShop(rpcClients(rpcUrl), appId);
      const watch = await watchTrainings(url);
      const trained = () => new Set([...watch.trainings.values()].map(({ appId }) => appId)).size;
      await expect.poll(trained, WAIT).toBe(APPS.length);
      const before = watch.trainings.size;

      const load = new ReplicaLoad(servers, APPS);
      const running = load.run();
      const slotMs = (SECONDS * 1000) / (3 * ROUNDS);
      for (let round = 0; round < ROUNDS; round++) {
        for (const victim of [servers[0]!, trainer, servers[1]!]) {
          const until = performance.now() + slotMs;
          await pause(slotMs / 3);
          await victim.killAndRestart(500);
          await pause(Math.max(0, until - performance.now()));
        }
      }
      load.stop();
      await running;
      // A trainer that was killed keeps its lease for a while; then training goes on.
      await expect.poll(() => watch.trainings.size, WAIT).toBeGreaterThan(before);
      await watch.stop();
      process.stderr.write(
        `\n${load.summary()}, ${watch.trainings.size} trainings under ${watch.leases.size} leases\n`,
      );

      expect(load.invalid).toEqual([]);
      const stored = await vi.waitFor(() => storedKeys(rpcUrl), WAIT); // the store may be too slow for one listing
      const lost = load.acknowledged.filter(({ appId, key, eventId }) => stored.get(`${appId} ${eventId}`) !== key);
      expect(lost).toEqual([]);
      expect(load.acknowledged.length).toBeGreaterThan(SECONDS);
      expect(new Set(stored.values()).size).toBe(stored.size);
      expect(stored.size).toBe(load.acknowledged.length);
      expect(overlaps(watch.trainings.values())).toEqual([]);
      const tokens = [...watch.leases.values()].map(({ app, token }) => `${app} ${token}`);
      expect(new Set(tokens).size).toBe(tokens.length);
    },
    TIMEOUT_MS,
  );
});
