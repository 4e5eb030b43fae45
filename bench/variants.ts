/**
 * What pages get that post the group of a product's variants, and the pages of new products, through the whole product.
 *
 *   npm run bench -- variants [--build DIR] [--data DIR]
 *
 * online_retail: stock codes that differ in their letters alone are variants of one group (85123A and 85123B of 85123).
 * Groups: the lists for the page of a group beside those for its most ordered variant. Evaluation: `aisle evaluate` of
 * this shop. New products: some are left out of the training orders and imported afterwards with their titles; of the ten
 * recommended on such a page, how many are complements (ordered at least three times with it in the real orders, and twice
 * as often as by chance), beside what bestsellers would have. `--build` measures another checkout that has its `dist`.
 */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createGunzip } from "node:zlib";
import Table from "cli-table3";
import { parse } from "csv-parse";
import { createRandom } from "../src/learning/common/random.js";
import { sharedData } from "../test/fixtures/shared-data.js";
import { type Step, sessionsOf } from "./behaviour.js";
import { aisleOf, type BenchServer, BIN, startBuild } from "./server.js";

const K = 10;
const APP = "online_retail";
const GROUPS = 100;
const NEW_PRODUCTS = 60;
/** A new product is one that is sold well enough to judge its page. */
const LEAST_ORDERS = 40;
const LEAST_TOGETHER = 3;
const SEED = 7;

const { values } = parseArgs({
  options: { build: { type: "string" }, data: { type: "string" } },
});
const data = values.data ?? sharedData("behaviour", "online_retail");
if (data === undefined) {
  console.error("usage: npm run bench -- variants [--build DIR] [--data DIR]");
  process.exit(2);
}
const bin = values.build === undefined ? BIN : join(values.build, "bin/aisle.js");
const aisle = aisleOf(bin);

const groupOf = (item: string) => (/^\d+[A-Z]+$/i.test(item) ? item.replace(/[A-Z]+$/i, "") : "");

/** Real orders: counts of products, and of those met together. */
class Orders {
  readonly count = new Map<string, number>();
  readonly #together = new Map<string, Map<string, number>>();
  readonly #size: number;

  constructor(orders: readonly (readonly Step[])[]) {
    this.#size = orders.length;
    for (const order of orders) {
      const items = [...new Set(order.map(({ item }) => item))];
      for (const item of items) this.count.set(item, (this.count.get(item) ?? 0) + 1);
      for (const a of items) {
        const met = this.#together.get(a) ?? new Map<string, number>();
        this.#together.set(a, met);
        for (const b of items) if (b !== a) met.set(b, (met.get(b) ?? 0) + 1);
      }
    }
  }

  bestsellers(): string[] {
    return [...this.count].sort((a, b) => b[1] - a[1]).map(([item]) => item);
  }

  /** Bought together twice as often as by chance. */
  areComplements(a: string, b: string): boolean {
    const together = this.#together.get(a)?.get(b) ?? 0;
    const byChance = ((this.count.get(a) ?? 0) * (this.count.get(b) ?? 0)) / this.#size;
    return together >= LEAST_TOGETHER && together > 2 * byChance;
  }
}

async function writeProducts(file: string, isWanted: (item: string) => boolean) {
  const rows = createReadStream(join(data ?? "", "products.csv.gz"))
    .pipe(createGunzip())
    .pipe(parse({ columns: true }));
  const lines: string[] = [];
  for await (const { item, title, price } of rows as AsyncIterable<Record<string, string>>)
    if (isWanted(item ?? ""))
      lines.push(JSON.stringify({ id: item, title, price: `${price} GBP`, variant_group_id: groupOf(item ?? "") }));
  await writeFile(file, `${lines.join("\n")}\n`);
}

async function recommended(server: BenchServer, current: string): Promise<string[]> {
  const answer = await fetch(`${server.facadeUrl}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: APP, productInteractions: [], currentProductIds: current }),
  });
  if (answer.status !== 200) throw new Error(`POST /recommend answered ${answer.status}`);
  const body = (await answer.json()) as { recommended: { productId: string }[] };
  return body.recommended.map(({ productId }) => productId).slice(0, K);
}

/** Groups of several variants, those with the most orders, each with its most ordered variant. */
function largestGroups(orders: Orders): (readonly [string, string])[] {
  const variants = new Map<string, string[]>();
  for (const item of orders.bestsellers()) {
    const group = groupOf(item);
    if (group !== "") variants.set(group, [...(variants.get(group) ?? []), item]);
  }
  const several = [...variants].filter(([group, items]) => items.length > 1 && !orders.count.has(group));
  return several.slice(0, GROUPS).map(([group, items]) => [group, items[0] ?? ""]);
}

/** Products that are left out of the training orders. */
function drawNew(orders: Orders): Set<string> {
  const random = createRandom(SEED);
  const sold = orders
    .bestsellers()
    .filter((item) => groupOf(item) === "" && (orders.count.get(item) ?? 0) >= LEAST_ORDERS);
  const rest = sold.slice(100); // none of the bestsellers themselves
  return new Set(
    rest
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, NEW_PRODUCTS)
      .map(({ item }) => item),
  );
}

const share = (list: readonly string[], isOne: (item: string) => boolean) =>
  list.length === 0 ? 0 : list.filter(isOne).length / list.length;
const mean = (all: readonly number[]) => (all.reduce((sum, one) => sum + one, 0) / all.length).toFixed(3);

const directory = await mkdtemp(join(tmpdir(), "aisle-variants-"));
const server = await startBuild(bin, undefined, `embedded:${join(directory, "store")}`, "--log-level", "silent");
try {
  const sessions = await sessionsOf(join(data, "train.csv.gz"));
  const orders = new Orders(sessions);
  const fresh = drawNew(orders);
  const [products, later, events] = ["products.jsonl", "later.jsonl", "orders.csv"].map((name) =>
    join(directory, name),
  );
  await writeProducts(products!, (item) => !fresh.has(item));
  await writeProducts(later!, (item) => fresh.has(item));
  const lines = sessions.flat().filter(({ item }) => !fresh.has(item));
  const rows = lines.map(({ item, at, session }) => `,order,${item},${new Date(at).toISOString()},${session}\n`);
  await writeFile(events!, `visitor,type,product_id,timestamp,order_id\n${rows.join("")}`);
  await aisle(server, "app", "create", APP);
  await aisle(server, "import", "products", products!, "--app", APP);
  await aisle(server, "import", "events", events!, "--app", APP);
  await aisle(server, "train", "--app", APP);
  await aisle(server, "import", "products", later!, "--app", APP);

  const bestsellers = orders
    .bestsellers()
    .filter((item) => !fresh.has(item))
    .slice(0, K);
  const table = new Table({
    style: { head: [], border: [] },
    head: ["", "pages", "complements", "bestsellers", "as for the variant"],
  });
  const row = (name: string, pages: readonly { of: string; list: readonly string[]; like?: readonly string[] }[]) =>
    table.push([
      name,
      String(pages.length),
      mean(pages.map(({ of, list }) => share(list, (item) => orders.areComplements(of, item)))),
      mean(pages.map(({ list }) => share(list, (item) => bestsellers.includes(item)))),
      pages.some(({ like }) => like)
        ? mean(pages.map(({ list, like = [] }) => share(list, (item) => like.includes(item))))
        : "",
    ]);
  const groups = await Promise.all(
    largestGroups(orders).map(async ([group, variant]) => ({
      of: variant,
      list: await recommended(server, group),
      like: await recommended(server, variant),
    })),
  );
  row("id of a group", groups);
  row(
    "id of its most ordered variant",
    groups.map(({ of, like }) => ({ of, list: like })),
  );
  const pages = await Promise.all([...fresh].map(async (of) => ({ of, list: await recommended(server, of) })));
  row("new product", pages);
  row(
    "new product, bestsellers",
    pages.map(({ of }) => ({ of, list: bestsellers })),
  );
  console.log(table.toString());
  await aisle(server, "evaluate", "--app", APP);
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
