import type { VisitorHistory } from "../../domain/interaction.js";
import type { InteractionStore } from "../../store/ports/interaction-store.js";

/** Histories for training and evaluation, without interactions and visitors that are crawlers. */
export function filterBots(interactions: Pick<InteractionStore, "scan">): Pick<InteractionStore, "scan"> {
  return {
    async *scan(appId) {
      for await (const batch of interactions.scan(appId)) {
        yield batch.map(ofPeople).filter((history) => history.interactions.length > 0);
      }
    },
  };
}

function ofPeople(history: VisitorHistory): VisitorHistory {
  if (!history.interactions.some(({ bot }) => bot)) return history;
  return { ...history, interactions: history.interactions.filter(({ bot }) => !bot) };
}
