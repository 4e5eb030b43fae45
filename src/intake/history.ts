import type { Event } from "../domain/event.js";
import { type Effect, type Identity, NO_OUTCOME } from "./effect.js";

/**
 * The history that an event belongs to: its visitor's; otherwise its contact's, which joins the visitor's when they are
 * linked; otherwise a history of its own, so that training still sees what belongs together.
 */
export function historyIdOf(event: Event, identity: Pick<Identity, "visitor" | "contact">): string {
  if (identity.visitor) return identity.visitor.visitorId;
  if (identity.contact) return identity.contact.contactId;
  return event.order ? `anonymous:order:${event.order.orderId}` : `anonymous:${event.eventId}`;
}

/** Maximum products of one view or cart addition in a history, since each answer reads them. */
const MAX_OF_ROW = 100;

function productIdsOf({ products }: Event): readonly string[] {
  const ids = products.map(({ productId }) => productId);
  return ids.length < 2 ? ids : [...new Set(ids)].slice(0, MAX_OF_ROW);
}

/** Adds product views and cart additions to the history. Orders get there by the order book. */
export const keepHistory: Effect = {
  needs: "products",
  actions: ["product_view", "add_to_cart"],
  apply(tx, event, identity) {
    tx.putInteraction(historyIdOf(event, identity), {
      type: event.actionType === "add_to_cart" ? "add_to_cart" : "product_view",
      at: event.occurredAt,
      productIds: productIdsOf(event),
      ref: event.eventId,
      ...(event.bot && { bot: true }),
    });
    tx.markChanged();
    return NO_OUTCOME;
  },
};
