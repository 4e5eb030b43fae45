import type { Now } from "../../domain/clock.js";
import { appKey } from "./keys.js";
import { type StagedTables, unlessDamaged } from "./staged-tables.js";

/** The apps that a batch's works changed. Each batch gets a new set, for the reason given at `Staged`. */
export class ChangedApps {
  private ids = new Set<string>();

  add(appId: string): void {
    this.ids.add(appId);
  }

  /** Returns the set of the batch that ends and starts a new one. */
  take(): ReadonlySet<string> {
    const { ids } = this;
    if (ids.size > 0) this.ids = new Set();
    return ids;
  }
}

/**
 * Counts training data changes, once per batch. The count starts at the current time. An app that reuses an id, or whose
 * count was damaged, therefore never repeats an earlier number.
 */
export function createActivity(changed: ChangedApps, now: Now): (tables: StagedTables) => void {
  return (tables) => {
    for (const appId of changed.take()) {
      const key = appKey(appId);
      tables.activity.put(key, Math.max((unlessDamaged(tables.activity, key) ?? 0) + 1, now()));
    }
  };
}
