/** A board as a table, as JSON and as pictures. */
import Table from "cli-table3";
import type { DataSet } from "./data-set.js";
import type { Figure, Figures, Measure } from "./judge.js";
import { boardPicture, type Panel, share } from "./picture.js";
import type { Result, Row } from "./run.js";

/** The name of our own row. */
export const OURS = "Aisle";

const MEASURES = [
  ["hitRate", "HR@20"],
  ["reciprocalRank", "MRR@20"],
  ["recall", "R@20"],
] as const satisfies readonly (readonly [Measure, string])[];
const TITLES: Readonly<Record<string, string>> = {
  next_item: "Next product",
  next_new_item: "Next product, new to the visit",
  hidden_line: "One line of an order, hidden",
  rest_of_order: "Rest of an order, from its first product",
  next_order_new: "A customer's next order, new products",
  next_order: "A customer's next order",
};

/** The results of one task, in the order of the servers. */
function byTask(results: readonly Result[]) {
  const names = [...new Set(results.flatMap(({ rows }) => rows.map(({ task }) => task)))];
  return names.map((name) => ({
    name,
    /** What tells servers apart best: of the rest of an order recall, else whether anything was found. */
    lead: name === "rest_of_order" ? MEASURES[2] : MEASURES[0],
    entries: results.flatMap((result) => {
      const row = result.rows.find(({ task }) => task === name);
      return row ? [{ result, row, figures: row.judge.figures() }] : [];
    }),
  }));
}

export function tableOf({ training, counts }: DataSet, results: readonly Result[]): string {
  const head = [training.dataSet, ...MEASURES.map(([, label]) => label), "learn s", "peak MiB", "p50 ms", "p99 ms"];
  const table = new Table({ style: { head: [], border: [] }, head });
  const notes: string[] = [];
  for (const { name, lead, entries } of byTask(results)) {
    const questions = entries[0]?.row.judge.questions ?? 0;
    table.push([{ colSpan: head.length, content: `${TITLES[name] ?? name}: ${questions} questions` }]);
    for (const { result, figures } of entries) {
      const { server, learnSeconds, peakMiB, latencyMs } = result;
      const cost = [
        learnSeconds.toFixed(0),
        peakMiB?.toFixed(0) ?? "-",
        latencyMs.p50.toFixed(1),
        latencyMs.p99.toFixed(1),
      ];
      table.push([server, ...MEASURES.map(([measure]) => inBrackets(figures[measure])), ...cost]);
    }
    notes.push(...leadOf(name, lead, entries));
  }
  return [
    table.toString(),
    `learned from ${counts.sessions} sessions or orders of ${counts.products} products`,
    ...notes,
  ].join("\n");
}

type Entry = { readonly result: Result; readonly row: Row; readonly figures: Figures };

/** How far we are ahead of the best other server, of the same draws. */
function leadOf(name: string, [measure, label]: (typeof MEASURES)[number], entries: readonly Entry[]): string[] {
  const ours = entries.find(({ result }) => result.server === OURS);
  const [best] = entries
    .filter((entry) => entry !== ours)
    .sort((a, b) => b.figures[measure].value - a.figures[measure].value);
  if (ours === undefined || best === undefined) return [];
  return [
    `${name}: ${OURS} - ${best.result.server} = ${inBrackets(ours.row.judge.lead(best.row.judge, measure))} ${label}`,
  ];
}

export function reportOf({ training, counts }: DataSet, results: readonly Result[]): object {
  return {
    dataSet: training.dataSet,
    ...counts,
    tasks: byTask(results).map(({ name, lead, entries }) => ({
      task: name,
      questions: entries[0]?.row.judge.questions,
      servers: Object.fromEntries(entries.map(({ result, figures }) => [result.server, figures])),
      lead: leadOf(name, lead, entries)[0],
    })),
    servers: results.map(({ server, learnSeconds, peakMiB, latencyMs }) => ({
      server,
      learnSeconds,
      peakMiB,
      latencyMs,
    })),
  };
}

/** By the name of the file. */
export function picturesOf({ training }: DataSet, results: readonly Result[]): readonly (readonly [string, string])[] {
  const panels = byTask(results).map(({ name, lead: [measure, label], entries }): Panel => {
    const bars = entries.map(({ result: { server }, figures }) => {
      return { label: server, figure: figures[measure], isOurs: server === OURS };
    });
    bars.sort((a, b) => b.figure.value - a.figure.value);
    return { title: TITLES[name] ?? name, measure: `${label}, ${entries[0]?.row.judge.questions} questions`, bars };
  });
  return (["light", "dark"] as const).map((ground) => [
    `quality-${training.dataSet}-${ground}.svg`,
    boardPicture(training.dataSet, panels, ground),
  ]);
}

function inBrackets({ value, low, high }: Figure): string {
  return `${share(value)} (${share(low)}–${share(high)})`;
}
