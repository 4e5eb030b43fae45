/** Results of benchmarks as they lie in a folder, one file for each that was kept. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Commit, placeOf, titleOf } from "./commits.js";
import { SHOWN, type Shown } from "./figures.js";
import { type Json, numberAt, valueAt } from "./value-at.js";
import { plain } from "./words.js";

export interface Result {
  readonly bench: string;
  /** The day it was measured. */
  readonly date: string;
  readonly commit: string;
  /** What the commit's own title says, "" when it is not known. */
  readonly subject: string;
  readonly machine: string;
  /** CPU of a fixed task when it was measured, ms; undefined in results that do not tell. */
  readonly fixedTaskMs: number | undefined;
  /** What must be the same for figures to be compared. */
  readonly conditions: string;
  /** In the order of the benchmark's figures; undefined where the file has none. */
  readonly values: readonly (number | undefined)[];
}

/** A file that cannot be shown; the text says which one, and what is accepted. */
export class BadResult extends Error {}

const NAME = /^(\d{4}-\d{2}-\d{2})-([0-9a-f]{7,40})-([a-z-]+)\.json$/;
const NAMED = "YYYY-MM-DD-<short commit>-<benchmark>.json, for example 2026-11-22-2d37609-status.json";
const BENCHES = Object.keys(SHOWN).join(", ");

/** All results of the folder, the earliest commit first. Hidden files are passed over, any other is refused. */
export async function readResults(folder: string, commits: readonly Commit[]): Promise<Result[]> {
  const names = (await filesOf(folder)).filter((name) => !name.startsWith(".")).sort();
  if (names.length === 0) throw new BadResult(`${folder} has no results: files in it are named ${NAMED}`);
  const results: Result[] = [];
  for (const name of names) results.push(await readResult(folder, name, commits));
  const place = new Map(results.map((result) => [result, placeOf(commits, result)]));
  const later = (a: Result, b: Result) => (place.get(a) ?? 0) - (place.get(b) ?? 0);
  return results.sort((a, b) => later(a, b) || a.date.localeCompare(b.date));
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new BadResult(`${folder} is no folder of results: files in it are named ${NAMED}`, { cause });
  }
}

async function readResult(folder: string, name: string, commits: readonly Commit[]): Promise<Result> {
  const file = join(folder, name);
  const [, date = "", commit = "", bench = ""] = NAME.exec(name) ?? [];
  if (!isDay(date)) throw new BadResult(`${file}: a file of results is named ${NAMED}`);
  const shown = SHOWN[bench];
  if (shown === undefined)
    throw new BadResult(`${file}: nothing is shown of a benchmark named ${bench}, it is one of ${BENCHES}`);
  const json = await readJson(file, bench);
  const values = valuesOf(json, shown);
  if (values.every((value) => value === undefined)) {
    const paths = shown.figures.map(({ path }) => path).join(", ");
    throw new BadResult(`${file} has no figure of ${bench}: numbers are looked for at ${paths}`);
  }
  return {
    bench,
    date,
    commit: commit.slice(0, 7),
    subject: titleOf(commits, commit),
    machine: machineOf(json, file),
    fixedTaskMs: numberAt(json, "machine.fixedTaskMs"),
    conditions: shown.conditions.replace(/\{([^}]+)\}/g, (_, path: string) => told(valueAt(json, path))),
    values,
  };
}

function isDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date);
}

async function readJson(file: string, bench: string): Promise<Json> {
  try {
    const json: Json = JSON.parse(await readFile(file, "utf8"));
    return json;
  } catch (cause) {
    const accepted = `what \`npm run bench -- ${bench} --json FILE\` writes`;
    throw new BadResult(`${file} cannot be read as JSON: accepted is ${accepted}`, { cause });
  }
}

function valuesOf(json: Json, { figures }: Shown): (number | undefined)[] {
  return figures.map(({ path, over }) => {
    const value = numberAt(json, path);
    if (value === undefined || over === undefined) return value;
    const divisor = numberAt(json, over);
    return divisor === undefined || divisor === 0 ? undefined : value / divisor;
  });
}

/** Says what is the same for all results that may be compared by more than ratios. */
function machineOf(json: Json, file: string): string {
  const of = (name: string) => valueAt(json, `machine.${name}`);
  const [model, cores, memory, platform, node] = ["model", "cores", "memoryGiB", "platform", "node"].map(of);
  if ([model, cores, memory, platform, node].some((value) => typeof value !== "string" && typeof value !== "number"))
    throw new BadResult(
      `${file} does not say its machine: it is looked for at machine, with model, cores, memoryGiB, platform and node`,
    );
  return `${model}, ${cores} cores, ${memory} GiB, ${platform}, Node ${node}`;
}

/** A condition may be a number that a flag gave as text. */
function told(value: Json | undefined): string {
  if (value === undefined || value === null || value === "" || typeof value === "object") return "?";
  const number = Number(value);
  return Number.isFinite(number) ? plain(number) : String(value);
}
