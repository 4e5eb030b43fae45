import { outboxKey } from "../../domain/hook.js";
import { after, appIdOf, appKey, FIRST, keyOf, keysOf } from "../keys.js";
import type { HookStore } from "../ports/hook-store.js";
import type { Tables } from "./tables.js";

export function createHookStore({ mailingSecrets, outbox, deadHooks }: Tables): HookStore {
  return {
    secrets: (appId) => mailingSecrets.get(appKey(appId)),
    apps: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      const found = await mailingSecrets.entriesAcross(start, limit);
      return found.map(({ key, value }) => ({ appId: appIdOf(key), secrets: value }));
    },
    due: async (appId, now, limit) => {
      const { start } = keysOf(appId);
      const end = keyOf(appId, outboxKey({ nextAt: now + 1, messageId: "" }));
      return (await outbox.entries({ start, end, limit })).map((entry) => entry.value);
    },
    dead: async (appId, from, limit) => (await deadHooks.list(appId, from, limit)).map((entry) => entry.value),
  };
}
