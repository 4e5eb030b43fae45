import { html, type Markup } from "../../src/server/demo/html.js";
import { type Figure, RATIO, SHOWN, type Shown } from "./figures.js";
import { mark, plot } from "./plot.js";
import type { Result } from "./results.js";
import { STYLE } from "./style.js";
import { figure } from "./words.js";

/** One HTML file that needs nothing beside it: for each benchmark a plot of each figure and a table of all of them. */
export function historyPage(results: readonly Result[]): string {
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const sections = Object.entries(SHOWN).flatMap(([bench, shown]) => {
    const own = results.filter((result) => result.bench === bench);
    return own.length === 0 ? [] : [section(bench, shown, own, machines)];
  });
  const contents = Object.entries(SHOWN)
    .filter(([bench]) => results.some((result) => result.bench === bench))
    .map(([bench, { title }]) => html`<li><a href="#${bench}">${title}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Aisle: performance from commit to commit</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<main>
<h1>Performance from commit to commit</h1>
<p>Machines differ, so what was measured beside a reference in the same run is shown as a ratio (${RATIO}) to it; the dashed line is the reference.
A line joins results that can be compared: ratios measured under the same conditions, other figures only if the machine was the same, too. What one run lacks is a gap.</p>
<p>A virtual machine is slower while others use its hardware. “Fixed task” is the CPU of the same small task at the time of each run, in ms.
Compare figures that are no ratios only where it took about as long.</p>
<nav aria-label="Benchmarks"><ul>${contents}</ul></nav>
${aims(results, machines)}
${sections}
<section aria-labelledby="machines">
<h2 id="machines">Machines</h2>
<ul class="machines">${machines.map((machine, at) => html`<li>${mark(at)} ${letterOf(at)}: ${machine}</li>`)}</ul>
</section>
<section aria-labelledby="adding">
<h2 id="adding">Adding a result</h2>
<pre tabindex="0" role="region" aria-label="Commands"><code>npm run bench -- status --json bench/results/$(date +%F)-$(git rev-parse --short HEAD)-status.json
npm run bench -- history
npm run bench -- all</code></pre>
<p>The first command measures, here ${codes(["status"])}; the name of its file says the day, the commit and the benchmark, one of ${codes(Object.keys(SHOWN))}. The second one writes this page. The third one measures everything with an aim, keeps the results and writes the page.
Measure a commit, not uncommitted changes, with nothing else running.</p>
</section>
</main>
</body>
</html>
`.markup;
}

function codes(names: readonly string[]): Markup[] {
  return names.map((name, at) => html`${at === 0 ? "" : ", "}<code>${name}</code>`);
}

function section(bench: string, shown: Shown, results: readonly Result[], machines: readonly string[]): Markup {
  const plots = shown.figures.map((one, at) => picture(one, at, results, machines));
  return html`<section aria-labelledby="${bench}">
<h2 id="${bench}">${shown.title}</h2>
<div class="plots">${plots}</div>
${table(shown, results, machines)}
</section>
`;
}

function picture(one: Figure, at: number, results: readonly Result[], machines: readonly string[]): Markup {
  const isRatio = one.unit === RATIO;
  const points = results.map(({ commit, date, subject, machine, conditions, values }) => ({
    label: commit,
    hint: [date, commit, subject, conditions, machine].filter((part) => part !== "").join(", "),
    value: values[at],
    machine: machines.indexOf(machine),
    series: isRatio ? conditions : `${conditions}; ${machine}`,
  }));
  const measured = results.filter(({ values }) => values[at] !== undefined);
  const told = (result: Result | undefined) => {
    const value = result?.values[at];
    return result === undefined || value === undefined
      ? ""
      : `${figure(value)} ${one.unit} (${result.commit}, ${result.date})`;
  };
  const [first, last] = [told(measured[0]), told(measured.at(-1))];
  const says = measured.length > 1 ? `from ${first} to ${last}` : measured.length === 1 ? last : "not measured yet";
  const label = `${one.name}: ${says}. The table below has every figure.`;
  const better = one.lowerIsBetter ? "lower is better" : "higher is better";
  return html`<figure>
<figcaption><strong>${one.name}</strong> <span>${one.unit}, ${better}</span></figcaption>
${plot(label, points, one.unit, isRatio ? 1 : undefined)}
</figure>
`;
}

/** The newest figure of each aim. */
function aims(results: readonly Result[], machines: readonly string[]): Markup {
  const rows = Object.entries(SHOWN).flatMap(([bench, { title, figures }]) =>
    figures.flatMap((one, at) => {
      const newest = results.findLast((result) => result.bench === bench && result.values[at] !== undefined);
      const value = newest?.values[at];
      if (one.aim === undefined || newest === undefined || value === undefined) return [];
      const times = one.lowerIsBetter ? value / one.aim : one.aim / value;
      const place = machines.indexOf(newest.machine);
      return [
        html`<tr><th scope="row"><a href="#${bench}">${title}</a>: ${one.name}</th><td class="number">${figure(value)} ${one.unit}</td><td class="number">${figure(one.aim)}</td><td class="number">${times <= 1 ? "reached" : `${figure(times)} times`}</td><td><code>${newest.commit}</code></td><td class="conditions">${newest.conditions}</td><td class="number">${task(newest)}</td><td class="machine">${mark(place)} ${letterOf(place)}</td></tr>
`,
      ];
    }),
  );
  return html`<section aria-labelledby="aims">
<h2 id="aims">Aims</h2>
<div class="wide" role="region" tabindex="0" aria-label="Aims, figures">
<table>
<thead><tr><th scope="col">What</th><th scope="col" class="number">Newest</th><th scope="col" class="number">Aim</th><th scope="col" class="number">Off by</th><th scope="col">Commit</th><th scope="col">Conditions</th><th scope="col" class="number">Fixed task</th><th scope="col">Machine</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>
</section>
`;
}

/** The newest result first. */
function table({ title, figures }: Shown, results: readonly Result[], machines: readonly string[]): Markup {
  const heads = figures.map(({ name, unit }) => html`<th scope="col" class="number">${name}, ${unit}</th>`);
  const rows = [...results].reverse().map(({ date, commit, subject, values, conditions, machine, fixedTaskMs }) => {
    const numbers = values.map((value) => html`<td class="number">${value === undefined ? "–" : figure(value)}</td>`);
    const at = machines.indexOf(machine);
    return html`<tr><td class="date">${date}</td><th scope="row"><code>${commit}</code> ${subject}</th>${numbers}<td class="conditions">${conditions}</td><td class="number">${task({ fixedTaskMs })}</td><td class="machine">${mark(at)} ${letterOf(at)}</td></tr>
`;
  });
  return html`<div class="wide" role="region" tabindex="0" aria-label="${`${title}, figures`}">
<table>
<thead><tr><th scope="col">Measured</th><th scope="col">Commit</th>${heads}<th scope="col">Conditions</th><th scope="col" class="number">Fixed task</th><th scope="col">Machine</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>`;
}

function task({ fixedTaskMs }: Pick<Result, "fixedTaskMs">): string {
  return fixedTaskMs === undefined ? "–" : figure(fixedTaskMs);
}

/** A, B, …, Z, AA, AB, … */
function letterOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : letterOf(Math.floor(at / 26) - 1) + letter;
}
