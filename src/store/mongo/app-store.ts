import { KEPT_VERSIONS } from "../../domain/frame.js";
import { versionsOf } from "../frame-versions.js";
import { IdempotencyRecords, type KeyClock } from "../idempotency-records.js";
import { after, appKey, FIRST, keyOf, keysOwnedBy } from "../keys.js";
import type { AppStore } from "../ports/app-store.js";
import type { Removals } from "./removal.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

export function createAppStore(
  { apps, frames, frameVersions }: Tables,
  writer: Writer,
  removals: Removals,
  clock: KeyClock,
): AppStore {
  return {
    create: async (app, claimed) => {
      const key = appKey(app.appId);
      for (;;) {
        const made = await writer.run(app.appId, ({ tables }) => {
          if (tables.removals.get(key) !== undefined) return undefined;
          if (tables.apps.get(key) !== undefined) return false;
          tables.apps.put(key, app);
          if (claimed !== undefined)
            new IdempotencyRecords(keyOf(app.appId, ""), tables.idempotency, clock).put(claimed.key, claimed.claim);
          return true;
        });
        if (made !== undefined) return made;
        await removals.finish(app.appId);
      }
    },

    get: (appId) => apps.get(appKey(appId)),

    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return (await apps.entriesAcross(start, limit)).map((entry) => entry.value);
    },

    delete: (appId, check) => removals.remove(appId, check),

    getFrame: (appId, frameId) => frames.get(keyOf(appId, frameId)),

    listFrames: async (appId, from, limit) => (await frames.list(appId, from, limit)).map((entry) => entry.value),

    frameVersions: async (appId, frameId) => {
      const range = { ...keysOwnedBy(appId, frameId), limit: KEPT_VERSIONS + 1 };
      return versionsOf(await frameVersions.entries(range));
    },
  };
}
