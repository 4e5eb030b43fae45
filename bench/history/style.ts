/** The looks of the page, in the colours of the console. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f5, #14171a);
  --surface: light-dark(#ffffff, #1c2024);
  --ink: light-dark(#1b1f23, #e8eaec);
  --muted: light-dark(#565e66, #a3adb6);
  --line: light-dark(#dde1de, #333a41);
  --accent: light-dark(#1c6b58, #6fc9ae);
  --mono: ui-monospace, "SFMono-Regular", "Cascadia Mono", Menlo, Consolas, monospace;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 1000px; margin: 0 auto; padding: 20px clamp(12px, 3vw, 32px) 64px; }
h1 { font-size: 24px; line-height: 1.2; margin: 0 0 12px; }
h2 { font-size: 18px; margin: 40px 0 12px; }
p { max-width: 75ch; }
a { color: var(--accent); }
code { font-family: var(--mono); font-size: 0.9em; }
nav ul { display: flex; flex-wrap: wrap; gap: 8px 20px; list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 4px 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); gap: 12px; }
figure { margin: 0; padding: 12px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
figcaption span { color: var(--muted); display: block; }
figure svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--muted); }
svg .code { font-family: var(--mono); font-size: 11px; }
svg .newest { fill: var(--ink); font-weight: 600; stroke: var(--surface); stroke-width: 4px; paint-order: stroke; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--line); }
.reference { stroke: var(--muted); stroke-dasharray: 5 4; }
.line { stroke: var(--accent); stroke-width: 2; fill: none; }
.mark { fill: var(--accent); stroke: var(--surface); }
.key { width: 12px; height: 12px; vertical-align: -1px; }
.wide { overflow-x: auto; margin-top: 12px; }
table { border-collapse: collapse; min-width: 640px; width: 100%; overflow-wrap: normal; }
th, td { text-align: start; vertical-align: top; padding: 6px 16px 6px 0; border-block-end: 1px solid var(--line); }
tbody th { font-weight: 400; min-width: 18ch; }
thead th { color: var(--muted); font-weight: 600; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.date, .conditions, .machine { white-space: nowrap; }
.machines { list-style: none; padding: 0; }
pre { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto; }
`;
