import {
  type EvaluatedRanking,
  type EvaluatedTask,
  type Evaluation,
  EvaluationTask,
  Ranking,
  RankingKind,
} from "../gen/aisle/v1/evaluation_pb.js";
import { type CountName, type FigureName, taskTitle } from "./evaluation-tables.js";
import { enumWord } from "./message-values.js";
import { count } from "./output.js";

const WIDTH = 1000;
const MARGIN = 24;
const GAP = 40;
const PANEL = (WIDTH - 2 * MARGIN - GAP) / 2;
const LABELS = 150;
const VALUES = 84;
const BAR = 22;
const HEAD = 52;
const PLOT = 220;
/** Minimum distance of two line labels. */
const LABEL_STEP = 15;

/** A bar: its length, and its part in full colour, which is never longer. */
interface BarFigures {
  readonly length: FigureName;
  readonly part?: FigureName;
  readonly legend: string;
}
const HITS: BarFigures = { length: "hitRate", part: "reciprocalRank", legend: "HR@20, full colour MRR@20" };
const RECALL: BarFigures = { length: "hitRate", part: "recall", legend: "HR@20, full colour Recall@20" };
const NDCG: BarFigures = { length: "ndcg", legend: "NDCG@10" };
const SHARES: BarFigures = {
  length: "sameCategoryShare",
  part: "substituteShare",
  legend: "same category, full colour priced alike",
};

/** Tasks that are drawn as bars, in this order, and those drawn as lines by length of history besides. */
const BARS: readonly (readonly [EvaluationTask, BarFigures])[] = [
  [EvaluationTask.NEXT_ITEM, HITS],
  [EvaluationTask.NEXT_NEW_ITEM, HITS],
  [EvaluationTask.HIDDEN_LINE, HITS],
  [EvaluationTask.REST_OF_ORDER, RECALL],
  [EvaluationTask.NEXT_ORDER, RECALL],
  [EvaluationTask.NEXT_ORDER_NEW, RECALL],
  [EvaluationTask.COLD_START, HITS],
  [EvaluationTask.SIMILAR_PRODUCTS, NDCG],
  [EvaluationTask.ALSO_VIEW, NDCG],
  [EvaluationTask.SUBSTITUTES, SHARES],
];
const LINES: readonly (readonly [EvaluationTask, string])[] = [
  [EvaluationTask.NEXT_ITEM, "steps of the visit so far"],
  [EvaluationTask.HIDDEN_LINE, "other lines in the cart"],
];

/** Colours by place in the list of rankings, light and dark; answers come first. */
const COLOURS = [
  ["#b3261e", "#ff8a80"],
  ["#0b57a4", "#7db8f0"],
  ["#00795c", "#4ecda5"],
  ["#8a5a00", "#e5b04b"],
  ["#7a3fa0", "#cf9bf0"],
  ["#5f6368", "#b0b4ba"],
  ["#006c7a", "#5fd0de"],
  ["#a0366f", "#f29ac6"],
  ["#4d5b00", "#bfd05a"],
  ["#b84a00", "#ffab73"],
  ["#4549b0", "#a9aef5"],
] as const;

interface Panel {
  readonly height: number;
  readonly svg: string;
}

/**
 * Quality by ranking and by length of history, as one SVG without anything outside of it: readable on light and dark
 * ground, as the viewer prefers. Each panel of bars says what they are; lines are hit rates.
 */
export function evaluationPicture(evaluation: Evaluation, title: string): string {
  const all = [...new Set(evaluation.tasks.flatMap((task) => task.rankings.map(({ ranking }) => ranking)))];
  const colourOf = (ranking: Ranking) => `c${all.indexOf(ranking) % COLOURS.length}`;
  const judged = evaluation.tasks.filter((task) => task.queryCount > 0);
  const panelsOf = <T>(
    drawn: readonly (readonly [EvaluationTask, T])[],
    panel: (task: EvaluatedTask, how: T) => Panel,
  ) => drawn.flatMap(([one, how]) => judged.filter(({ task }) => task === one).map((task) => panel(task, how)));
  const rows = [
    ...pairs(panelsOf(BARS, (task, figures) => barPanel(task, figures, colourOf))),
    ...pairs(panelsOf(LINES, (task, what) => linePanel(task, what, colourOf))),
  ];
  const parts: string[] = [];
  let top = 84;
  for (const pair of rows) {
    for (const [i, { svg }] of pair.entries())
      parts.push(`<g transform="translate(${MARGIN + i * (PANEL + GAP)},${top})">${svg}</g>`);
    top += Math.max(...pair.map(({ height }) => height)) + GAP;
  }
  const counts = (name: CountName) => count(evaluation.dataCounts?.[name] ?? 0n);
  const line = `learned from ${counts("learnedVisits")} visits, judged on the ${counts("judgedVisits")} newest; ${counts("products")} products`;
  const note = judged.length === 0 ? ". Nothing could be judged" : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">
<title>${escaped(`Quality of recommendations, ${title}`)}</title>
<style>${style()}</style>
<rect class="ground" width="${WIDTH}" height="${top}"/>
${text(MARGIN, 34, `Quality of recommendations: ${title}`, "h1")}
${text(MARGIN, 58, `${line}${note}`, "soft")}
${parts.join("\n")}
</svg>
`;
}

function pairs<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 2) }, (_, row) => all.slice(2 * row, 2 * row + 2));
}

/** Bars by ranking, the best first within answers, sources and baselines. */
function barPanel(
  task: EvaluatedTask,
  { length, part, legend }: BarFigures,
  colourOf: (ranking: Ranking) => string,
): Panel {
  const main = (ranking: EvaluatedRanking) => ranking.figures?.[length] ?? 0;
  const rankings = [...task.rankings].sort((a, b) => a.kind - b.kind || main(b) - main(a));
  const width = PANEL - LABELS - VALUES;
  const scale = niceTop(Math.max(...rankings.map(main)));
  const parts = [heading(task, legend)];
  let y = HEAD;
  let kind = rankings[0]?.kind ?? RankingKind.UNSPECIFIED;
  for (const ranking of rankings) {
    if (ranking.kind !== kind) y += 8;
    kind = ranking.kind;
    const value = main(ranking);
    const inner = part === undefined ? undefined : ranking.figures?.[part];
    const bar = (share: number, kindOfBar: string) =>
      `<rect class="${colourOf(ranking.ranking)} ${kindOfBar}" x="${LABELS}" y="${y}" width="${fixed((width * share) / scale)}" height="${BAR - 6}"/>`;
    parts.push(
      text(LABELS - 8, y + 12, enumWord(Ranking, ranking.ranking), "right"),
      bar(value, inner === undefined ? "" : "pale"),
      inner === undefined ? "" : bar(inner, ""),
      text(
        LABELS + (width * value) / scale + 6,
        y + 12,
        inner === undefined ? short(value) : `${short(value)} / ${short(inner)}`,
        "small",
      ),
    );
    y += BAR;
  }
  return { height: y, svg: parts.join("") };
}

/** Hit rates by length of history, one line a ranking with its name at the end. */
function linePanel(task: EvaluatedTask, what: string, colourOf: (ranking: Ranking) => string): Panel {
  const parts = (task.rankings[0]?.histories ?? []).map(
    ({ minLength: least, maxLength: most, queryCount: queries }) => ({ least, most, queries }),
  );
  const value = (ranking: EvaluatedRanking, i: number) => ranking.histories[i]?.figures?.hitRate ?? 0;
  const scale = niceTop(Math.max(0, ...task.rankings.flatMap((r) => parts.map((_, i) => value(r, i)))));
  const [left, right] = [36, PANEL - LABELS];
  const x = (i: number) => left + (parts.length === 1 ? 0 : ((right - left) * i) / (parts.length - 1));
  const y = (share: number) => HEAD + PLOT * (1 - share / scale);
  const marks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="grid" x1="${left}" x2="${right}" y1="${fixed(y(share * scale))}" y2="${fixed(y(share * scale))}"/>` +
      text(left - 6, y(share * scale) + 4, short(share * scale), "small right"),
  );
  const ticks = parts.map(
    ({ least, most, queries }, i) =>
      text(
        x(i),
        HEAD + PLOT + 18,
        most === 0 ? `${least}+` : least === most ? `${least}` : `${least}–${most}`,
        "middle",
      ) + text(x(i), HEAD + PLOT + 34, count(queries), "small soft middle"),
  );
  const lines = task.rankings.map((ranking) => {
    const points = parts.map((_, i) => `${fixed(x(i))},${fixed(y(value(ranking, i)))}`).join(" ");
    const dash = ranking.kind === RankingKind.BASELINE ? " dashed" : "";
    const dots = parts.map(
      (_, i) =>
        `<circle class="${colourOf(ranking.ranking)}" cx="${fixed(x(i))}" cy="${fixed(y(value(ranking, i)))}" r="2.5"/>`,
    );
    return `<polyline class="line s${colourOf(ranking.ranking)}${dash}" points="${points}"/>${dots.join("")}`;
  });
  const ends = task.rankings.map((ranking) => y(value(ranking, parts.length - 1)));
  const places = spread(ends);
  const names = task.rankings.map(
    (ranking, i) =>
      `<line class="grid" x1="${right + 4}" x2="${right + 16}" y1="${fixed(ends[i]!)}" y2="${fixed(places[i]!)}"/>` +
      text(right + 18, places[i]! + 4, enumWord(Ranking, ranking.ranking), `small ${colourOf(ranking.ranking)}`),
  );
  const axis = text((left + right) / 2, HEAD + PLOT + 54, `${what}; below, questions`, "small soft middle");
  return {
    height: HEAD + PLOT + 58,
    svg: [heading(task, "HR@20 by length of history"), ...marks, ...ticks, axis, ...lines, ...names].join(""),
  };
}

function heading(task: EvaluatedTask, what: string): string {
  return text(0, 14, taskTitle(task), "h2") + text(0, 34, `${what}; ${count(task.queryCount)} questions`, "small soft");
}

/** Moves the wanted heights as little as needed to keep `LABEL_STEP` between them within the plot. */
function spread(wanted: readonly number[]): number[] {
  const order = [...wanted.keys()].sort((a, b) => wanted[a]! - wanted[b]! || a - b);
  const places = [...wanted];
  for (const [n, i] of order.entries())
    if (n > 0) places[i] = Math.max(places[i]!, places[order[n - 1]!]! + LABEL_STEP);
  let bottom = HEAD + PLOT + LABEL_STEP;
  for (const i of [...order].reverse()) {
    places[i] = Math.min(places[i]!, bottom - LABEL_STEP);
    bottom = places[i]!;
  }
  return places;
}

/** The end of an axis: a round share not below the maximum. */
function niceTop(most: number): number {
  return [0.04, 0.08, 0.2, 0.4, 0.6, 0.8].find((top) => top >= most) ?? 1;
}

function style(): string {
  const rules = [
    "text{font:13px system-ui,sans-serif;fill:#202124}",
    ".h1{font-size:20px;font-weight:600}.h2{font-size:15px;font-weight:600}.small{font-size:12px}",
    ".right{text-anchor:end}.middle{text-anchor:middle}",
    ".ground{fill:#fff}.soft{fill:#5f6368}.grid{stroke:#dadce0}.pale{opacity:.45}",
    ".line{fill:none;stroke-width:2}.dashed{stroke-dasharray:5 4}",
  ];
  const colours = (mode: 0 | 1) =>
    COLOURS.map((pair, i) => `.c${i}{fill:${pair[mode]}}.sc${i}{stroke:${pair[mode]}}`).join("");
  const dark = `text{fill:#e8eaed}.ground{fill:#17181a}.soft{fill:#a8adb3}.grid{stroke:#3c4043}${colours(1)}`;
  return `${rules.join("")}${colours(0)}@media (prefers-color-scheme:dark){${dark}}`;
}

function text(x: number, y: number, content: string, classes: string): string {
  return `<text class="${classes}" x="${fixed(x)}" y="${fixed(y)}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return content
    .replace(/[\p{Cc}\u{fffe}\u{ffff}]/gu, " ")
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function short(share: number): string {
  return share.toFixed(3).replace(/^0/, "");
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
