import { KEPT_VERSIONS } from "../../domain/frame.js";
import { versionsOf } from "../frame-versions.js";
import type { KeyClock } from "../idempotency-records.js";
import type { AppStore } from "../ports/app-store.js";
import type { Environment } from "./environment.js";
import { after, appKey, FIRST, keyOf, keysOf, keysOwnedBy, LAST } from "./keys.js";
import type { Removals } from "./removal.js";
import { TimedIdempotencyRecords } from "./unit-of-work.js";
import type { Writer } from "./writer.js";

export function createAppStore({ tables }: Environment, writer: Writer, removals: Removals, clock: KeyClock): AppStore {
  return {
    create: async (app, claimed) => {
      const key = appKey(app.appId);
      for (;;) {
        const made = await writer.run((staged) => {
          if (staged.removals.get(key) !== undefined) return undefined;
          if (staged.apps.get(key) !== undefined) return false;
          staged.apps.put(key, app);
          if (claimed !== undefined)
            new TimedIdempotencyRecords(app.appId, staged, clock).put(claimed.key, claimed.claim);
          return true;
        });
        if (made !== undefined) return made;
        await removals.finish(app.appId);
      }
    },

    get: async (appId) => tables.apps.getKept(appKey(appId)),

    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return tables.apps.entries({ start, end: LAST, limit }).map((entry) => entry.value);
    },

    delete: (appId, check) => removals.remove(appId, check),

    getFrame: async (appId, frameId) => tables.frames.getKept(keyOf(appId, frameId)),

    listFrames: async (appId, from, limit) => {
      return tables.frames.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },

    frameVersions: async (appId, frameId) => {
      const range = { ...keysOwnedBy(appId, frameId), limit: KEPT_VERSIONS + 1 };
      return versionsOf(tables.frameVersions.entries(range));
    },
  };
}
