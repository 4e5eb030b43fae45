// npm run build: everything up to dist/, when it is due.
import { script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

await script(() => setUp());
