// Another version of Node that Aisle supports, beside the one that runs: installed once into node_modules/.cache.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Failure, root, run, say } from "./lib.mjs";

/** The newest version that is supported; on that one, the oldest. */
const other = process.version.startsWith("v24.") ? 20 : 24;
const folder = join(root, `node_modules/.cache/node-${other}`);

/** The environment in which `node` is the other version. The native packages use Node-API: the same node_modules serves both. */
export async function otherNode() {
  const bin = join(folder, "node_modules/node/bin");
  if (!existsSync(join(bin, "node"))) {
    say(`installing Node ${other} …`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true, "allowScripts": { "node": true } }\n');
    const asked = ["install", `node@${other}`, "--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
    const { code, output } = await run("npm", asked, { quiet: true });
    if (code !== 0) throw new Failure(`Node ${other} could not be installed\n${output.trimEnd()}`);
  }
  const node = join(bin, "node");
  const { output } = await run(node, ["--version"], { quiet: true });
  if (!output.startsWith(`v${other}.`)) throw new Failure(`${node} is not Node ${other}: ${output.trim()}`);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  return { node, env, version: output.trim() };
}
