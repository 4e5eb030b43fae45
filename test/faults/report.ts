import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_FAULTS, type Fault, type FaultOutcome, type FaultStore } from "./faults.js";

const root = join(import.meta.dirname, "../..");
/** The newest outcome of each fault. */
const folder = join(root, "node_modules/.cache/faults");
const page = join(root, "docs/faults.md");

const BEGIN = "<!-- faults: made by npm run faults -->";
const END = "<!-- end of faults -->";
const HEAD = ["fault", "store", "rounds", "acknowledged", "lost", "duplicated", "wrong", "what was seen"];

const fileOf = (fault: string, store: string) => join(folder, `${fault}.${store}.json`);

/** Notes what came of a fault, for the report. */
export function recordFault(fault: Fault, store: FaultStore, outcome: FaultOutcome): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(fault, store), JSON.stringify(outcome));
}

/** The table of docs/faults.md: of each row its cells. */
export function committedRows(): string[][] {
  const text = readFileSync(page, "utf8");
  const block = text.slice(text.indexOf(BEGIN), text.indexOf(END));
  return block.split("\n").filter(isRow).slice(2).map(cellsOf);
}

const isRow = (line: string) => line.startsWith("| ") || line.startsWith("|-");

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Writes the newest outcomes into docs/faults.md. Throws when one is missing. */
export function writeReport(): void {
  const lines = [HEAD, HEAD.map(() => "---"), ...ALL_FAULTS.map(rowOf)].map((cells) => `| ${cells.join(" | ")} |`);
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error("docs/faults.md has no place for the report");
  writeFileSync(page, `${text.slice(0, from)}${BEGIN}\n\n${lines.join("\n")}\n\n${text.slice(to)}`);
}

function rowOf({ fault, what, store }: (typeof ALL_FAULTS)[number]): string[] {
  const { seen, ...counts } = readOutcome(fault, store);
  const { rounds, acknowledged, lost, duplicated, wrong } = counts;
  const numbers = [rounds, acknowledged, lost, duplicated, wrong].map((count) => count.toLocaleString("en"));
  return [what, store, ...numbers, seen];
}

function readOutcome(fault: Fault, store: FaultStore): FaultOutcome {
  const found: unknown = JSON.parse(readFileSync(fileOf(fault, store), "utf8"));
  const field = (name: keyof FaultOutcome): unknown =>
    typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  const count = (name: Exclude<keyof FaultOutcome, "seen">) => Number(field(name));
  return {
    rounds: count("rounds"),
    acknowledged: count("acknowledged"),
    lost: count("lost"),
    duplicated: count("duplicated"),
    wrong: count("wrong"),
    seen: String(field("seen")),
  };
}
