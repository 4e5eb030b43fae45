/**
 * The index of products' texts beside hnswlib for Python and exact search, and what a wider search finds and costs.
 *
 *   npm run bench -- hnsw [--python PATH] [--catalogues adidas,myntra] [--sizes 50000,200000] [--passes 3]
 *                         [--widths 10,20,40,80,160,320] [--json FILE]
 *
 * The vectors are those of a training, of the shared data's catalogues and of made-up shops of so many products;
 * parameters are those of training too. `--python` is an interpreter that has hnswlib and numpy (`pip install hnswlib numpy`).
 * All have the same vectors, parameters, seed and width, one thread, and one query a call; each builds, is asked and opens
 * in turns. Figures are medians of the passes; build and query are CPU of the process, open is time. Ours is asked through
 * the adapter, and its build measures itself as well: 200 exact searches. Queries are 500 vectors of the catalogue; recall@10
 * is of the ten that exact search finds.
 *
 * The curve is our graph asked for ten. A search looks at no fewer candidates than it is asked for: a recommendation asks
 * for 100 and more, so that nothing under 100 would change it. Training begins with 100, doubles that until .98 is found,
 * and looks at all vectors of up to 1,000 products, which the index here does not.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { VECTOR_INDEX } from "../src/learning/training/semantic.js";
import { CATALOGUES, type Catalogue, madeUpShop, realCatalogue } from "./hnsw/catalogues.js";
import { ASKED, PYTHON } from "./hnsw/contenders.js";
import { type Figures, measure } from "./hnsw/measure.js";
import { startPython } from "./hnsw/python.js";
import { machine } from "./load.js";

const { values } = parseArgs({
  options: {
    python: { type: "string" },
    catalogues: { type: "string", default: CATALOGUES.join(",") },
    sizes: { type: "string", default: "50000,200000" },
    passes: { type: "string", default: "3" },
    widths: { type: "string", default: "10,20,40,80,160,320" },
    json: { type: "string" },
  },
});
const listed = (list: string) => list.split(",").filter((name) => name !== "");
const names = listed(values.catalogues).map((name) => {
  const known = CATALOGUES.find((one) => one === name);
  if (known === undefined) throw new Error(`--catalogues: ${name} is none of ${CATALOGUES.join(", ")}`);
  return known;
});

function* catalogues(): Generator<Catalogue> {
  for (const name of names) {
    const found = realCatalogue(name);
    if (found === undefined) console.log(`${name} is left out: set AISLE_SHARED_DATA to the folder of the shared data`);
    else yield found;
  }
  for (const size of listed(values.sizes)) yield madeUpShop(Number(size));
}

function rowsTable(measured: readonly Figures[]): string {
  const right = (count: number) => Array.from({ length: count }, () => "right" as const);
  const table = new Table({
    style: { head: [], border: [] },
    head: [
      ...["catalogue", "vectors", "width", "", "build, s", "ratio", "µs for 10", "ratio", `µs for ${ASKED}`, "ratio"],
      ...["recall@10", "open, ms", "MiB"],
    ],
    colAligns: ["left", "right", "right", "left", ...right(9)],
  });
  for (const { catalogue, count, dimensions, efSearch, indexMib, rows } of measured) {
    const reference = rows.find(({ name }) => name === PYTHON);
    const ratio = (own: number, other = Number.NaN) => shown(own / other, 2);
    table.push([
      catalogue,
      `${count.toLocaleString("en")} x ${dimensions}`,
      efSearch,
      lines(rows.map(({ name }) => name)),
      lines(rows.map(({ build }) => shown(build, 2))),
      lines(rows.map(({ build }) => ratio(build, reference?.build))),
      lines(rows.map(({ ten }) => shown(ten, 0))),
      lines(rows.map(({ ten }) => ratio(ten, reference?.ten))),
      lines(rows.map(({ asked }) => shown(asked, 0))),
      lines(rows.map(({ asked }) => ratio(asked, reference?.asked))),
      lines(rows.map(({ recall }) => shown(recall, 4))),
      lines(rows.map(({ openMs }) => shown(openMs, 1))),
      shown(indexMib, 1),
    ]);
  }
  return table.toString();
}

const lines = (cells: readonly string[]) => cells.join("\n");

function curvesTable(measured: readonly Figures[]): string {
  const widths = measured.find(({ curve }) => curve.length > 0)?.curve ?? [];
  const table = new Table({
    style: { head: [], border: [] },
    head: ["recall@10, µs at width", ...widths.map(({ efSearch }) => String(efSearch))],
    colAligns: ["left", ...widths.map(() => "right" as const)],
  });
  for (const { catalogue, curve } of measured)
    table.push([catalogue, ...curve.map(({ recall, micros }) => `${shown(recall, 4)}, ${shown(micros, 0)}`)]);
  return table.toString();
}

function shown(value: number, digits: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(digits);
}

console.log(JSON.stringify({ ...machine(), ...VECTOR_INDEX, passes: Number(values.passes) }));
const python = values.python === undefined ? undefined : await startPython(values.python);
if (python === undefined) console.log("hnswlib for Python is left out: name an interpreter that has it with --python");
else console.log(JSON.stringify(python.about));
const folder = mkdtempSync(join(tmpdir(), "aisle-hnsw-bench-"));
const measured: Figures[] = [];
try {
  const widths = listed(values.widths).map(Number);
  for (const catalogue of catalogues()) {
    const figures = await measure(catalogue, { passes: Number(values.passes), widths, python, folder });
    measured.push(figures);
    console.log(JSON.stringify(figures));
  }
} finally {
  python?.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.log(rowsTable(measured));
console.log(curvesTable(measured));
if (values.json !== undefined) {
  const about = { machine: machine(), params: VECTOR_INDEX, passes: Number(values.passes), python: python?.about };
  writeFileSync(values.json, `${JSON.stringify({ ...about, catalogues: measured }, null, 2)}\n`);
}
