/**
 * What learning between trainings costs a server: CPU of each event, and the longest piece between two turns of other work.
 *
 *     npm run bench -- fresh-cost [--products 2000] [--visits 20000] [--events 2000]
 *
 * A shop over an embedded store in this process, trained on its visits. Events then come, of visitors the shop has not met
 * and of others, three a visit. The budget's clock runs ahead, so that all are learned. CPU of an event is that of this
 * process. The longest piece is CPU of the thread that answers: threads that compile or collect garbage do not hold it up.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ConnectRouter, createClient, createRouterTransport } from "@connectrpc/connect";
import { createFacade } from "../src/facade/facade.js";
import { AppService } from "../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../src/gen/aisle/v1/event_service_pb.js";
import { createRandom } from "../src/learning/common/random.js";
import { createUuids } from "../src/server/uuids.js";
import { openEmbeddedStore } from "../src/store/lmdb/store.js";
import { wireAisle } from "../test/fixtures/aisle.js";

const { values } = parseArgs({
  options: {
    products: { type: "string", default: "2000" },
    visits: { type: "string", default: "20000" },
    events: { type: "string", default: "2000" },
  },
});
const [products, visits, count] = [values.products, values.visits, values.events].map(Number);
const APP = "shop";
/** Until events are read for the second time. */
const SETTLED_MS = 6000;
const random = createRandom(5);
const some = () => `p${Math.floor(random() ** 2 * products!)}`;

/** CPU of this process, ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU of the main thread, ms, as Linux counts it. */
function threadMs(): number {
  const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ");
  return Number(ns) / 1e6;
}

/** CPU of `work`, and the longest of the pieces of this thread between two turns of the event loop, while `work` runs. */
async function longestPiece(work: () => Promise<void>): Promise<{ readonly total: number; readonly longest: number }> {
  const begun = cpuMs();
  let last = threadMs();
  let longest = 0;
  let runs = true;
  const turn = () => {
    const at = threadMs();
    longest = Math.max(longest, at - last);
    last = at;
    if (runs) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  runs = false;
  return { total: cpuMs() - begun, longest };
}

const directory = await mkdtemp(join(tmpdir(), "aisle-fresh-cost-"));
const store = await openEmbeddedStore({ directory, now: Date.now });
try {
  const newId = createUuids({ now: Date.now, randomUuid: randomUUID });
  let ahead = 0;
  const aisle = wireAisle(store, { newId, liveLearning: true, monotonicNow: () => performance.now() + ahead });
  /** Refreshes a second apart by the clock of the budget, until nothing is left to do. */
  const settle = async () => {
    for (let quiet = 0; quiet < 5; ) {
      ahead += 1000;
      const begun = cpuMs();
      await aisle.refreshLive();
      quiet = cpuMs() - begun < 2 ? quiet + 1 : 0;
    }
  };
  const transport = createRouterTransport((router: ConnectRouter) => aisle.routes(router));
  const catalog = createClient(CatalogService, transport);
  const events = createClient(EventService, transport);
  await createClient(AppService, transport).createApp({ app: { appId: APP } });
  await catalog.upsertProducts(
    (async function* () {
      for (let n = 0; n < products!; n += 500)
        yield {
          appId: APP,
          products: Array.from({ length: Math.min(500, products! - n) }, (_, i) => ({ productId: `p${n + i}` })),
        };
    })(),
  );
  const record = (visitors: string, from: number, total: number) =>
    events.recordEvents(
      (async function* () {
        for (let n = 0; n < total; n += 300)
          yield {
            appId: APP,
            events: Array.from({ length: Math.min(300, total - n) }, (_, i) => ({
              actionType: "product_view",
              visitor: { clientId: `${visitors}${Math.floor((n + i) / 3)}` },
              products: [{ productId: some() }],
              eventTime: timestampFromMs(from + (n + i) * 1000),
            })),
          };
      })(),
    );
  await record("old", Date.now() - visits! * 3000 - 3_600_000, visits! * 3);
  await aisle.trainer.train(APP, () => undefined);
  const facade = createFacade({
    clients: aisle.clients,
    now: Date.now,
    newRequestId: newId,
    ready: () => store.ready(),
    isStopping: () => false,
    metrics: { count: () => undefined, observe: () => undefined },
  });
  const body = { appId: APP, productInteractions: [], currentProductIds: "p1" };
  await facade.inject({ method: "POST", url: "/recommend", payload: body });
  await settle();
  for (const visitors of ["new", "old"]) {
    await record(visitors, Date.now() - count! * 1000, count!);
    const first = await longestPiece(settle);
    await setTimeout(SETTLED_MS);
    const second = await longestPiece(settle);
    const micros = ({ total }: typeof first) => `${((total * 1000) / count!).toFixed(0)} µs CPU an event`;
    console.log(
      `${count} events of ${visitors} visitors: ${micros(first)}, read again ${micros(second)}; longest piece ${Math.max(first.longest, second.longest).toFixed(1)} ms`,
    );
  }
} finally {
  await store.close();
  await rm(directory, { recursive: true, force: true });
}
