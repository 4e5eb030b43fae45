import type { Forest } from "../trees/forest.js";
import { FEATURES } from "./feature-names.js";
import { unpackForest } from "./packed-forest.js";
import { SHIPPED_FOREST } from "./shipped-forest-asset.js";

/**
 * The forest that is part of the program, learned from simulated shops by `npm run born-trained`. Undefined when it asks
 * for a feature that is no longer made: a test fails then, and that command learns it again.
 */
export function shippedForest(): Forest | undefined {
  return unpackForest(SHIPPED_FOREST, FEATURES);
}
