import { setImmediate } from "node:timers/promises";
import type { Interaction, VisitorHistory } from "../../domain/interaction.js";
import type { InteractionStore } from "../../ports/interaction-store.js";
import type { Environment } from "./environment.js";
import { afterPrefix, type Key, keyOf, ownedKey, unpart } from "./keys.js";
import { SCAN_ROWS } from "./scan.js";

export function createInteractionStore({ tables }: Environment): InteractionStore {
  return {
    recent: async (appId, visitorIds, limit) => {
      const found: Interaction[] = [];
      for (const visitorId of new Set(visitorIds)) {
        const start = ownedKey(appId, visitorId, "");
        for (const { value } of tables.interactions.backwards({ start, end: afterPrefix(start), limit })) {
          found.push(value);
        }
      }
      return found.sort(newestFirst).slice(0, limit);
    },

    scan: async function* (appId) {
      const all = keyOf(appId, "");
      const end = afterPrefix(all);
      let from = all;
      for (;;) {
        const { histories, next } = readHistories(from, end, all.length);
        if (histories.length > 0) yield histories;
        if (next === undefined) return;
        from = next;
        await setImmediate();
      }
    },
  };

  /** Whole histories until there are rows enough; `next` is where to go on, undefined at the end. */
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

/** Falling time; at the same time falling ref, so that the order is fixed. */
function newestFirst(a: Interaction, b: Interaction): number {
  return b.at - a.at || (a.ref < b.ref ? 1 : a.ref > b.ref ? -1 : 0);
}
