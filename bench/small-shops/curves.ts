/** Draws figures by the size of the shop: a panel for each data set and task, a line for each ranking. */
import type { JudgedCut } from "./judge-cut.js";

export interface SizedCut extends Pick<JudgedCut, "tasks"> {
  readonly dataSet: string;
  readonly size: number;
}

const PANEL = { width: 460, height: 300, left: 56, right: 150, top: 44, bottom: 40 } as const;
const COLOURS = ["#b3261e", "#6b7280", "#1f6feb", "#1c6b58", "#8a5a00"];
const TITLES = {
  next_item: "next product of a visit",
  next_new_item: "next product new to the visit",
  hidden_line: "hidden line of an order",
} as const;
/** Minimum distance of two labels. */
const LABEL_STEP = 14;

export function smallShopsPicture(cuts: readonly SizedCut[]): string {
  const panels = new Map<string, { readonly size: number; readonly task: JudgedCut["tasks"][number] }[]>();
  for (const { dataSet, size, tasks } of cuts)
    for (const task of tasks) {
      const title = `${dataSet}: ${TITLES[task.task]}`;
      panels.set(title, [...(panels.get(title) ?? []), { size, task }]);
    }
  const drawn = [...panels].map(([title, points], at) => panel(title, points, at * PANEL.width));
  const width = panels.size * PANEL.width;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" width="${width}" height="${PANEL.height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${width}" height="${PANEL.height}" fill="#ffffff"/>
${drawn.join("\n")}
</svg>
`;
}

function panel(
  title: string,
  points: readonly { readonly size: number; readonly task: JudgedCut["tasks"][number] }[],
  from: number,
): string {
  const sizes = points.map(({ size }) => size);
  const top = Math.max(...points.flatMap(({ task }) => task.rankings.map((row) => row.reciprocalRank.high))) * 1.05;
  const [first, last] = [Math.log(Math.min(...sizes)), Math.log(Math.max(...sizes))];
  const span = PANEL.width - PANEL.left - PANEL.right;
  const x = (size: number) =>
    round(from + PANEL.left + (last > first ? (span * (Math.log(size) - first)) / (last - first) : span / 2));
  const y = (value: number) => round(PANEL.top + (PANEL.height - PANEL.top - PANEL.bottom) * (1 - value / top));
  const parts = [
    `<text x="${from + PANEL.left}" y="20" font-weight="600">${title}</text>`,
    `<text x="${from + PANEL.left}" y="36" fill="#6b7280">MRR@20 by newest sessions or orders; bars: 95 % of bootstrap</text>`,
  ];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const value = share * top;
    parts.push(
      `<path d="M${from + PANEL.left} ${y(value)}H${from + PANEL.width - PANEL.right}" stroke="#dde1de"/>`,
      `<text x="${from + PANEL.left - 6}" y="${y(value) + 4}" text-anchor="end" fill="#6b7280">${value.toFixed(2)}</text>`,
    );
  }
  for (const size of sizes)
    parts.push(
      `<text x="${x(size)}" y="${PANEL.height - 16}" text-anchor="middle" fill="#6b7280">${size.toLocaleString("en")}</text>`,
    );
  const rows = points.at(-1)?.task.rankings ?? [];
  const labels: { readonly at: number; readonly text: string; readonly colour: string }[] = [];
  for (const [r, { name }] of rows.entries()) {
    const colour = COLOURS[r % COLOURS.length]!;
    const drawn = points.flatMap(({ size, task }) => {
      const row = task.rankings[r];
      return row === undefined ? [] : [{ size, figure: row.reciprocalRank }];
    });
    const path = drawn.map(({ size, figure }, i) => `${i === 0 ? "M" : "L"}${x(size)} ${y(figure.value)}`).join("");
    parts.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="${r === 0 ? 3 : 1.5}"/>`);
    for (const { size, figure } of drawn)
      parts.push(`<path d="M${x(size)} ${y(figure.low)}V${y(figure.high)}" stroke="${colour}" opacity="0.5"/>`);
    labels.push({ at: y(drawn.at(-1)?.figure.value ?? 0), text: name, colour });
  }
  labels.sort((a, b) => a.at - b.at);
  let below = Number.NEGATIVE_INFINITY;
  for (const { at, text, colour } of labels) {
    below = Math.max(at, below + LABEL_STEP);
    parts.push(`<text x="${from + PANEL.width - PANEL.right + 8}" y="${below + 4}" fill="${colour}">${text}</text>`);
  }
  return parts.join("\n");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
