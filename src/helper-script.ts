import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The helper for shops' pages as the build has made it; undefined where this runs from sources alone. */
export function readHelperScript(): Buffer | undefined {
  try {
    return readFileSync(join(import.meta.dirname, "browser", "aisle.js"));
  } catch {
    return undefined;
  }
}
