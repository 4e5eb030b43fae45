import type { Now } from "../../domain/clock.js";
import { appKey } from "./keys.js";
import { type StagedTables, unlessDamaged } from "./staged.js";

/** The apps that the works of a batch changed. Each batch has a set of its own; why, `Staged` says. */
export class ChangedApps {
  private ids = new Set<string>();

  add(appId: string): void {
    this.ids.add(appId);
  }

  /** Those of the batch that ends. */
  take(): ReadonlySet<string> {
    const { ids } = this;
    if (ids.size > 0) this.ids = new Set();
    return ids;
  }
}

/**
 * Counts, once for each batch, the changes that training would read. The count begins with the time, so that an app
 * whose id was used before, or whose count was damaged, does not come to a number it had already.
 */
export function createActivity(changed: ChangedApps, now: Now): (tables: StagedTables) => void {
  return (tables) => {
    for (const appId of changed.take()) {
      const key = appKey(appId);
      tables.activity.put(key, Math.max((unlessDamaged(tables.activity, key) ?? 0) + 1, now()));
    }
  };
}
