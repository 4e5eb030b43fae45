/**
 * Works a second of the MongoDB store, beside plain insertMany of the same documents in the same run.
 *
 *   npx tsx bench/mongo.ts [seconds for each measurement, default 4]
 *
 * Against the server the tests use (MONGODB_TEST_URL, mongod, FerretDB). A work is what a product view costs: the event
 * and an interaction inserted, the visitor and one of its keys read, both made when they are new, and one idempotency
 * key claimed. The plain side inserts the same event, interaction and key, gathered in the same way: the next insertMany
 * takes all that came while the one before was under way. Ratios hold on any machine, absolute numbers do not.
 */
import { MongoClient } from "mongodb";
import { newVisitor } from "../src/domain/visitor.js";
import { openMongoStore } from "../src/store/mongo/store.js";
import type { Store } from "../src/store/ports/store.js";
import { openMongoPeer } from "../test/fixtures/mongo-peer.js";
import { gatheredInserts, interactionOf, type Measured, measure, viewEvent } from "./load.js";

const SECONDS = Number(process.argv[2] ?? 4);
const VISITORS = 2000;
const ANSWER_MS = 60_000;

function show(name: string, one: Measured, base?: Measured): void {
  const ratio = base === undefined ? "" : `, ${(one.perSecond / base.perSecond).toFixed(2)} of plain inserts`;
  console.log(
    `${name}: ${Math.round(one.perSecond).toLocaleString("en")}/s, ${Math.round(one.cpuMicros)} µs CPU, ` +
      `p50 ${one.p50Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms${ratio}`,
  );
}

/** One product view, as intake would record it. */
function recordView(store: Store, appId: string, n: number): Promise<void> {
  return store.unitOfWork.run(appId, (tx) => {
    tx.app();
    const one = viewEvent(n, VISITORS);
    const key = `k-${n}`;
    if (tx.idempotency.get(key) !== undefined) return;
    tx.idempotency.put(key, { eventId: one.eventId, bodyHash: "h", claimedAt: one.receivedAt });
    const name = `c:${one.visitor.clientId}`;
    const visitorId = tx.visitorKeys.get(name) ?? `visitor-${one.eventId}`;
    if (tx.visitors.get(visitorId) === undefined) {
      const { receivedAt: createdAt } = one;
      tx.visitors.put(visitorId, { ...newVisitor(visitorId, createdAt), keys: [name] });
      tx.visitorKeys.put(name, visitorId);
    }
    tx.events.put(one.eventId, one);
    tx.putInteraction(visitorId, interactionOf(one));
    tx.markChanged();
  });
}

const peer = await openMongoPeer();
if (peer === undefined) process.exit(1);
const DATABASES = ["aisle_bench", "aisle_bench_plain"];
try {
  for (const database of DATABASES) await peer.drop(database);
  const url = peer.url("aisle_bench");
  const open = () => openMongoStore({ url, now: Date.now, limits: { answerMs: ANSWER_MS }, log: console.log });
  const stores = [await open(), await open()];
  const client = new MongoClient(peer.url("aisle_bench_plain"));
  const [events, rows, keys] = ["events", "interactions", "idempotency"].map((name) =>
    gatheredInserts(client, "aisle_bench_plain", name),
  );
  let next = 0;
  const plain = async () => {
    const n = next++;
    const one = viewEvent(n, VISITORS);
    await Promise.all([
      events!({ _id: `bench\0${one.eventId}`, app: "bench", rev: 1, v: one }),
      rows!({ _id: `bench\0${n % VISITORS}\0${n}`, app: "bench", rev: 1, v: interactionOf(one) }),
      keys!({ _id: `bench\0k-${n}`, app: "bench", rev: 1, v: { eventId: one.eventId, bodyHash: "h", claimedAt: n } }),
    ]);
  };
  for (const callers of [1, 64, 512]) {
    const base = await measure(SECONDS, callers, plain);
    show(`${callers} callers, plain insertMany`, base);
    show(
      `${callers} callers, works`,
      await measure(SECONDS, callers, () => recordView(stores[0]!, "one", next++)),
      base,
    );
    const shared = (n: number) => recordView(stores[n % 2]!, "shared", next++);
    show(`${callers} callers, works of one app on two servers`, await measure(SECONDS, callers, shared), base);
  }
  await Promise.all([...stores.map((store) => store.close()), client.close()]);
} finally {
  for (const database of DATABASES) await peer.drop(database);
  await peer.stop();
}
