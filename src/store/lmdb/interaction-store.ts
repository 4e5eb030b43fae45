import { setImmediate } from "node:timers/promises";
import type { Interaction, VisitorHistory } from "../../domain/interaction.js";
import { newestInteractionFirst } from "../newest-first.js";
import type { InteractionStore } from "../ports/interaction-store.js";
import type { Environment } from "./environment.js";
import { type Key, keysOf, keysOwnedBy, unpart } from "./keys.js";
import { SCAN_ROWS } from "./scan.js";

export function createInteractionStore({ tables }: Environment): InteractionStore {
  return {
    recent: async (appId, visitorIds, limit) => {
      const found: Interaction[] = [];
      for (const visitorId of new Set(visitorIds)) {
        for (const { value } of tables.interactions.backwards({ ...keysOwnedBy(appId, visitorId), limit })) {
          found.push(value);
        }
      }
      return found.sort(newestInteractionFirst).slice(0, limit);
    },

    scan: async function* (appId) {
      const { start, end } = keysOf(appId);
      let from = start;
      for (;;) {
        const { histories, next } = readHistories(from, end, start.length);
        if (histories.length > 0) yield histories;
        if (next === undefined) return;
        from = next;
        await setImmediate();
      }
    },
  };

  /** Reads whole histories until there are enough rows. `next` is where to continue; undefined at the end. */
  function readHistories(
    start: Key,
    end: Key,
    prefixLength: number,
  ): { histories: VisitorHistory[]; next: Key | undefined } {
    const histories: VisitorHistory[] = [];
    let owner: string | undefined;
    let interactions: Interaction[] = [];
    let rows = 0;
    let next: Key | undefined;
    tables.interactions.each({ start, end }, (key, interaction) => {
      if (owner === undefined || !key.startsWith(owner)) {
        if (rows >= SCAN_ROWS) {
          next = key;
          return false;
        }
        owner = key.slice(0, key.indexOf("\0", prefixLength) + 1);
        interactions = [];
        histories.push({ visitorId: unpart(owner.slice(prefixLength, -1)), interactions });
      }
      interactions.push(interaction);
      rows++;
      return true;
    });
    return { histories, next };
  }
}
