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
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { machine } from "./load.js";
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

function sizesTable(rows: readonly Row[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: ["products", "events", ...FIGURES.map(([name]) => name), "longest stages, s"],
    colAligns: ["right", "right", ...FIGURES.map(() => "right" as const), "left"],
  });
  for (const row of rows) {
    const longest = Object.entries(row.stages)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 4);
    table.push([
      row.products.toLocaleString("en"),
      row.events.toLocaleString("en"),
      ...FIGURES.map(([, of]) => of(row).toFixed(1)),
      longest.map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`).join(", "),
    ]);
  }
  return table.toString();
}

/** Exponents of growth from each size to the next one that differs by its products, or by its events, alone. */
function slopesTable(rows: readonly Row[]): string {
  const table = new Table({
    style: { head: [], border: [] },
    head: ["slope from", "to", ...FIGURES.map(([name]) => name)],
    colAligns: ["left", "left", ...FIGURES.map(() => "right" as const)],
  });
  const name = ({ products, events }: Row) => `${products.toLocaleString("en")} x ${events.toLocaleString("en")}`;
  const steps = (size: (row: Row) => number, other: (row: Row) => number) => {
    for (const row of rows) {
      const larger = rows.filter((one) => other(one) === other(row) && size(one) > size(row));
      const next = larger.sort((a, b) => size(a) - size(b))[0];
      if (next === undefined) continue;
      const grown = Math.log(size(next) / size(row));
      table.push([
        name(row),
        name(next),
        ...FIGURES.map(([, of]) => (Math.log(of(next) / of(row)) / grown).toFixed(2)),
      ]);
    }
  };
  steps(
    ({ events }) => events,
    ({ products }) => products,
  );
  steps(
    ({ products }) => products,
    ({ events }) => events,
  );
  return table.toString();
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
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine: machine(), rows }, null, 2)}\n`);
