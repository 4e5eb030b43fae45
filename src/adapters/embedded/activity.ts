import type { Now } from "../../domain/clock.js";
import { appKey } from "./keys.js";
import { type StagedTables, unlessDamaged } from "./staged.js";

/**
 * Counts, once for each batch, the changes that training would read. The count begins with the time, so that an app
 * whose id was used before, or whose count was damaged, does not come to a number it had already.
 */
export function createActivity(changed: Set<string>, now: Now): (tables: StagedTables) => void {
  return (tables) => {
    for (const appId of changed) {
      const key = appKey(appId);
      tables.activity.put(key, Math.max((unlessDamaged(tables.activity, key) ?? 0) + 1, now()));
    }
    changed.clear();
  };
}
