import { html, type Markup } from "../../src/server/demo/html.js";
import { figure, plain } from "./words.js";

export interface PlotPoint {
  /** What stands below it. */
  readonly label: string;
  /** What it says when it is pointed at, after the value. */
  readonly hint: string;
  /** Undefined leaves a gap. */
  readonly value: number | undefined;
  /** Tells machines apart by the mark. */
  readonly machine: number;
  /** A line joins neighbours of one series: others cannot be compared. */
  readonly series: string;
}

const WIDTH = 400;
const HEIGHT = 190;
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 34, 20, 30];
/** Labels that fit beside each other. */
const MAX_LABELS = 5;
const STEPS = 4;

/** Values in their order, from 0; a line at `reference` where that is given. All that it says must stand in a table, too. */
export function plot(label: string, points: readonly PlotPoint[], unit: string, reference?: number): Markup {
  const top = niceTop(Math.max(reference ?? 0, ...points.map(({ value }) => value ?? 0)));
  const span = WIDTH - LEFT - RIGHT;
  const x = (at: number) => rounded(LEFT + (points.length === 1 ? span / 2 : (span * at) / (points.length - 1)));
  const y = (value: number) => rounded(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top));
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => (top * step) / STEPS).map(
    (value) => html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>
<text class="end" x="${LEFT - 6}" y="${y(value) + 4}">${plain(value)}</text>`,
  );
  const level =
    reference === undefined
      ? []
      : [html`<line class="reference" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(reference)}" y2="${y(reference)}"/>`];
  const lines: Markup[] = [];
  const marks: Markup[] = [];
  for (const [at, point] of points.entries()) {
    if (point.value === undefined) continue;
    const before = points[at - 1];
    if (before?.value !== undefined && before.series === point.series)
      lines.push(html`<path class="line" d="M${x(at - 1)} ${y(before.value)}L${x(at)} ${y(point.value)}"/>`);
    const said = `${figure(point.value)} ${unit}: ${point.hint}`;
    marks.push(
      html`<path class="mark" d="${markAt(x(at), y(point.value), point.machine)}"><title>${said}</title></path>`,
    );
  }
  const every = Math.ceil(points.length / MAX_LABELS);
  const names = points.flatMap((point, at) =>
    (points.length - 1 - at) % every === 0
      ? [html`<text class="middle code" x="${x(at)}" y="${HEIGHT - 10}">${point.label}</text>`]
      : [],
  );
  const last = points.findLastIndex(({ value }) => value !== undefined);
  const value = points[last]?.value;
  const newest =
    value === undefined
      ? []
      : [html`<text class="middle newest" x="${x(last)}" y="${y(value) - 8}">${figure(value)}</text>`];
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
${[...grid, ...level, ...lines, ...marks, ...names, ...newest]}
</svg>`;
}

/** The mark of a machine, alone: for a legend. */
export function mark(machine: number): Markup {
  return html`<svg class="key" viewBox="0 0 12 12" aria-hidden="true"><path class="mark" d="${markAt(6, 6, machine)}"/></svg>`;
}

/** A circle, a square, a diamond, a triangle, and from there anew. */
function markAt(x: number, y: number, machine: number): string {
  const shapes = [
    `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`,
    `M${x - 3.5} ${y - 3.5}h7v7h-7z`,
    `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
    `M${x} ${y - 5}l4.5 8.5h-9z`,
  ];
  return shapes[machine % shapes.length] ?? "";
}

/** The end of an axis: a round number above the greatest value, so that its four steps are round, too. */
function niceTop(most: number): number {
  if (most <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  return unit * ([1.2, 1.6, 2, 3, 4, 6, 8].find((top) => top * unit > most * 1.02) ?? 12);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
