import type { AppStore } from "../../ports/app-store.js";
import { after, appKey, FIRST, keyOf, LAST } from "./keys.js";
import type { Removals } from "./removal.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

export function createAppStore({ apps, frames }: Tables, writer: Writer, removals: Removals): AppStore {
  return {
    create: async (app) => {
      const key = appKey(app.appId);
      for (;;) {
        const made = await writer.run(app.appId, ({ tables }) => {
          if (tables.removals.get(key) !== undefined) return undefined;
          if (tables.apps.get(key) !== undefined) return false;
          tables.apps.put(key, app);
          return true;
        });
        if (made !== undefined) return made;
        await removals.finish(app.appId);
      }
    },

    get: (appId) => apps.get(appKey(appId)),

    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return (await apps.entries({ start, end: LAST, limit })).map((entry) => entry.value);
    },

    update: (app) =>
      writer.run(app.appId, ({ tables }) => {
        const key = appKey(app.appId);
        if (tables.apps.get(key) === undefined) return false;
        tables.apps.put(key, app);
        return true;
      }),

    delete: (appId) => removals.remove(appId),

    getFrame: (appId, frameId) => frames.get(keyOf(appId, frameId)),

    listFrames: async (appId, from, limit) => (await frames.list(appId, from, limit)).map((entry) => entry.value),

    putFrame: (appId, frame) =>
      writer.run(appId, ({ tables }) => tables.frames.put(keyOf(appId, frame.frameId), frame)),

    deleteFrame: (appId, frameId) =>
      writer.run(appId, ({ tables }) => {
        const key = keyOf(appId, frameId);
        if (tables.frames.get(key) === undefined) return false;
        tables.frames.delete(key);
        return true;
      }),
  };
}
