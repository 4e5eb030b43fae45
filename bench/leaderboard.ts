/**
 * How well servers predict what visitors and customers do next, all asked alike over HTTP: Aisle, baselines, and yours.
 *
 *   npm run leaderboard -- [DATA…] [--data-dir DIR] [--server NAME=URL] [--only NAME,…] [--sessions 1000 | --full]
 *                          [--seed 1] [--json FILE] [--pictures DIR] [--keep DIR]
 *
 * DATA: names in ../shared/data/behaviour, or folders with train.csv.gz, dev.csv.gz and perhaps products.csv.gz; all of
 * the shared data when none is given. `--data-dir` adds each folder of DIR that has these files. docs/quality.md tells the columns,
 * the tasks, and how to add a server.
 *
 * `--keep DIR` keeps each server's result, and a later run of the same data, sample and seed takes it from there.
 *
 * A server learns from train and is asked one question after the other from a sample of dev. Learning is timed from the
 * file to the first answer, with the import. HR@20: share of questions with a wanted product among the first 20; MRR@20:
 * mean of 1 / place of the first; R@20: mean share of what was wanted. In brackets 95 % intervals by bootstrap over
 * sessions, orders or customers. Products that train does not have are left out of the judging.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sharedData } from "../test/fixtures/shared-data.js";
import { ROWS } from "./leaderboard/baselines.js";
import { openDataSet } from "./leaderboard/data-set.js";
import { OURS, picturesOf, reportOf, tableOf } from "./leaderboard/report.js";
import { keptIn, type Result, runServer } from "./leaderboard/run.js";
import { speakTo, startAisle, startBaseline } from "./leaderboard/servers.js";
import { keep } from "./load.js";

const usage = (reason: string): never => {
  console.error(`${reason}\nusage: npm run leaderboard -- [DATA…] [--data-dir DIR] [--server NAME=URL] [--only NAME,…]
       [--sessions N | --full] [--seed N] [--json FILE] [--pictures DIR] [--keep DIR]`);
  process.exit(2);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "data-dir": { type: "string" },
    server: { type: "string", multiple: true, default: [] },
    only: { type: "string" },
    sessions: { type: "string", default: "1000" },
    full: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    json: { type: "string" },
    pictures: { type: "string" },
    keep: { type: "string" },
  },
});

function foldersIn(parent: string): string[] {
  const folders = readdirSync(parent).map((name) => join(parent, name));
  return folders.filter((folder) => existsSync(join(folder, "train.csv.gz")) && existsSync(join(folder, "dev.csv.gz")));
}

const shared = sharedData("behaviour");
const named = positionals.map((name) => (existsSync(join(name, "train.csv.gz")) ? name : join(shared ?? "", name)));
const others = values["data-dir"] === undefined ? [] : foldersIn(values["data-dir"]);
const folders = [...(named.length + others.length > 0 || shared === undefined ? named : foldersIn(shared)), ...others];
const missing = folders.find((folder) => !existsSync(join(folder, "train.csv.gz")));
if (missing !== undefined) usage(`${missing} has no train.csv.gz`);
if (folders.length === 0) usage("no data set was found (set AISLE_SHARED_DATA)");
const strangers = values.server.map((server) => {
  const [, name, url] = /^([^=]+)=(https?:\/\/.+?)\/*$/.exec(server) ?? usage(`--server is not NAME=URL: ${server}`);
  return { name: name!, start: async () => speakTo(url!), of: "all" as const };
});
const sample = { size: values.full ? Number.POSITIVE_INFINITY : Number(values.sessions), seed: Number(values.seed) };

const boards: object[] = [];
for (const folder of folders) {
  const directory = await mkdtemp(join(tmpdir(), "aisle-leaderboard-"));
  try {
    const dataSet = await openDataSet(folder, directory, sample);
    const entries = [
      ...Object.entries(ROWS).map(([row, { label, of }]) => ({ name: label, of, start: () => startBaseline(row) })),
      ...strangers,
      { name: OURS, of: "all" as const, start: () => startAisle(join(directory, "store")) },
    ];
    const only = values.only?.split(",");
    const results: Result[] = [];
    for (const { name, of, start } of entries) {
      const tasks = dataSet.tasks.filter(({ kind }) => of === "all" || of === kind);
      if (tasks.length === 0 || (only && !only.includes(name))) continue;
      const file = `${dataSet.training.dataSet}-${name.replace(/\W+/g, "_")}-${sample.size}-${sample.seed}.json`;
      const kept = values.keep === undefined ? undefined : join(values.keep, file);
      results.push(await keptIn(kept, () => runServer(name, start, dataSet, tasks)));
      process.stderr.write(`${dataSet.training.dataSet}: ${name} is done\n`);
    }
    console.log(tableOf(dataSet, results));
    boards.push(reportOf(dataSet, results));
    for (const [file, picture] of picturesOf(dataSet, results)) {
      if (values.pictures === undefined) break;
      await mkdir(values.pictures, { recursive: true });
      await writeFile(join(values.pictures, file), picture);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
await keep(values.json, { sample: values.full ? "all" : sample.size, seed: sample.seed, boards });
