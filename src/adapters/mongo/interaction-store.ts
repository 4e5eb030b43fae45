import type { Interaction, VisitorHistory } from "../../domain/interaction.js";
import type { InteractionStore } from "../../ports/interaction-store.js";
import { afterPrefix, ownedKey } from "./keys.js";
import type { HistoryRow } from "./records/catalog.js";
import { scanValues } from "./scan.js";
import type { Tables } from "./tables.js";

export function createInteractionStore({ interactions }: Tables): InteractionStore {
  return {
    recent: async (appId, visitorIds, limit) => {
      const histories = await Promise.all(
        [...new Set(visitorIds)].map((visitorId) => {
          const start = ownedKey(appId, visitorId, "");
          return interactions.entries({ start, end: afterPrefix(start), limit, backwards: true });
        }),
      );
      const found = histories.flat().map((entry) => interactionOf(entry.value));
      return found.sort(newestFirst).slice(0, limit);
    },

    scan: async function* (appId) {
      let last: { readonly visitorId: string; readonly interactions: Interaction[] } | undefined;
      for await (const rows of scanValues(interactions, appId)) {
        const whole: VisitorHistory[] = [];
        for (const row of rows) {
          if (last?.visitorId !== row.visitorId) {
            if (last !== undefined) whole.push(last);
            last = { visitorId: row.visitorId, interactions: [] };
          }
          last.interactions.push(interactionOf(row));
        }
        if (whole.length > 0) yield whole;
      }
      if (last !== undefined) yield [last];
    },
  };
}

function interactionOf({ type, at, productIds, ref }: HistoryRow): Interaction {
  return { type, at, productIds, ref };
}

/** Falling time; at the same time falling ref, so that the order is fixed. */
function newestFirst(a: Interaction, b: Interaction): number {
  return b.at - a.at || (a.ref < b.ref ? 1 : a.ref > b.ref ? -1 : 0);
}
