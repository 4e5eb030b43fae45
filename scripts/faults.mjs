// npm run faults [-- --few | --report]: injects every fault in all its rounds (some twenty minutes; --few: as often as
// `npm test` does; --report: none) and writes what came of it into README. Needs what the tests skip without.
import { join } from "node:path";
import { Failure, root, run, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await script(async () => {
  const [option] = process.argv.slice(2);
  if (option !== undefined && option !== "--few" && option !== "--report")
    throw new Failure("--few or --report is accepted");
  await setUp();
  if (option !== "--report") {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const full = option === "--few" ? {} : { AISLE_FAULTS: "full" };
    const env = { ...process.env, CI: "true", ...full };
    const { code } = await run(process.execPath, [vitest, "run", "test/faults", "--no-file-parallelism"], { env });
    if (code !== 0) return code;
  }
  return (await run(process.execPath, ["--import", "tsx", join(root, "test/faults/write-report.ts")])).code;
});
