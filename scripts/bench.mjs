// npm run bench [-- NAME ARGUMENTS]: sets the checkout up and runs bench/NAME.ts; without a name, lists them.
// A file there that exports something is a part of others and no benchmark.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, filesBelow, root, run, script } from "./lib.mjs";
import { EVERYTHING, setUp } from "./setup.mjs";

await script(async () => {
  const folder = join(root, "bench");
  const names = filesBelow(folder)
    .filter((file) => /^[^/]+\.ts$/.test(file) && !/^export /m.test(readFileSync(join(folder, file), "utf8")))
    .map((file) => file.slice(0, -".ts".length));
  const [name, ...args] = process.argv.slice(2);
  if (name === undefined) {
    console.log("npm run bench -- NAME [ARGUMENTS]\n");
    for (const each of names) console.log(`  ${each.padEnd(12)} ${firstSentence(join(folder, `${each}.ts`))}`);
    return 0;
  }
  if (!names.includes(name)) throw new Failure(`there is no such benchmark: it is one of ${names.join(", ")}`);
  await setUp(...EVERYTHING);
  return (await run(process.execPath, ["--import", "tsx", join(folder, `${name}.ts`), ...args])).code;
});

/** The first line of prose of a file's opening comment. */
function firstSentence(path) {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, 20);
  const prose = lines.map((line) =>
    line
      .replace(/^\s*(\/\*\*?|\*\/|\*|\/\/)\s*/, "")
      .replace(/\s*\*\/$/, "")
      .trim(),
  );
  return prose.find((line, at) => /^\s*(\/\*|\*|\/\/)/.test(lines[at]) && line !== "") ?? "";
}
