import type { Event } from "../domain/event.js";
import { visitorKeys } from "../domain/ids.js";
import type { Effect } from "../intake/effect.js";
import { NO_OUTCOME } from "../intake/effect.js";
import type { Transaction } from "../store/ports/unit-of-work.js";

/** Whether an event may be a result of a list: an order, a cancellation, or a click. `splits`: see `FrameResults.splits`. */
export function isResult({ actionType, bot, products, recommendationIds }: Event, splits: boolean): boolean {
  if (actionType === "order" || actionType === "order_cancel") return true;
  if (bot || products.length === 0) return false;
  return recommendationIds.length > 0 || (actionType === "product_view" && splits);
}

/** An order that arrives so long after it is one of a history that is imported: it is older than the lists. */
const HISTORY_MS = 30 * 86_400_000;

/** Whether an order is known by this event alone, and long past, of a visitor who was shown nothing. */
function isHistory(tx: Transaction, { actionType, order, receivedAt, occurredAt, visitor }: Event): boolean {
  if (actionType !== "order" || receivedAt - occurredAt < HISTORY_MS) return false;
  if (tx.orders.get(order?.orderId ?? "")?.receivedAt !== receivedAt) return false;
  const named = visitorKeys(visitor);
  const keys = named.flatMap((key) => [key, ...(tx.visitors.get(tx.visitorKeys.get(key) ?? "")?.keys ?? [])]);
  return keys.every((key) => tx.frameExposures.get(key) === undefined);
}

/** Marks events that may be results as due, in the transaction that stores them. */
export function createMarkResults(splits: (appId: string) => boolean): readonly Effect[] {
  const mark: Effect["apply"] = (tx, event) => {
    if (isResult(event, splits(tx.appId)) && !isHistory(tx, event)) tx.dueResults.put(event.eventId, "");
    return NO_OUTCOME;
  };
  return [
    { needs: "products", apply: mark },
    { needs: "order", actions: ["order", "order_cancel"], apply: mark },
  ];
}
