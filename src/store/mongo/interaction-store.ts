import type { Interaction, VisitorHistory } from "../../domain/interaction.js";
import { keysOwnedBy } from "../keys.js";
import { newestInteractionFirst } from "../newest-first.js";
import type { InteractionStore } from "../ports/interaction-store.js";
import { interactionOf } from "./records.js";
import { scanValues } from "./scan.js";
import type { Tables } from "./tables.js";

export function createInteractionStore({ interactions }: Tables): InteractionStore {
  return {
    recent: async (appId, visitorIds, limit) => {
      const histories = await Promise.all(
        [...new Set(visitorIds)].map((visitorId) => {
          return interactions.entries({ ...keysOwnedBy(appId, visitorId), limit, backwards: true });
        }),
      );
      const found = histories.flat().map((entry) => interactionOf(entry.value));
      return found.sort(newestInteractionFirst).slice(0, limit);
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
