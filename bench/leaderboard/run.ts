/** Lets servers learn one data set and judges their answers. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { DataSet, Task } from "./data-set.js";
import { Judge } from "./judge.js";
import type { Server } from "./servers.js";

/** What a server's answers to one reading of the questions were worth. */
export interface Row {
  readonly task: string;
  readonly judge: Judge;
}

export interface Result {
  readonly server: string;
  readonly learnSeconds: number;
  readonly peakMiB: number | undefined;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  readonly rows: readonly Row[];
}

/** A result as JSON has it. */
interface Kept extends Omit<Result, "rows"> {
  readonly rows: readonly { readonly task: string; readonly judge: ReturnType<Judge["toJSON"]> }[];
}

/** What an earlier run kept in `file`, else what `run` gives, kept there. Without a file nothing is kept. */
export async function keptIn(file: string | undefined, run: () => Promise<Result>): Promise<Result> {
  if (file === undefined) return run();
  if (existsSync(file)) {
    const { rows, ...kept }: Kept = JSON.parse(await readFile(file, "utf8"));
    return { ...kept, rows: rows.map(({ task, judge }) => ({ task, judge: new Judge(judge.isNew, judge.units) })) };
  }
  const result = await run();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(result));
  return result;
}

/** Starts, teaches and asks one server; stops it at the end. */
export async function runServer(name: string, start: () => Promise<Server>, dataSet: DataSet, tasks: readonly Task[]) {
  const server = await start();
  try {
    const begun = performance.now();
    await server.train(dataSet.training);
    const learnSeconds = (performance.now() - begun) / 1000;
    const times: number[] = [];
    const rows: Row[] = [];
    for (const { questions, readings } of tasks) {
      const judged = readings.map(({ name: task, isNew }) => ({ task, judge: new Judge(isNew) }));
      for (const question of questions) {
        const asked = performance.now();
        const products = await server.recommend(question.call);
        times.push(performance.now() - asked);
        for (const { judge } of judged) judge.take(products, question);
      }
      rows.push(...judged);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
    const result: Result = {
      server: name,
      learnSeconds,
      peakMiB: await server.peakMiB(),
      latencyMs: { p50: at(0.5), p99: at(0.99) },
      rows,
    };
    return result;
  } finally {
    await server.stop();
  }
}
