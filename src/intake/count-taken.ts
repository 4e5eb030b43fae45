import type { Event } from "../domain/event.js";
import type { RefusedLink } from "../ports/effect.js";
import type { Metrics } from "../ports/metrics.js";

/**
 * Counts what came of an event that was taken. `isWanted`: its sender still waits for the answer; that it had it is
 * counted where the answer leaves, so that events acknowledged are those stored and those deduplicated.
 */
export function countTaken(
  metrics: Metrics,
  { actionType, bot }: Pick<Event, "actionType" | "bot">,
  { deduplicated, refusedLink }: { readonly deduplicated: boolean } & RefusedLink,
  isWanted = true,
): void {
  if (deduplicated) {
    if (isWanted) metrics.count("events_deduplicated");
    return;
  }
  if (isWanted) metrics.count("events_stored", { action: actionType });
  else metrics.count("events_stored_late");
  if (bot) metrics.count("events_of_bots");
  if (refusedLink !== undefined) metrics.count("links_refused", { limit: refusedLink });
}
