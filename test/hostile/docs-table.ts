import { readFileSync } from "node:fs";

/** Cells of the first table under a heading of docs/security.md, by row and column. */
export function tableOfDocs(heading: string): Map<string, Map<string, string>> {
  const text = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const section = text.split(`## ${heading}`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n");
  const start = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  const [head = [], , ...rows] = lines.slice(start, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return new Map(
    rows.map(([row = "", ...cells]) => [row, new Map(cells.map((cell, at) => [head[at + 1] ?? "", cell]))]),
  );
}
