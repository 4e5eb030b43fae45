/**
 * What a training costs as a shop grows: time, memory, the snapshot, its load, and a recommendation from it.
 *
 *   npm run bench -- train [--sizes 50000x1000000,200000x10000000] [--no-learned-order] [--no-texts] [--json FILE]
 *
 * A size is products x events. Each is trained in a process of its own and served in another, one after the other, on a made-up shop: products
 * with texts in narrow categories, visitors of ten events who mostly stay in one. The shop is made while it is read, so
 * that time and memory are those of training; what a store takes to read it comes on top. Slopes tell how a figure grows
 * with one size while the other stays: 1 is in proportion.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { keep, machine } from "./load.js";
import { tableOf } from "./passes.js";
import type { Trained } from "./train/one.js";
import type { Served } from "./train/serve-one.js";

const SIZES =
  "10000x100000,50000x100000,200000x100000,10000x1000000,50000x1000000,200000x1000000,10000x10000000,50000x10000000,200000x10000000";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: SIZES },
    "no-learned-order": { type: "boolean", default: false },
    "no-texts": { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const sizes = values.sizes.split(",").map((size) => {
  const [products = Number.NaN, events = Number.NaN] = size.split("x").map(Number);
  if (!(products > 0 && events > 0)) throw new Error(`--sizes: ${size} is no products x events`);
  return { products, events };
});

type Row = Trained & Served;

/** The line of JSON that a process says. */
async function said(file: string, ...args: readonly string[]): Promise<string> {
  const path = join(import.meta.dirname, "train", file);
  const child = spawn(process.execPath, [...process.execArgv, path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const line = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}`);
  return line;
}

async function train(products: number, events: number): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), "aisle-train-"));
  try {
    const file = join(folder, "snapshot");
    const learnedOrder = String(!values["no-learned-order"]);
    const texts = String(!values["no-texts"]);
    const told = await said("one.ts", String(products), String(events), learnedOrder, texts, file);
    const trained: Trained = JSON.parse(told);
    const served: Served = JSON.parse(await said("serve-one.ts", String(products), file));
    return { ...trained, ...served };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const FIGURES = [
  ["s", ({ seconds }: Row) => seconds],
  ["CPU s", ({ cpuSeconds }: Row) => cpuSeconds],
  ["MiB", ({ memoryMib }: Row) => memoryMib],
  ["of it heap", ({ heapMib }: Row) => heapMib],
  ["snapshot MiB", ({ snapshotMib }: Row) => snapshotMib],
  ["load ms", ({ loadMs }: Row) => loadMs],
  ["serving MiB", ({ servingMib }: Row) => servingMib],
  ["recommend µs", ({ recommendMicros }: Row) => recommendMicros],
  ["p50 ms", ({ p50Ms }: Row) => p50Ms],
  ["p90 ms", ({ p90Ms }: Row) => p90Ms],
  ["p99 ms", ({ p99Ms }: Row) => p99Ms],
] as const;

const NAMES = FIGURES.map(([name]) => name);

function sizesTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const stages = Object.entries(row.stages).sort((a, b) => b[1] - a[1]);
    const longest = stages.slice(0, 4).map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`);
    return [sizeOf(row), ...FIGURES.map(([, of]) => of(row).toFixed(1)), longest.join(", ")];
  });
  return tableOf(["products x events", ...NAMES, "longest stages, s"], cells);
}

const sizeOf = ({ products, events }: Row) => `${products.toLocaleString("en")} x ${events.toLocaleString("en")}`;

/** Exponents of growth from each size to the next one that differs by its products, or by its events, alone. */
function slopesTable(rows: readonly Row[]): string {
  const slopes = (["products", "events"] as const).flatMap((size) =>
    rows.flatMap((row) => {
      const other = size === "products" ? "events" : "products";
      const larger = rows.filter((one) => one[other] === row[other] && one[size] > row[size]);
      const next = larger.sort((a, b) => a[size] - b[size])[0];
      if (next === undefined) return [];
      const grown = Math.log(next[size] / row[size]);
      return [
        [sizeOf(row), sizeOf(next), ...FIGURES.map(([, of]) => (Math.log(of(next) / of(row)) / grown).toFixed(2))],
      ];
    }),
  );
  return tableOf(["slope from", "to", ...NAMES], slopes, 2);
}

console.log(JSON.stringify(machine()));
const rows: Row[] = [];
for (const { products, events } of sizes) {
  const row = await train(products, events);
  rows.push(row);
  console.log(JSON.stringify(row));
}
console.log(sizesTable(rows));
console.log(slopesTable(rows));
await keep(values.json, { rows });
