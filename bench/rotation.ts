/**
 * What uses of a frame change in the lists of a visitor, through the whole product.
 *
 *   npm run bench -- rotation [--limit ORDERS] [--rates 0,0.1,0.2,0.5,1] [--data DIR]
 *
 * online_retail: one line of each order of the judging part hidden, the others in the cart; one visitor for each order and
 * rate. The visitor asks, uses the frame, asks again, up to ten times, and clicks nothing. HR@10: share of the orders with
 * the hidden line among the ten. repeated: products that the list before the use showed, too.
 *
 * Planted complements: a shop of 60 pairs of products ordered together; on the page of one its complement should be
 * shown, before and after uses.
 */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { sharedData } from "../test/fixtures/shared-data.js";
import { hiddenLines, sessionsOf, writeEvents } from "./behaviour.js";
import { aisle, type BenchServer, startServer } from "./server.js";

const K = 10;
const USES = [0, 1, 3, 10] as const;
const MOST_USES = 10;
const CONCURRENCY = 8;
const PAIRS = 60;
const ORDERS_OF_PAIR = 8;

interface Asking {
  readonly appId: string;
  readonly visitor: string;
  readonly frame: string;
  readonly cart?: readonly string[];
  readonly current?: string;
}

async function recommend(url: string, { appId, visitor, frame, cart = [], current }: Asking, uses: readonly string[]) {
  const at = new Date(Date.now() - 60_000).toISOString();
  const answer = await fetch(`${url}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appId,
      cId: visitor,
      productInteractions: cart.map((item) => ({
        productInteractionType: "add_to_cart",
        productId: item,
        productSku: item,
        utcInteractionDate: at,
      })),
      recommendFrameInteractions: uses.map((used) => ({ trackerProductGroupId: frame, utcInteractionDate: used })),
      ...(current !== undefined && { currentProductIds: current }),
      marketingMachineFrameConfigurationId: frame,
    }),
  });
  if (answer.status !== 200) throw new Error(`POST /recommend answered ${answer.status}`);
  const body = (await answer.json()) as { recommended: { productId: string }[] };
  return body.recommended.map(({ productId }) => productId);
}

/** The lists that a visitor sees who uses the frame after each. */
async function listsOf(url: string, asking: Asking): Promise<string[][]> {
  const uses: string[] = [];
  const lists: string[][] = [];
  for (let n = 0; n <= MOST_USES; n++) {
    lists.push(await recommend(url, asking, uses));
    // A use has to be later than what it ends.
    await new Promise((resolve) => setTimeout(resolve, 2));
    uses.push(new Date().toISOString());
  }
  return lists;
}

class Outcome {
  readonly #hits = new Map<number, number>();
  readonly #repeated = new Map<number, number>();
  asked = 0;

  take(lists: readonly (readonly string[])[], wanted: string): void {
    this.asked++;
    for (const n of USES) {
      if (lists[n]?.includes(wanted)) this.#hits.set(n, (this.#hits.get(n) ?? 0) + 1);
      const before = lists[n - 1] ?? [];
      const same = lists[n]?.filter((product) => before.includes(product)).length ?? 0;
      this.#repeated.set(n, (this.#repeated.get(n) ?? 0) + same / Math.max(1, lists[n]?.length ?? 0));
    }
  }

  row(): string[] {
    const hits = (n: number) => this.#hits.get(n) ?? 0;
    return USES.flatMap((n) =>
      n === 0
        ? [(hits(0) / this.asked).toFixed(3)]
        : [
            `${(hits(n) / this.asked).toFixed(3)} (${(100 * (hits(n) / hits(0) - 1)).toFixed(1)} %)`,
            ((this.#repeated.get(n) ?? 0) / this.asked).toFixed(2),
          ],
    );
  }
}

const HEAD = ["rate", "no use", ...USES.slice(1).flatMap((n) => [`${n} use${n === 1 ? "" : "s"}`, "repeated"])];

async function setFrame(server: BenchServer, appId: string, rate: number): Promise<string> {
  const frame = `rate-${String(rate).replace(".", "_")}`;
  const args = ["--app", appId, "--id", frame, "--recommended", String(K), "--alternative", "0"];
  await aisle(server, "frame", "set", ...args, "--rotation-rate", String(rate));
  return frame;
}

async function judgeOrders(server: BenchServer, directory: string, data: string, limit: number, rates: number[]) {
  const appId = "online_retail";
  await aisle(server, "app", "create", appId);
  const events = join(directory, "train.csv");
  const { counts } = await writeEvents(join(data, "train.csv.gz"), events, true);
  await aisle(server, "import", "events", events, "--app", appId);
  await aisle(server, "train", "--app", appId);
  const orders = (await sessionsOf(join(data, "dev.csv.gz"))).slice(0, limit);
  const table = new Table({ style: { head: [], border: [] }, head: HEAD });
  for (const rate of rates) {
    const frame = await setFrame(server, appId, rate);
    const outcome = new Outcome();
    const questions = hiddenLines(orders, counts);
    let n = 0;
    const worker = async () => {
      for (const { prefix, next } of questions) {
        const visitor = `v${rate}-${n++}`;
        const cart = prefix.map(({ item }) => item);
        outcome.take(await listsOf(server.facadeUrl, { appId, visitor, frame, cart }), next);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    table.push([String(rate), ...outcome.row()]);
  }
  console.log(`online_retail, the hidden line of an order, HR@10, ${orders.length} orders`);
  console.log(table.toString());
}

/** 60 pairs, each ordered together several times, and as many products that are ordered with anything. */
async function judgePairs(server: BenchServer, directory: string, rates: number[]) {
  const appId = "pairs";
  await aisle(server, "app", "create", appId);
  const events = join(directory, "pairs.csv");
  async function* lines() {
    yield "visitor,type,product_id,timestamp,order_id\n";
    for (let n = 0; n < PAIRS * ORDERS_OF_PAIR; n++) {
      const pair = n % PAIRS;
      const at = new Date(Date.now() - 20 * 86_400_000 + n * 60_000).toISOString();
      for (const item of [`a${pair}`, `b${pair}`, `c${(n * 7) % PAIRS}`]) yield `v${n},order,${item},${at},o${n}\n`;
    }
  }
  await pipeline(lines, createWriteStream(events));
  await aisle(server, "import", "events", events, "--app", appId);
  await aisle(server, "train", "--app", appId);
  const table = new Table({ style: { head: [], border: [] }, head: HEAD });
  for (const rate of rates) {
    const frame = await setFrame(server, appId, rate);
    const outcome = new Outcome();
    for (let pair = 0; pair < PAIRS; pair++) {
      const asking = { appId, visitor: `page-${rate}-${pair}`, frame, current: `a${pair}` };
      outcome.take(await listsOf(server.facadeUrl, asking), `b${pair}`);
    }
    table.push([String(rate), ...outcome.row()]);
  }
  console.log(`planted complements shown among ${K}, share of ${PAIRS}`);
  console.log(table.toString());
}

const { values } = parseArgs({
  options: { limit: { type: "string" }, rates: { type: "string" }, data: { type: "string" } },
});
const data = values.data ?? sharedData("behaviour", "online_retail");
const rates = (values.rates ?? "0,0.1,0.2,0.5,1").split(",").map(Number);
if (data === undefined || rates.some((rate) => !(rate >= 0 && rate <= 1))) {
  console.error("usage: npm run bench -- rotation [--limit ORDERS] [--rates 0,0.2,1] [--data DIR]");
  process.exit(2);
}
const directory = await mkdtemp(join(tmpdir(), "aisle-rotation-"));
const server = await startServer(join(directory, "store"));
try {
  await judgeOrders(server, directory, data, Number(values.limit ?? 600), rates);
  await judgePairs(server, directory, rates);
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
