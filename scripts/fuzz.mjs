// npm run fuzz [-- --seconds N] [--seed N] [TARGET …]
// npm run fuzz -- --input FILE TARGET
//
// A TARGET is the name of one in test/fuzz/targets, or the path of a TypeScript file that exports the same; none means all.
//
// Coverage-guided fuzzing of what reads bytes of strangers: each target of test/fuzz/targets gets random changes of its
// seeds, and inputs that reach new code are kept and changed further. A finding is an exception, a broken promise
// of the target, an input that takes long for its size, or one that never ends. It is written to .stamps/fuzz; `--input`
// runs it again. Mend it, and put the input into a test.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Failure, root, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await script(async () => {
  await setUp("tools");
  const { fuzzFolder, targetNames } = await import("./fuzz/bundle.mjs");
  const { fuzzTarget } = await import("./fuzz/run-target.mjs");
  const { values, positionals } = parseArgs({
    options: { seconds: { type: "string" }, seed: { type: "string" }, input: { type: "string" } },
    allowPositionals: true,
  });
  const all = targetNames();
  const unknown = positionals.filter((name) => !all.includes(name) && !name.endsWith(".ts"));
  if (unknown.length > 0) throw new Failure(`no target is called ${unknown.join(", ")}; there are ${all.join(", ")}`);
  const seconds = Number(values.seconds ?? 60);
  const seed = Number(values.seed ?? Date.now() % 2 ** 31);
  if (!(seconds > 0) || !Number.isInteger(seed)) throw new Failure("--seconds and --seed take numbers");
  const input = values.input === undefined ? undefined : readFileSync(values.input);
  if (input !== undefined && positionals.length !== 1) throw new Failure("--input needs one target");

  let findings = 0;
  for (const name of positionals.length > 0 ? positionals : all) {
    const { runs, kept, reached, counters, tookMs, finding } = await fuzzTarget(name, { seconds, seed, input });
    console.log(
      `${name}: ${runs} runs in ${(tookMs / 1000).toFixed(1)} s (seed ${seed}), ${kept} inputs kept, ` +
        `${reached} of ${counters} counters reached, ${finding === undefined ? "no finding" : "1 finding"}`,
    );
    if (finding === undefined) continue;
    findings += 1;
    mkdirSync(fuzzFolder, { recursive: true });
    const path = join(fuzzFolder, `${basename(name, ".ts")}-${seed}.input`);
    if (input === undefined) writeFileSync(path, finding.input);
    console.log(`${finding.reason}\ninput: ${relative(root, path)}, in Base64: ${finding.input.toString("base64")}`);
  }
  return findings > 0 ? 1 : 0;
});
