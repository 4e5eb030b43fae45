// npm start [-- FLAGS]: sets the checkout up, then is `aisle serve --demo FLAGS` with this environment.
//
// The server runs in this very process: signals, exit code and terminal are its own, with nobody between to pass them on.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await script(async () => {
  await setUp();
  const aisle = join(root, "bin/aisle.js");
  process.argv = [process.argv[0], aisle, "serve", "--demo", ...process.argv.slice(2)];
  await import(pathToFileURL(aisle).href);
});
