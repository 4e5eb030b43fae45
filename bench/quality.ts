/**
 * How well POST /recommend predicts what visitors do next, on real behaviour, through the whole product: a server is
 * started, the training part is imported by the command line, a model is trained, and every prefix of every session of
 * the judging part asks for 20 products over HTTP.
 *
 *   npm run bench -- quality diginetica [--limit SESSIONS] [--data DIR] [--json FILE] [--picture FILE.svg]
 *   npm run bench -- quality yoochoose_100k
 *   npm run bench -- quality tmall
 *   npm run bench -- quality online_retail      one line of each order hidden, the others in the cart
 *
 * HR@20: share of predictions with the next product among the 20. MRR@20: mean of 1 / its place. The columns `new` judge
 * only the steps to products that are new to the session, by the first 20 such products. Products that the training
 * part never shows are left out of the judging. The other rows are baselines on the same questions: the products most
 * often met, the cosine neighbours of the last product, and session neighbours (VSTAN) alone with each of their presets.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { sharedData } from "../test/fixtures/shared-data.js";
import { nextItemBaselines, popularityAlone } from "./baselines.js";
import { hiddenLines, type Question, type Step, sessionsOf, writeEvents } from "./behaviour.js";
import { type Outcome, qualityPicture } from "./quality-picture.js";
import { aisle, startServer } from "./server.js";

const DATA_SETS = ["diginetica", "yoochoose_100k", "tmall", "online_retail"] as const;
const K = 20;
/** Products asked for, so that 20 new ones are among them. */
const DEPTH = 60;
const CONCURRENCY = 8;

type Shown = "product_view" | "add_to_cart";

interface Figures {
  readonly hitRate20: number;
  readonly reciprocalRank20: number;
}

/** Places of the answers, among all products and, where the answer is new to the session, among new ones. */
class Judge {
  readonly all: Outcome[] = [];
  readonly new: Outcome[] = [];

  take(products: readonly string[], { prefix, next }: Question): void {
    const { length } = prefix;
    this.all.push({ place: products.indexOf(next), length });
    const seen = new Set(prefix.map(({ item }) => item));
    if (!seen.has(next))
      this.new.push({ place: products.filter((product) => !seen.has(product)).indexOf(next), length });
  }

  get predictions(): number {
    return this.all.length;
  }

  get figures(): { readonly all: Figures; readonly new: Figures } {
    const of = (outcomes: readonly Outcome[]): Figures => {
      const hits = outcomes.filter(({ place }) => place >= 0 && place < K);
      return {
        hitRate20: hits.length / outcomes.length,
        reciprocalRank20: hits.reduce((sum, { place }) => sum + 1 / (place + 1), 0) / outcomes.length,
      };
    };
    return { all: of(this.all), new: of(this.new) };
  }
}

function* questionsOf(sessions: readonly (readonly Step[])[], known: ReadonlyMap<string, number>): Generator<Question> {
  for (const session of sessions) {
    for (let i = 1; i < session.length; i++) {
      const next = session[i]!.item;
      if (known.has(next)) yield { prefix: session.slice(0, i), next };
    }
  }
}

async function recommend(url: string, appId: string, prefix: readonly Step[], shown: Shown): Promise<string[]> {
  const answer = await fetch(`${url}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appId,
      productInteractions: prefix.map(({ item, at }) => ({
        productInteractionType: shown,
        productId: item,
        productSku: item,
        utcInteractionDate: new Date(at).toISOString(),
      })),
      ...(shown === "product_view" && { currentProductIds: prefix.at(-1)?.item }),
      marketingMachineFrameConfigurationId: "next",
    }),
  });
  if (answer.status !== 200) throw new Error(`POST /recommend answered ${answer.status}`);
  const body = (await answer.json()) as { recommended: { productId: string }[] };
  return body.recommended.map((product) => product.productId);
}

/** Files to write besides what is printed. */
interface Files {
  readonly json: string | undefined;
  readonly picture: string | undefined;
}

async function judge(name: string, limit: number, data: string, files: Files): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "aisle-quality-"));
  const server = await startServer(join(directory, "store"));
  try {
    const appId = name.replace(/\W/g, "_");
    await aisle(server, "app", "create", appId);
    await aisle(
      server,
      "frame",
      "set",
      "--app",
      appId,
      "--id",
      "next",
      "--recommended",
      String(DEPTH),
      "--alternative",
      "0",
      "--include-viewed",
    );
    const events = join(directory, "train.csv");
    const orders = name === "online_retail";
    const trainFile = join(data, "train.csv.gz");
    const { counts, learned } = await writeEvents(trainFile, events, orders);
    const catalog = join(data, "products.csv.gz");
    if (existsSync(catalog)) await aisle(server, "import", "products", catalog, "--app", appId, "--map", "id=item");
    const importMs = await aisle(server, "import", "events", events, "--app", appId);
    const trainMs = await aisle(server, "train", "--app", appId);

    const sessions = (await sessionsOf(join(data, "dev.csv.gz"))).slice(0, limit);
    const label = orders ? "the hidden line of an order" : "next product";
    const baselines = orders ? popularityAlone(counts) : nextItemBaselines(await sessionsOf(trainFile));
    const ours = new Judge();
    const judges = new Map(Object.keys(baselines).map((row) => [row, new Judge()]));
    const questions = orders ? hiddenLines(sessions, counts) : questionsOf(sessions, counts);
    const shown = orders ? "add_to_cart" : "product_view";
    const times: number[] = [];
    const asked: Question[] = [];
    const worker = async () => {
      for (const question of questions) {
        const started = performance.now();
        const products = await recommend(server.facadeUrl, appId, question.prefix, shown);
        times.push(performance.now() - started);
        ours.take(products, question);
        asked.push(question);
      }
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const seconds = (performance.now() - started) / 1000;
    times.sort((a, b) => a - b);
    const quantile = (q: number) => times[Math.floor(times.length * q)] ?? Number.NaN;

    for (const [row, answer] of Object.entries(baselines))
      for (const question of asked) judges.get(row)?.take(answer(question.prefix.map(({ item }) => item)), question);
    const head = [`${name}, ${label}`, "HR@20", "MRR@20", "new HR@20", "new MRR@20"];
    const table = new Table({ style: { head: [], border: [] }, head });
    const rows = [...judges, ["POST /recommend", ours] as const].map(([row, judge]) => [row, judge.figures] as const);
    for (const [row, figures] of rows)
      table.push([
        row,
        ...[figures.all, figures.new].flatMap((f) => [f.hitRate20.toFixed(3), f.reciprocalRank20.toFixed(3)]),
      ]);
    console.log(table.toString());
    const report = JSON.stringify({
      dataSet: name,
      sessions: sessions.length,
      predictions: ours.predictions,
      figures: Object.fromEntries(rows),
      importSeconds: importMs / 1000,
      trainSeconds: trainMs / 1000,
      requestsPerSecond: times.length / seconds,
      latencyMs: { p50: quantile(0.5), p99: quantile(0.99) },
      machine: {
        cores: cpus().length,
        model: cpus()[0]?.model,
        memoryGiB: Math.round(totalmem() / 2 ** 30),
        node: process.version,
      },
    });
    console.log(report);
    if (files.json !== undefined) await writeFile(files.json, `${report}\n`);
    if (files.picture !== undefined) {
      const all = [...judges, ["recommended", ours] as const];
      const fresh = { next_new_item: all.map(([row, judge]) => [row, judge.new] as const) };
      const picture = qualityPicture({
        title: name,
        counts: { products: counts.size, learned: learned.size, judged: sessions.length },
        tasks: {
          [orders ? "hidden_line" : "next_item"]: all.map(([row, judge]) => [row, judge.all] as const),
          ...(!orders && fresh),
        },
      });
      await writeFile(files.picture, picture);
    }
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: "string" },
    data: { type: "string" },
    json: { type: "string" },
    picture: { type: "string" },
  },
});
const name = positionals[0] ?? "diginetica";
const data = values.data ?? sharedData("behaviour", name);
if (!DATA_SETS.some((known) => known === name) || data === undefined) {
  console.error(
    `usage: npm run bench -- quality ${DATA_SETS.join("|")} [--limit SESSIONS] [--data DIR] [--json FILE] [--picture FILE.svg]`,
  );
  process.exit(2);
}
const files = { json: values.json, picture: values.picture };
await judge(name, values.limit === undefined ? Number.POSITIVE_INFINITY : Number(values.limit), data, files);
