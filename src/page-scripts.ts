/** Scripts for pages as the build has made them; undefined where this runs from sources alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The helper for shops' pages. */
export function readHelperScript(): Buffer | undefined {
  return built("browser/aisle.js");
}

/** What runs in the pages of the demo shop. */
export function readDemoScript(): Buffer | undefined {
  return built("demo/page/shop.js");
}

function built(path: string): Buffer | undefined {
  try {
    return readFileSync(join(import.meta.dirname, path));
  } catch {
    return undefined;
  }
}
