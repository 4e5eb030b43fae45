#!/usr/bin/env node
const { main } = await import("../dist/main.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("dist/main.js")) throw error;
  process.stderr.write('error: Aisle is not built yet: run "npm run build" first\n');
  process.exit(1);
});
const exitCode = await main(process.argv.slice(2));
// A command that failed half-way may have left a listener or a thread behind that would keep the process alive.
if (exitCode !== 0) process.exit(exitCode);
