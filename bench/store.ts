/**
 * Durable works a second of the embedded store, beside plain puts into LMDB in the same run, and the speed of scans.
 *
 *   npx tsx bench/store.ts [seconds for each measurement, default 3]
 *
 * A work is what a product view costs: the event (about 600 bytes), an interaction, a visitor key and a visitor read,
 * the visitor written. A plain put is one value of 600 bytes. Ratios hold on any machine, absolute numbers do not.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { bareApp } from "../src/domain/app.js";
import { newVisitor, type Visitor } from "../src/domain/visitor.js";
import { openEmbeddedStore } from "../src/store/lmdb/store.js";
import type { Store } from "../src/store/ports/store.js";
import { interactionOf, type Measured, measure, viewEvent } from "./load.js";

const SECONDS = Number(process.argv[2] ?? 3);
const VISITORS = 20_000;
const SCAN_ROWS = 1_000_000;

function show(name: string, one: Measured, base?: Measured): void {
  const ratio = base === undefined ? "" : `, ${(one.perSecond / base.perSecond).toFixed(2)} of plain puts`;
  console.log(
    `${name}: ${Math.round(one.perSecond).toLocaleString("en")}/s, ${one.cpuMicros.toFixed(1)} µs CPU, ` +
      `p99 ${one.p99Ms.toFixed(1)} ms${ratio}`,
  );
}

function visitor(n: number, linkedAt: number): Visitor {
  const visitorId = `visitor-${n}`;
  return { ...newVisitor(visitorId, 1_700_000_000_000), keys: [`c:c-${n}`], linkedAt };
}

/** One product view, as intake would record it. */
function recordView(store: Store, n: number): Promise<void> {
  return store.unitOfWork.run("bench", (tx) => {
    const one = viewEvent(n, VISITORS);
    tx.events.put(one.eventId, one);
    const visitorId = tx.visitorKeys.get(`c:${one.visitor.clientId}`) ?? "visitor-0";
    const known = tx.visitors.get(visitorId) ?? visitor(0, 0);
    tx.visitors.put(visitorId, { ...known, linkedAt: one.occurredAt });
    tx.putInteraction(visitorId, interactionOf(one));
    tx.markChanged();
  });
}

/** What `recordView` reads and writes, as bytes: the least such a work can cost with LMDB. */
function plainView(plain: RootDatabase<Uint8Array, string>, value: Uint8Array, n: number): Promise<void> {
  return plain.transaction(() => {
    plain.getBinaryFast(`key-${n % VISITORS}`);
    plain.getBinaryFast(`visitor-${n % VISITORS}`);
    void plain.put(`event-${n}`, value);
    void plain.put(`visitor-${n % VISITORS}`, value.subarray(0, 60));
    void plain.put(`row-${n % VISITORS}-${n}`, value.subarray(0, 30));
  });
}

async function fill(store: Store): Promise<void> {
  const step = 500;
  for (let from = 0; from < VISITORS; from += step) {
    await store.unitOfWork.run("bench", (tx) => {
      for (let n = from; n < from + step; n++) {
        tx.visitors.put(`visitor-${n}`, visitor(n, 0));
        tx.visitorKeys.put(`c:c-${n}`, `visitor-${n}`);
      }
    });
  }
}

async function scan(store: Store): Promise<void> {
  await store.apps.create(bareApp("scan", 0));
  const perWork = 2000;
  const writes: Promise<void>[] = [];
  const filling = performance.now();
  for (let from = 0; from < SCAN_ROWS; from += perWork) {
    writes.push(
      store.unitOfWork.run("scan", (tx) => {
        for (let n = from; n < from + perWork; n++) {
          const visitorId = `018f3c2e-7b1a-7c3d-9e4f-${Math.floor(n / 8)
            .toString(16)
            .padStart(12, "0")}`;
          const ref = `018f3c2f-7b1a-7c3d-9e4f-${n.toString(16).padStart(12, "0")}`;
          const at = 1_700_000_000_000 + n;
          tx.putInteraction(visitorId, { type: "product_view", at, productIds: [`p${n % 5000}`], ref });
        }
      }),
    );
    if (writes.length === 4) await Promise.all(writes.splice(0));
  }
  await Promise.all(writes);
  console.log(`filling: ${Math.round(SCAN_ROWS / ((performance.now() - filling) / 1000)).toLocaleString("en")} rows/s`);
  const start = performance.now();
  let rows = 0;
  for await (const batch of store.interactions.scan("scan")) {
    for (const history of batch) rows += history.interactions.length;
  }
  const ms = performance.now() - start;
  console.log(
    `interactions.scan: ${rows.toLocaleString("en")} rows in ${Math.round(ms)} ms, ${((ms * 1000) / rows).toFixed(2)} µs a row`,
  );
}

const directory = await mkdtemp(join(tmpdir(), "aisle-bench-"));
try {
  const plain = open<Uint8Array, string>(join(directory, "plain"), {
    encoding: "binary",
    overlappingSync: false,
    noSubdir: false,
  });
  const value = Buffer.alloc(600, 7);
  const store = await openEmbeddedStore({ directory: join(directory, "store"), now: Date.now });
  await store.apps.create(bareApp("bench", 0));
  await fill(store);
  for (const callers of [1, 64, 512]) {
    const base = await measure(SECONDS, callers, (n) => plain.put(`${callers}-${n}`, value));
    show(`${callers} callers, plain lmdb put`, base);
    const same = await measure(SECONDS, callers, (n) => plainView(plain, value, callers * 10_000_000 + n));
    show(`${callers} callers, the same reads and writes in plain lmdb transactions`, same, base);
    show(
      `${callers} callers, works`,
      await measure(SECONDS, callers, (n) => recordView(store, callers * 10_000_000 + n)),
      base,
    );
  }
  await plain.close();
  await scan(store);
  await store.close();
} finally {
  await rm(directory, { recursive: true, force: true });
}
