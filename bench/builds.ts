/**
 * CPU of POST /trace and POST /recommend of this build beside that of another one, in turns.
 *
 *   npm run bench -- builds --other DIR [--part trace,recommend] [--seconds 3] [--passes 5] [--requests 10000]
 *                           [--flags FLAGS] [--other-flags FLAGS] [--forms visits,visitor] [--shop DIR] [--json FILE]
 *
 * DIR is another checkout with its `dist`, or `.` for this one with other flags of `serve`. With `--requests` a pass is so many
 * requests instead of seconds: on a machine that is busy otherwise, ratios of CPU are steady that way. Both servers have the same shop of 2,000 products and 40,000 events, imported
 * by their own commands and trained; with `--shop` both begin with copies of the store in DIR, which this build makes first, with its flags, if it is not there. Some visitors sent one address from two browsers. Each form is sent to one
 * server, then to the other; the figures are the median of the passes, and of the ratios of two passes beside each other.
 * CPU is that of the server's process for each 200.
 */
import { createWriteStream, existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { keep } from "./load.js";
import { SERVER_CPU } from "./open-loop/pinning.js";
import { passOf, quantile, tableOf } from "./passes.js";
import { postAll } from "./post-all.js";
import { processFigures } from "./process-figures.js";
import { aisleOf, type BenchServer, BIN, startBuild } from "./server.js";
import { APP, FORMS } from "./trace/forms.js";
import { productId, shopHistories, shopProducts } from "./train/shop.js";

const PRODUCTS = 2000;
const EVENTS = 40_000;
/** Persons, each with two browsers. */
const PERSONS = 2048;
const ORDERS = 30_000;
const VIEWS = 600_000;
const CONNECTIONS = 32;
const WARM_SECONDS = 3;
const WARM_PASSES = 2;
const FRAME = "default";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    part: { type: "string", default: "trace,recommend" },
    seconds: { type: "string", default: "3" },
    passes: { type: "string", default: "5" },
    requests: { type: "string" },
    flags: { type: "string", default: "" },
    "other-flags": { type: "string", default: "" },
    forms: { type: "string" },
    shop: { type: "string" },
    json: { type: "string" },
  },
});
const { other } = values;
if (other === undefined) throw new Error("--other DIR names the other checkout");
const seconds = Number(values.seconds);
const parts = values.part.split(",");
const forms = values.forms?.split(",");
const requests = values.requests === undefined ? undefined : Number(values.requests);

interface Form {
  readonly part: string;
  readonly name: string;
  readonly bodies: readonly string[];
}

const formOf = (fields: Readonly<Record<string, string>>) =>
  new URLSearchParams({ app_id: APP, sender_type: "browser", ...fields }).toString();
const browser = (person: number, which: number) => `browser-${person}-${which}`;
const address = (person: number) => `person-${person}@shop.example`;
const persons = Array.from({ length: PERSONS }, (_, n) => n);
const some = (n: number) => productId((n * 7919) % PRODUCTS);

function cartForm(person: number, which: number): string {
  const fields = { action_type: "add_to_cart", email: address(person), product_ids: some(person + which) };
  return formOf({ ...fields, c_id: browser(person, which) });
}

/** One of three views of a visitor that comes once. */
function visitForm(n: number): string {
  return formOf({ action_type: "product_view", product_ids: some(n + (n >> 4)), c_id: `once-${Math.floor(n / 3)}` });
}

function orderForm(n: number): string {
  const fields = { action_type: "order", order_id: `order-${n}`, order_payment_value: "19.90", order_currency: "EUR" };
  return formOf({ ...fields, product_ids: some(n), c_id: browser(n % PERSONS, 0) });
}

function question(n: number, more: object): string {
  const at = Date.now() - 3600_000;
  const productInteractions = Array.from({ length: 5 }, (_, step) => ({
    productInteractionType: "product_view",
    productId: some(n + step),
    productSku: some(n + step),
    utcInteractionDate: new Date(at + step * 60_000).toISOString(),
  }));
  const rest = { currentProductIds: some(n + 4), marketingMachineFrameConfigurationId: FRAME };
  return JSON.stringify({ appId: APP, productInteractions, ...rest, ...more });
}

const FORMS_OF_BUILDS: readonly Form[] = [
  { part: "trace", name: "kit", bodies: FORMS.kit ?? [] },
  { part: "trace", name: "shop", bodies: FORMS.shop ?? [] },
  { part: "trace", name: "visits", bodies: Array.from({ length: VIEWS }, (_, n) => visitForm(n)) },
  { part: "trace", name: "with an address", bodies: persons.map((n) => cartForm(n, n % 2)) },
  { part: "trace", name: "order after a frame", bodies: Array.from({ length: ORDERS }, (_, n) => orderForm(n)) },
  { part: "recommend", name: "stranger", bodies: persons.map((n) => question(n, {})) },
  { part: "recommend", name: "visitor", bodies: persons.map((n) => question(n, { fpccid: `fp-${n}` })) },
  { part: "recommend", name: "two browsers", bodies: persons.map((n) => question(n, { cId: browser(n, 0) })) },
  {
    part: "recommend",
    name: "two browsers, trackClicks",
    bodies: persons.map((n) => question(n, { cId: browser(n, 1), trackClicks: true })),
  },
];

/** What the commands of each build import. */
async function writeShop(directory: string) {
  const products = join(directory, "products.jsonl");
  const events = join(directory, "events.csv");
  const lines = shopProducts(PRODUCTS).map(({ productId: id, title, description, categories, price, brand }) => {
    const category = categories.map(({ name }) => name).join(" > ");
    return `${JSON.stringify({ id, title, description, category, brand, price: `${price.amount} ${price.currency}` })}\n`;
  });
  await writeFile(products, lines.join(""));
  async function* rows() {
    yield "visitor,type,product_id,timestamp,order_id\n";
    let n = 0;
    for await (const histories of shopHistories(EVENTS, PRODUCTS))
      for (const { interactions } of histories) {
        const visitor = `v${n++}`;
        for (const [step, { type, at, productIds }] of interactions.entries())
          yield `${visitor},${type},${productIds[0]},${new Date(at).toISOString()},${type === "order" ? `${visitor}-${step}` : ""}\n`;
      }
  }
  await pipeline(rows, createWriteStream(events));
  return { products, events };
}

const flagsOf = (flags: string) => flags.split(" ").filter((flag) => flag !== "");

interface Build {
  readonly name: string;
  readonly server: BenchServer;
}

async function startBuildWithShop(
  name: string,
  bin: string,
  directory: string,
  files: Record<string, string>,
  flags: string,
) {
  const own = join(directory, name);
  if (values.shop !== undefined) await cp(values.shop, own, { recursive: true });
  const server = await startBuild(
    bin,
    SERVER_CPU,
    `embedded:${own}`,
    "--log-level",
    "silent",
    "--audit-log",
    "/dev/null",
    ...flagsOf(flags),
  );
  if (values.shop === undefined) await makeShop(server, bin, files);
  return { name, server };
}

async function makeShop(server: BenchServer, bin: string, files: Record<string, string>): Promise<void> {
  const run = aisleOf(bin);
  await run(server, "app", "create", APP);
  await run(server, "import", "products", files.products ?? "", "--app", APP);
  await run(server, "import", "events", files.events ?? "", "--app", APP);
  await run(server, "train", "--app", APP);
}

/** Bodies of so many requests, those that come after the `n`th pass before. */
function bodiesOf({ bodies }: Form, n: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => bodies[(n * count + at) % bodies.length] ?? "");
}

/** The `n`th pass of a form. */
async function pass({ server }: Build, form: Form, n: number, forSeconds: number) {
  const { part } = form;
  const contentType = part === "recommend" ? "application/json" : "application/x-www-form-urlencoded";
  const url = `${server.facadeUrl}/${part}`;
  if (requests !== undefined) {
    const bodies = bodiesOf(form, n, requests);
    const before = await processFigures(server.pid);
    await postAll(url, contentType, bodies, CONNECTIONS);
    const after = await processFigures(server.pid);
    return { cpuMicros: ((after.cpuMs - before.cpuMs) * 1000) / requests, failed: 0 };
  }
  return passOf(server.pid, { url, bodies: form.bodies, contentType, connections: CONNECTIONS, seconds: forSeconds });
}

/** Whoever learns between trainings learns of apps that were asked for. */
async function askOnce({ server }: Build): Promise<void> {
  const headers = { "content-type": "application/json" };
  await (await fetch(`${server.facadeUrl}/recommend`, { method: "POST", headers, body: question(0, {}) })).text();
}

async function measure(builds: readonly Build[], form: Form) {
  for (const build of builds) await askOnce(build);
  for (const build of builds) for (let n = 0; n < WARM_PASSES; n++) await pass(build, form, n, WARM_SECONDS);
  const passes = builds.map((): number[] => []);
  let failed = 0;
  for (let n = 0; n < Number(values.passes); n++) {
    const inTurn = [...builds.entries()];
    if (n % 2 === 1) inTurn.reverse();
    for (const [at, build] of inTurn) {
      const one = await pass(build, form, WARM_PASSES + n, seconds);
      passes[at]?.push(one.cpuMicros);
      failed += one.failed;
    }
  }
  const [before = [], now = []] = passes;
  const ratios = now.map((cpu, n) => cpu / (before[n] ?? Number.NaN));
  return { part: form.part, form: form.name, before, now, ratios, failed };
}

const directory = await mkdtemp(join(tmpdir(), "aisle-builds-"));
const builds: Build[] = [];
try {
  const files = await writeShop(directory);
  if (values.shop !== undefined && !existsSync(values.shop)) {
    const server = await startBuild(
      BIN,
      undefined,
      `embedded:${values.shop}`,
      "--log-level",
      "silent",
      ...flagsOf(values.flags),
    );
    await makeShop(server, BIN, files).finally(() => server.stop());
  }
  for (const [name, bin, flags] of [
    ["other", join(other, "bin/aisle.js"), values["other-flags"]],
    ["this", BIN, values.flags],
  ] as const)
    builds.push(await startBuildWithShop(name, bin, directory, files, flags));
  const twoBrowsers = persons.flatMap((n) => [cartForm(n, 0), cartForm(n, 1)]);
  for (const build of builds) await pass(build, { part: "trace", name: "two browsers", bodies: twoBrowsers }, 0, 3);
  const rows: Awaited<ReturnType<typeof measure>>[] = [];
  // Frames are met before orders follow from them.
  const inOrder = [...FORMS_OF_BUILDS].sort((a, b) => a.part.localeCompare(b.part));
  const isAsked = ({ part, name }: Form) => parts.includes(part) && forms?.includes(name) !== false;
  for (const form of inOrder.filter(isAsked)) rows.push(await measure(builds, form));
  const span = (all: readonly number[], digits: number) =>
    `${quantile(all, 0.5).toFixed(digits)} (${Math.min(...all).toFixed(digits)}-${Math.max(...all).toFixed(digits)})`;
  console.log(
    tableOf(
      ["", "form", "other, CPU µs", "this", "ratio", "failed"],
      rows.map(({ part, form, before, now, ratios, failed }) => {
        return [part, form, span(before, 1), span(now, 1), span(ratios, 3), failed];
      }),
      2,
    ),
  );
  await keep(values.json, { rows });
} finally {
  await Promise.all(builds.map(({ server }) => server.stop()));
  await rm(directory, { recursive: true, force: true });
}
