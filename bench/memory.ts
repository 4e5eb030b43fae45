/**
 * Many shops in one server with and without `--memory-mib`: memory, and how long a shop takes that had left memory.
 *
 *   npm run bench -- memory [--shops 1000] [--products 300] [--events 20000] [--memory-mib 256] [--requests 3000] [--json FILE]
 *
 * One made-up shop is imported and trained; its catalogue and model are copied to all others. Then a server is asked for
 * recommendations, one request at a time: of each shop in turn, so that with a limit nearly all had left memory, and of one
 * shop again and again. Memory is that of the server's process without mapped files, the most that was seen. Shops are
 * smaller than real ones, so that the bench takes minutes; memory goes by products (`--shops 20 --products 50000`).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bareApp } from "../src/domain/app.js";
import type { Product } from "../src/domain/product.js";
import { openStore } from "../src/server/open-store.js";
import { keep, machine } from "./load.js";
import { SERVER_CPU } from "./open-loop/pinning.js";
import { quantile, tableOf } from "./passes.js";
import { processFigures } from "./process-figures.js";
import { startPinnedServer } from "./server.js";
import { fillShop } from "./train/fill-shop.js";
import { productId } from "./train/shop.js";

const FIRST = "shop-0";
/** Products written in one unit of work. */
const BATCH = 1000;

const { values } = parseArgs({
  options: {
    shops: { type: "string", default: "1000" },
    products: { type: "string", default: "300" },
    events: { type: "string", default: "20000" },
    "memory-mib": { type: "string", default: "256" },
    requests: { type: "string", default: "3000" },
    json: { type: "string" },
  },
});
const shops = Array.from({ length: Number(values.shops) }, (_, n) => `shop-${n}`);

/** Gives all shops the catalogue and the model of the first one. */
async function copyShop(directory: string): Promise<number> {
  const store = await openStore({ kind: "embedded", directory }, { now: Date.now });
  try {
    const [record] = await store.models.list(FIRST);
    const bytes = record && (await store.models.read(FIRST, record.modelId));
    const pointer = await store.models.pointer(FIRST);
    if (record === undefined || bytes === undefined || pointer === undefined) throw new Error("there is no model");
    const products: Product[] = [];
    for await (const batch of store.products.scan(FIRST)) products.push(...batch);
    for (const appId of shops.slice(1)) {
      await store.apps.create(bareApp(appId, Date.now()));
      for (let from = 0; from < products.length; from += BATCH)
        await store.unitOfWork.run(appId, (tx) => {
          for (const product of products.slice(from, from + BATCH)) tx.products.put(product.productId, product);
        });
      await store.models.put(appId, record, bytes);
      await store.models.setPointer(appId, () => pointer);
    }
    return record.sizeBytes;
  } finally {
    await store.close();
  }
}

interface Row {
  readonly memoryMib: string;
  readonly mostMiB: number;
  readonly inTurnP50: number;
  readonly inTurnP99: number;
  readonly againP50: number;
  readonly failed: number;
}

async function measure(directory: string, memoryMib: string): Promise<Row> {
  const flags = ["--log-level", "silent", "--memory-mib", memoryMib];
  const server = await startPinnedServer(SERVER_CPU, `embedded:${directory}`, ...flags);
  let [most, failed] = [0, 0];
  const ask = async (appId: string, n: number) => {
    const id = productId((n * 7919) % Number(values.products));
    const body = { appId, productInteractions: [], currentProductIds: id, cId: `c-${n}` };
    const startedAt = performance.now();
    const answer = await fetch(`${server.facadeUrl}/recommend`, { method: "POST", body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes('"productId"')) failed++;
    const took = performance.now() - startedAt;
    if (n % 20 === 0) most = Math.max(most, (await processFigures(server.pid)).ownBytes);
    return took;
  };
  try {
    const inTurn: number[] = [];
    for (let n = 0; n < Number(values.requests); n++) inTurn.push(await ask(shops[n % shops.length] ?? FIRST, n));
    const again: number[] = [];
    for (let n = 0; n < 500; n++) again.push(await ask(FIRST, n));
    const times = {
      inTurnP50: quantile(inTurn, 0.5),
      inTurnP99: quantile(inTurn, 0.99),
      againP50: quantile(again, 0.5),
    };
    return { memoryMib, mostMiB: most / 2 ** 20, ...times, failed };
  } finally {
    await server.stop();
  }
}

console.log(JSON.stringify({ ...machine(), ...values }));
const directory = await mkdtemp(join(tmpdir(), "aisle-memory-"));
try {
  const filling = await startPinnedServer(undefined, `embedded:${directory}`, "--log-level", "warn");
  const plan = { appId: FIRST, products: Number(values.products), events: Number(values.events), isTrained: true };
  await fillShop(filling.rpcUrl, plan).finally(() => filling.stop());
  const snapshotBytes = await copyShop(directory);
  console.log(
    `${shops.length} shops of ${values.products} products, snapshots of ${Math.round(snapshotBytes / 1024)} KiB`,
  );
  const rows = [await measure(directory, "off"), await measure(directory, values["memory-mib"])];
  console.log(
    tableOf(
      ["--memory-mib", "most memory, MiB", "each shop in turn, p50 ms", "p99", "one shop again, p50 ms", "failed"],
      rows.map(({ memoryMib, mostMiB, inTurnP50, inTurnP99, againP50, failed }) => {
        const times = [inTurnP50, inTurnP99, againP50].map((ms) => ms.toFixed(1));
        return [memoryMib, Math.round(mostMiB), ...times, failed];
      }),
    ),
  );
  await keep(values.json, { ...values, snapshotBytes, rows });
} finally {
  await rm(directory, { recursive: true, force: true });
}
