import type { Metrics } from "../adapters/metrics.js";
import type { Event } from "../domain/event.js";
import type { LearnedCounts, RefusedLink } from "./effect.js";

/** The result of an event, as far as it is counted. */
export interface Taken extends RefusedLink {
  readonly deduplicated: boolean;
  readonly learned?: LearnedCounts | undefined;
}

/**
 * Counts what came of an event that was taken. `isWanted`: its sender still waits for the answer; that it had it is
 * counted where the answer leaves, so that events acknowledged are those stored and those deduplicated.
 */
export function countRecorded(
  metrics: Metrics,
  { actionType, bot }: Pick<Event, "actionType" | "bot">,
  { deduplicated, refusedLink, learned }: Taken,
  isWanted = true,
): void {
  if (deduplicated) {
    if (isWanted) metrics.count("events_deduplicated");
    return;
  }
  if (isWanted) metrics.count("events_stored", { action: actionType });
  else metrics.count("events_stored_late");
  if (bot) metrics.count("events_of_bots");
  for (const [outcome, count] of Object.entries(learned ?? {}))
    if (count > 0) metrics.count("learned_products", { outcome }, count);
  if (refusedLink !== undefined) metrics.count("links_refused", { limit: refusedLink });
}
