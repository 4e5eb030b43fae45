/**
 * Figures from commit to commit: a page of the results that were kept.
 *
 *   npm run bench -- history [--results bench/results] [--page docs/performance.html]
 *
 * Reads what other benchmarks wrote by `--json` into the folder, in files named YYYY-MM-DD-<short commit>-<benchmark>.json,
 * and writes one HTML file with the figures of history/figures.ts. It measures nothing itself. A file with another name,
 * of another benchmark or without figures is an error that names it, and the page stays as it was. Commits stand in the
 * order git gives them; outside of a clone in that of their days.
 */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { readCommits } from "./history/commits.js";
import { historyPage } from "./history/page.js";
import { BadResult, readResults } from "./history/results.js";

const ROOT = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    results: { type: "string", default: relative(process.cwd(), join(ROOT, "bench/results")) },
    page: { type: "string", default: relative(process.cwd(), join(ROOT, "docs/performance.html")) },
  },
});

try {
  const commits = readCommits(ROOT);
  const results = await readResults(values.results, commits);
  await writeFile(values.page, historyPage(results));
  const unknown = new Set(results.filter(({ subject }) => subject === "").map(({ commit }) => commit));
  console.log(`${values.page} shows ${results.length} results`);
  if (commits.length > 0 && unknown.size > 0)
    console.log(`git does not know ${[...unknown].join(", ")}: each stands behind the commits of its day`);
} catch (error) {
  if (!(error instanceof BadResult)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
