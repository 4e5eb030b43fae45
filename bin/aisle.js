#!/usr/bin/env node
import { createRequire } from "node:module";

const load = (module) =>
  import(`../dist/${module}.js`).catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes(`dist/${module}.js`)) throw error;
    process.stderr.write('error: Aisle is not built yet: run "npm run build" first\n');
    process.exit(1);
  });
const args = process.argv.slice(2);
// Before the other modules, which few open files do not suffice for.
const { limitsRefusal, readMachineLimits } = await load("machine-limits");
const refusal = limitsRefusal(args[0], readMachineLimits());
if (refusal !== undefined) {
  process.stderr.write(`error: ${refusal}\n`);
  process.exit(1);
}
const { main } = await load("main");
const { version } = createRequire(import.meta.url)("../package.json");
const exitCode = await main(args, version);
// A command that failed half-way may have left a listener or a thread behind that would keep the process alive.
if (exitCode !== 0) process.exit(exitCode);
