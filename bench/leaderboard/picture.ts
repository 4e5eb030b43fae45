/** The board of a data set as SVG: a panel of bars for each task, with the intervals as whiskers. */
import type { Figure } from "./judge.js";

export interface Bar {
  readonly label: string;
  readonly figure: Figure;
  /** Drawn in colour. */
  readonly isOurs: boolean;
}

export interface Panel {
  readonly title: string;
  readonly measure: string;
  readonly bars: readonly Bar[];
}

export type Ground = "light" | "dark";

const COLOURS = {
  light: {
    ground: "#ffffff",
    text: "#202124",
    soft: "#5f6368",
    ours: "#0b57a4",
    others: "#b0b4ba",
    whisker: "#202124",
  },
  dark: { ground: "#0d1117", text: "#e8eaed", soft: "#a8adb3", ours: "#7db8f0", others: "#5f6368", whisker: "#e8eaed" },
} as const;
const [PANEL, LABELS, VALUES, MARGIN, GAP] = [440, 120, 50, 24, 32];
const [HEAD, BAR] = [48, 24];
const WIDTH = 2 * (PANEL + MARGIN) + GAP;
const TOP = 64;

export function boardPicture(title: string, panels: readonly Panel[], ground: Ground): string {
  const { ground: back, text: front, soft, ours, others, whisker } = COLOURS[ground];
  const parts: string[] = [];
  let top = TOP;
  for (let i = 0; i < panels.length; i += 2) {
    const pair = panels.slice(i, i + 2);
    for (const [column, panel] of pair.entries())
      parts.push(`<g transform="translate(${MARGIN + column * (PANEL + GAP)},${top})">${panelOf(panel)}</g>`);
    top += HEAD + BAR * Math.max(...pair.map(({ bars }) => bars.length)) + GAP;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">
<title>${escaped(title)}</title>
<style>text{font:13px system-ui,sans-serif;fill:${front}}.h1{font-size:20px;font-weight:600}.h2{font-size:15px;font-weight:600}.soft{fill:${soft}}.right{text-anchor:end}.ours{fill:${ours}}.others{fill:${others}}.whisker{stroke:${whisker};stroke-width:1.5}</style>
<rect width="${WIDTH}" height="${top}" fill="${back}"/>
${text(MARGIN, 36, title, "h1")}
${parts.join("\n")}
</svg>
`;
}

function panelOf({ title, measure, bars }: Panel): string {
  const room = PANEL - LABELS - VALUES;
  const most = Math.max(1e-9, ...bars.map(({ figure }) => figure.high));
  const x = (share: number) => LABELS + (room * share) / most;
  const drawn = bars.map(({ label, figure, isOurs }, i) => {
    const y = HEAD + i * BAR;
    const middle = y + (BAR - 6) / 2;
    return [
      text(LABELS - 8, middle + 5, label, "right"),
      `<rect class="${isOurs ? "ours" : "others"}" x="${LABELS}" y="${y}" width="${fixed(x(figure.value) - LABELS)}" height="${BAR - 6}"/>`,
      `<line class="whisker" x1="${fixed(x(figure.low))}" x2="${fixed(x(figure.high))}" y1="${middle}" y2="${middle}"/>`,
      text(x(figure.high) + 6, middle + 5, share(figure.value), ""),
    ].join("");
  });
  return [text(0, 14, title, "h2"), text(0, 34, measure, "soft"), ...drawn].join("");
}

/** A share as tables and pictures show it: .553. */
export function share(value: number): string {
  return value.toFixed(3).replace(/^(-?)0/, "$1");
}

function text(x: number, y: number, content: string, classes: string): string {
  return `<text class="${classes}" x="${fixed(x)}" y="${fixed(y)}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
