/**
 * What invented product ids cost: memory, and the CPU of a recommendation, before and after a flood of them.
 *
 *   npm run bench -- invented-products [--ids 10000000] [--each 1000] [--networks 1000]
 *
 * A shop of 2,000 products over an embedded store, with learning from events on. Strangers send events of `each` ids that
 * nobody has sent before, from so many networks, through intake as REST events go; then its catalogue is read anew, as
 * after a restart. Memory is that of this process without mapped files, after a collection.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLearnProducts } from "../src/catalog/learn-products.js";
import { SLOTS } from "../src/catalog/sighting-hashes.js";
import { bareApp } from "../src/domain/app.js";
import { LINK_LIMITS } from "../src/identity/links/link-limits.js";
import { createIdentify } from "../src/identity/visitors.js";
import { keepHistory } from "../src/intake/history.js";
import { keepOrderBook } from "../src/intake/order-book.js";
import { createTakeEvent } from "../src/intake/record-event.js";
import { createRecordEvents } from "../src/intake/record-events.js";
import { openEmbeddedStore } from "../src/store/lmdb/store.js";
import { wireAisle } from "../test/fixtures/aisle.js";
import { bareProduct } from "../test/fixtures/bare-product.js";
import { countingMetrics } from "../test/fixtures/metrics.js";
import { testIds, testSecrets } from "../test/fixtures/store.js";
import { draft, NO_VISITOR, product } from "../test/intake/intake-fixture.js";
import { processFigures } from "./process-figures.js";

const { values } = parseArgs({
  options: {
    ids: { type: "string", default: "10000000" },
    each: { type: "string", default: "1000" },
    networks: { type: "string", default: "1000" },
  },
});
const [ids, each, networks] = [Number(values.ids), Number(values.each), Number(values.networks)];
const APP = "shop";
const PRODUCTS = 2000;
const BATCH = 20;
const ANSWERS = 2000;
const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const directory = await mkdtemp(join(tmpdir(), "aisle-invented-"));
const store = await openEmbeddedStore({ directory, now: Date.now });
const metrics = countingMetrics();
try {
  await store.apps.create(bareApp(APP, 1));
  await store.unitOfWork.run(APP, (tx) => {
    for (let n = 0; n < PRODUCTS; n++) tx.products.put(`p${n}`, bareProduct(`p${n}`, { title: `Product ${n}` }));
  });
  const before = await measure();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await flood();
  const { user, system } = process.cpuUsage(cpuBefore);
  const tookS = (performance.now() - startedAt) / 1000;
  const after = await measure();
  console.log(
    `${ids.toLocaleString("en")} invented ids, ${each} an event, of ${networks} networks, in ${tookS.toFixed(0)} s`,
  );
  console.log(`intake: ${((user + system) / (ids / each) / 1000).toFixed(2)} ms CPU an event`);
  console.log(
    `memory: ${before.mib.toFixed(0)} → ${after.mib.toFixed(0)} MiB (${(after.mib - before.mib).toFixed(1)} more)`,
  );
  console.log(
    `a recommendation: ${before.cpuUs.toFixed(1)} → ${after.cpuUs.toFixed(1)} µs CPU (${(100 * (after.cpuUs / before.cpuUs - 1)).toFixed(1)} %)`,
  );
  console.log(`catalogue: ${after.catalogue} products; waiting beside it: ${await unconfirmed()}`);
  console.log(`counted: ${metrics.counts.get("learned_products") ?? 0} products added, learned, changed or pushed out`);
} finally {
  await store.close();
  await rm(directory, { recursive: true, force: true });
}

/** A fresh set of services, as after a restart. */
async function measure() {
  const aisle = wireAisle(store);
  const ask = () =>
    aisle.clients.recommendations.recommend({ appId: APP, currentProductIds: ["p1"], visitor: { fingerprintId: "v" } });
  for (let n = 0; n < ANSWERS; n++) await ask();
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    collect();
    const from = process.cpuUsage();
    for (let n = 0; n < ANSWERS; n++) await ask();
    const { user, system } = process.cpuUsage(from);
    rounds.push((user + system) / ANSWERS);
  }
  let catalogue = 0;
  for await (const batch of store.products.scan(APP)) catalogue += batch.length;
  collect();
  const { ownBytes } = await processFigures(process.pid);
  aisle.close();
  return { cpuUs: Math.min(...rounds), mib: ownBytes / MIB, catalogue };
}

async function flood(): Promise<void> {
  const take = createTakeEvent({
    identify: createIdentify({ limits: LINK_LIMITS, newSecret: testSecrets() }),
    effects: [createLearnProducts("on"), keepHistory, keepOrderBook],
  });
  const record = createRecordEvents({
    apps: store.apps,
    unitOfWork: store.unitOfWork,
    take,
    rejectedEvents: { keep: () => undefined },
    now: Date.now,
    newEventId: testIds(),
    metrics,
  });
  for (let at = 0; at < ids / each; at += BATCH) {
    await record(APP, Math.min(BATCH, ids / each - at), (index) => {
      const event = at + index;
      const products = Array.from({ length: each }, (_, n) => product(`invented-${event}-${n}`, { title: "Made up" }));
      const visitor = { ...NO_VISITOR, fingerprintId: `made up ${event}` };
      const sent = draft("product_view", { visitor, products, sentBy: { network: `net${event % networks}` } });
      return { event: sent, idempotencyKey: "" };
    });
  }
}

function unconfirmed(): Promise<number> {
  return store.unitOfWork.run(APP, (tx) => {
    let count = 0;
    for (let n = 0; n < SLOTS; n++) count += tx.unconfirmedProducts.get(String(n))?.products.length ?? 0;
    return count;
  });
}
