import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const listed = execFileSync(process.execPath, [join(root, "scripts/bench.mjs")], { encoding: "utf8" })
  .split("\n")
  .flatMap((line) => /^ {2}([a-z-]+) /.exec(line)?.[1] ?? []);

/** Names of benchmarks in the commands that a text tells. */
const toldIn = (text: string, command: RegExp) => [...text.matchAll(command)].map(([, name]) => name);

it("npm scripts of benchmarks name benchmarks that npm run bench lists", () => {
  const told = toldIn(readFileSync(join(root, "package.json"), "utf8"), /scripts\/bench\.mjs ([a-z-]+)"/g);
  expect(told).toContain("leaderboard");
  expect(listed).toEqual(expect.arrayContaining(told));
});

it("commands of benchmarks in docs and comments name benchmarks that npm run bench lists", () => {
  const files = ["docs", "bench", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(md|ts)$/.test(path))
      .map((path) => join(folder, path)),
  );
  const unknown = files.flatMap((file) =>
    toldIn(readFileSync(join(root, file), "utf8"), /npm run bench -- ([a-z][a-z-]*)/g)
      .filter((name) => !listed.includes(name ?? ""))
      .map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
});
