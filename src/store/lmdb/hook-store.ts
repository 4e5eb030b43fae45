import { outboxKey } from "../../domain/hook.js";
import { appIdOf } from "../keys.js";
import type { HookStore } from "../ports/hook-store.js";
import type { Environment } from "./environment.js";
import { after, appKey, FIRST, keyOf, keysOf, LAST } from "./keys.js";

export function createHookStore({ tables }: Environment): HookStore {
  return {
    secrets: async (appId) => tables.mailingSecrets.get(appKey(appId)),
    apps: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return tables.mailingSecrets
        .entries({ start, end: LAST, limit })
        .map(({ key, value }) => ({ appId: appIdOf(key), secrets: value }));
    },
    due: async (appId, now, limit) => {
      const { start } = keysOf(appId);
      const end = keyOf(appId, outboxKey({ nextAt: now + 1, messageId: "" }));
      return tables.outbox.entries({ start, end, limit }).map((entry) => entry.value);
    },
    dead: async (appId, from, limit) =>
      tables.deadHooks.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value),
  };
}
