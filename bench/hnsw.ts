/**
 * The index of products' texts beside exact search: build, query, recall, opening; and what a wider search finds and costs.
 *
 *   npm run bench -- hnsw [--catalogues adidas,myntra] [--sizes 50000,200000] [--passes 3] [--widths 10,20,40,80,160,320]
 *                         [--json FILE]
 *
 * The vectors are those of a training, of the shared data's catalogues and of made-up shops of so many products;
 * parameters are those of training too. Build and query are CPU of the process, one query a call, opening is time; figures
 * are medians of the passes. A build measures itself as well: 200 exact searches. Queries are 500 vectors of the catalogue;
 * recall@10 is of the ten that exact search finds.
 *
 * Columns of widths are the graph asked for ten: recall@10 and µs. A search looks at no fewer candidates than it is asked
 * for: a recommendation asks for 100 and more. Training begins with 100, doubles that until .99 is found, and looks at all
 * vectors of up to 1,000 products, which the index here does not.
 */
import { parseArgs } from "node:util";
import { exactIndex } from "../src/adapters/hnsw/exact-index.js";
import { decodeIndex } from "../src/adapters/hnsw/format.js";
import { openGraph, searchGraph } from "../src/adapters/hnsw/graph.js";
import { hnswlib } from "../src/adapters/hnsw/hnswlib.js";
import { hnswIndexes } from "../src/adapters/hnsw/vector-indexes.js";
import type { Nearest } from "../src/adapters/vector-index.js";
import { productText } from "../src/learning/sources/texts.js";
import { embedAll, fitEmbedder, type ProductText } from "../src/learning/text/embedder.js";
import { drawToNeighbours } from "../src/learning/text/text-neighbours.js";
import { VECTOR_INDEX } from "../src/learning/training/semantic.js";
import { type CatalogueName, readCatalogue } from "../test/fixtures/shared-catalogue.js";
import { keep, machine } from "./load.js";
import { quantile, tableOf } from "./passes.js";
import { shopProducts } from "./train/shop.js";

const SEED = 1;
const CATALOGUES: readonly CatalogueName[] = ["adidas", "flipkart_1050", "gift_cards", "myntra"];
const QUERIES = 500;
/** Exact search takes milliseconds. */
const EXACT_QUERIES = 50;
const RECALL_AT = 10;
/** What the recommend stage asks for at least, beside the anchors themselves. */
const ASKED = 100;
/** Rounds of all queries in a pass. */
const ROUNDS = 3;
/** Above this difference two similarities are different ones: 32-bit sums in another order differ by less. */
const ROUNDING = 1e-5;

if (hnswlib.makeGraph === undefined) throw new Error(`hnswlib-node does not load: ${hnswlib.problem}`);
const graphs = hnswlib.makeGraph;

const { values } = parseArgs({
  options: {
    catalogues: { type: "string", default: CATALOGUES.join(",") },
    sizes: { type: "string", default: "50000,200000" },
    passes: { type: "string", default: "3" },
    widths: { type: "string", default: "10,20,40,80,160,320" },
    json: { type: "string" },
  },
});
const listed = (list: string) => list.split(",").filter((name) => name !== "");
const widths = listed(values.widths).map(Number);

function* catalogues(): Generator<readonly [string, readonly ProductText[]]> {
  for (const name of listed(values.catalogues)) {
    const known = CATALOGUES.find((one) => one === name);
    if (known === undefined) throw new Error(`--catalogues: ${name} is none of ${CATALOGUES.join(", ")}`);
    const products = readCatalogue(known);
    if (products === undefined)
      console.log(`${name} is left out: set AISLE_SHARED_DATA to the folder of the shared data`);
    else yield [name, products.map(({ category, ...texts }) => ({ ...texts, categories: category }))];
  }
  for (const size of listed(values.sizes)) yield [`made up, ${size}`, shopProducts(Number(size)).map(productText)];
}

type Ask = (query: Float32Array) => Pick<Nearest, "similarities">;

function cpuMicros(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

function measure(name: string, texts: readonly ProductText[]) {
  const { vectors, rows, dimensions } = drawToNeighbours(embedAll(fitEmbedder(texts, { seed: SEED }), texts));
  const count = rows.length;
  const exact = exactIndex(vectors, dimensions);
  // Also where training would look at all vectors, as they are few.
  const indexes = hnswIndexes({ exactUpTo: 0 });
  // Evenly spread: similar products are asked for with a product's own vector.
  const queries = Array.from({ length: Math.min(QUERIES, count) }, (_, n, asked = Math.min(QUERIES, count)) => {
    const row = Math.floor((n * count) / asked);
    return vectors.slice(row * dimensions, (row + 1) * dimensions);
  });
  const wanted = queries.map((query) => exact.search(query, RECALL_AT).similarities);
  /** One as near as the tenth counts, as it may be a copy of it. */
  const recallOf = (ask: Ask) => {
    const found = queries.map((query, n) => {
      const near = ask(query).similarities.slice(0, RECALL_AT);
      return near.filter((similarity) => similarity >= (wanted[n]?.at(-1) ?? 0) - ROUNDING).length;
    });
    return found.reduce((sum, of) => sum + of, 0) / wanted.reduce((sum, { length }) => sum + length, 0);
  };
  const microsOf = (asked: readonly Float32Array[], rounds: number, ask: Ask) =>
    cpuMicros(() => {
      for (let round = 0; round < rounds; round++) for (const query of asked) ask(query);
    }) /
    (rounds * asked.length);
  const passes = Array.from({ length: Number(values.passes) }, () => {
    let index = exact;
    const build = cpuMicros(() => {
      index = indexes.build(vectors, dimensions, { ...VECTOR_INDEX, seed: SEED });
    });
    const recall = recallOf((query) => index.search(query, RECALL_AT)); // its code is compiled meanwhile
    const [ten, asked] = [RECALL_AT, ASKED].map((k) => microsOf(queries, ROUNDS, (query) => index.search(query, k)));
    const few = queries.slice(0, EXACT_QUERIES);
    const [exactTen, exactAsked] = [RECALL_AT, ASKED].map((k) => microsOf(few, 1, (query) => exact.search(query, k)));
    const bytes = index.encode();
    const openedAt = performance.now();
    indexes.open(bytes, vectors);
    const openMs = performance.now() - openedAt;
    const { payload, facts } = decodeIndex(bytes);
    const graph = openGraph(graphs, payload, facts);
    const curve = widths.map((width) => {
      const ask = (query: Float32Array) => searchGraph(graph, query, RECALL_AT, Math.max(RECALL_AT, width));
      return { width, recall: recallOf(ask), micros: microsOf(queries, ROUNDS, ask) };
    });
    const size = { efSearch: facts.efSearch, mib: bytes.length / 2 ** 20 };
    return { buildSeconds: build / 1e6, recall, ten, asked, exactTen, exactAsked, openMs, curve, ...size };
  });
  return { name, count, dimensions, passes };
}

type Measured = ReturnType<typeof measure>;

function rowOf({ name, count, dimensions, passes }: Measured): (string | number)[] {
  const median = (of: (pass: Measured["passes"][number]) => number | undefined, digits: number) =>
    quantile(
      passes.map((pass) => of(pass) ?? Number.NaN),
      0.5,
    ).toFixed(digits);
  return [
    ...[name, `${count.toLocaleString("en")} x ${dimensions}`, median(({ efSearch }) => efSearch, 0)],
    ...[median(({ buildSeconds }) => buildSeconds, 2), median(({ recall }) => recall, 4)],
    ...[median(({ ten }) => ten, 0), median(({ exactTen }) => exactTen, 0)],
    ...[median(({ asked }) => asked, 0), median(({ exactAsked }) => exactAsked, 0)],
    ...[median(({ openMs }) => openMs, 1), median(({ mib }) => mib, 1)],
    ...widths.map(
      (_, at) => `${median(({ curve }) => curve[at]?.recall, 4)}, ${median(({ curve }) => curve[at]?.micros, 0)}`,
    ),
  ];
}

console.log(JSON.stringify({ ...machine(), ...VECTOR_INDEX, passes: Number(values.passes) }));
const measured: Measured[] = [];
for (const [name, texts] of catalogues()) {
  measured.push(measure(name, texts));
  console.error(`${name} is done`);
}
const costs = ["build, s", "recall@10", "µs for 10", "exact", `µs for ${ASKED}`, "exact", "open, ms", "MiB"];
console.log(tableOf(["catalogue", "vectors", "width", ...costs, ...widths.map(String)], measured.map(rowOf)));
await keep(values.json, { params: VECTOR_INDEX, measured });
