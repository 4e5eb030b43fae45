import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openMongoPeer } from "../fixtures/mongo-peer.js";
import { trained } from "../fixtures/operations.js";
import { launchServer, rpcClients, startServer } from "../fixtures/server.js";
import { makeShop } from "../fixtures/small-shop.js";
import { databaseName } from "../store/mongo/open-mongo.js";

const peer = await openMongoPeer();
afterAll(() => peer.stop());

const WAIT = { interval: 100, timeout: 25_000 };

/** Servers that share a new database. */
async function servers(count: number, flags: readonly string[] = []) {
  const database = databaseName();
  onTestFinished(() => peer.drop(database));
  const store = peer.url(database);
  const options = { store, flags: ["--train-every", "off", ...flags], env: { AISLE_ANSWER_MS: "20000" } };
  const first = await startServer(options);
  const others = await Promise.all(Array.from({ length: count - 1 }, () => startServer(options)));
  return { store, all: [first, ...others] };
}

describe(`servers that share a database: ${peer.name}`, () => {
  it("load what another one published, and keep the newest three snapshots", async () => {
    const { store, all } = await servers(2);
    const [one, two] = all.map((server) => rpcClients(server.rpcUrl));
    await makeShop(one!, "shop");
    const modelOf = async (clients: typeof one) =>
      (await clients!.recommendations.recommend({ appId: "shop", currentProductIds: ["p0"] })).modelId;
    expect(await modelOf(two)).toBe("");
    const made: string[] = [];
    for (let round = 0; round < 5; round++) {
      const trainer = round % 2 === 0 ? one! : two!;
      await trained(trainer, "shop");
      const { models } = await one!.models.listModels({ appId: "shop" });
      const active = models.find((model) => model.active)?.modelId ?? "none";
      made.push(active);
      await expect.poll(async () => [await modelOf(one), await modelOf(two)], WAIT).toEqual([active, active]);
    }
    const kept = (await two!.models.listModels({ appId: "shop" })).models.map(({ modelId }) => modelId);
    expect(kept).toEqual(made.slice(-3).reverse());
    const client = new MongoClient(store);
    onTestFinished(() => client.close());
    const files = await client.db().collection("snapshots.files").find().toArray();
    expect(files).toHaveLength(3);
    const chunks = await client.db().collection("snapshots.chunks").distinct("files_id");
    expect(chunks.map(String).sort()).toEqual(files.map(({ _id }) => String(_id)).sort());
  });

  it("end their start with one line that shows no password when the database refuses the user", async () => {
    const store = peer.url(databaseName()).replace(/^mongodb:\/\/(?:[^@/]*@)?/, "mongodb://nobody:s3cret@");
    const server = launchServer({ store });
    expect(await server.ended).toBe(1);
    expect(server.output()).toBe("error: --store (AISLE_STORE): The MongoDB server refuses the user or the password\n");
  });

  it.each([
    ["two servers", [180, 60]],
    ["three servers", [160, 60, 30]],
  ])(
    "let in together, within a tenth, what one server would of backend senders: %s",
    async (_, rates) => {
      const { all } = await servers(rates.length);
      await rpcClients(all[0]!.rpcUrl).apps.createApp({ app: { appId: "shop" } });
      const statuses: number[] = [];
      const startedAt = performance.now();
      const endAt = startedAt + 6_000;
      const sentAt: number[] = [];
      let slowestMs = 0;
      const sender = async (url: string, perSecond: number) => {
        const calls: Promise<void>[] = [];
        for (let n = 0; performance.now() < endAt; n++) {
          const dueIn = startedAt + (n * 1000) / perSecond - performance.now();
          if (dueIn > 0) await pause(dueIn);
          const at = performance.now();
          const take = (status: number) => {
            statuses.push(status);
            if (status !== 503) sentAt.push(at);
            slowestMs = Math.max(slowestMs, performance.now() - at);
          };
          calls.push(send(url).then(take));
        }
        await Promise.all(calls);
      };
      await Promise.all(all.map((server, n) => sender(`${server.facadeUrl}/trace`, rates[n]!)));
      // On a busy machine a server lets few wait, and refuses the others: these are not the limit's.
      const limited = statuses.filter((status) => status !== 503);
      expect(limited.filter((status) => status !== 200 && status !== 429)).toEqual([]);
      const admitted = statuses.filter((status) => status === 200).length;
      // Each request came to its server some time between its sending and its answer. What a machine delays comes at once, and
      // of that the limit lets in less.
      expect(admitted).toBeGreaterThan(0.9 * admittedByOne(sentAt) - slowestMs / 10);
      expect(admitted).toBeLessThan(1.1 * (100 + (performance.now() - startedAt) / 10));
    },
    60_000,
  );
});

/** How many of these requests one server lets in: 100 a second, and 100 at once. */
function admittedByOne(sentAt: readonly number[]): number {
  let [admitted, room, before] = [0, 100, 0];
  for (const at of sentAt.toSorted((a, b) => a - b)) {
    room = Math.min(100, room + (at - before) / 10);
    before = at;
    if (room < 1) continue;
    room--;
    admitted++;
  }
  return admitted;
}

/** An event of a backend over a connection of its own, so that the next worker in turn takes it; its status. */
function send(url: string): Promise<number> {
  const form = { app_id: "shop", action_type: "product_view", product_ids: "p0", c_id: "c1", sender_type: "server" };
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = request(url, { agent: false, method: "POST", headers }, (answer) => {
      answer.resume();
      answer.on("error", reject);
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(new URLSearchParams(form).toString());
  });
}
