// Writes the figures of figures.json and of mutants/results.json into docs/durability.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "./mutants/mutants.mjs";

const folder = import.meta.dirname;
const page = join(folder, "../docs/durability.md");
const read = (path) => JSON.parse(readFileSync(join(folder, path), "utf8"));
const count = (number) => number.toLocaleString("en");

function table(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function killRows() {
  return read("figures.json").map(({ commit, store, kills, acknowledged, lost, doubled, wrong }) => [
    commit,
    store,
    ...[kills, acknowledged, lost, doubled, wrong].map(count),
  ]);
}

function mutantRows() {
  const results = read("mutants/results.json");
  const told = (outcome) => (outcome === undefined ? "–" : outcome.caught ? `${outcome.seconds} s` : "not caught");
  return MUTANTS.filter(({ name }) => name in results).map(({ name }) => {
    const { checker, test, simulator } = results[name];
    const commits = new Set([checker, test, simulator].flatMap((outcome) => outcome?.commit ?? []));
    const path = test?.name.replace(/^test\/|\.test\.ts$/g, "");
    return [
      name,
      told(checker),
      path === undefined ? "–" : `\`${path}\`, ${told(test)}`,
      told(simulator),
      [...commits].join(", "),
    ];
  });
}

const tables = {
  figures: table(["commit", "store", "kills", "acknowledged", "lost", "doubled", "wrong"], killRows()),
  mutants: table(
    ["the planted fault", "found by the checker", "found by a test", "by the simulator", "commit"],
    mutantRows(),
  ),
};
let text = readFileSync(page, "utf8");
for (const [name, made] of Object.entries(tables)) {
  const place = new RegExp(`(<!-- ${name}: made by checker/report.mjs -->\n)[^]*?(<!-- end of ${name} -->)`);
  if (!place.test(text)) throw new Error(`docs/durability.md has no place for ${name}`);
  text = text.replace(place, (_, from, to) => `${from}\n${made}\n\n${to}`);
}
writeFileSync(page, text);
