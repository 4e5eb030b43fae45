import type { Event } from "../../src/gen/aisle/v1/event_pb.js";

/** The subject of an event, in a few words. */
export function subjectOf(event: Event): string {
  const products = event.products
    .map(({ title, productId, sku }) => title || productId || sku)
    .filter((name) => name !== "");
  const categories = event.categories.map(({ name, categoryId }) => name || categoryId);
  const paid = event.order?.payment;
  const order = event.order && [`order ${event.order.orderId}`, paid?.amount && `${paid.amount} ${paid.currency}`];
  const parts = [
    ...(order ?? []),
    products.length > 3 ? `${products.slice(0, 3).join(", ")} and ${products.length - 3} more` : products.join(", "),
    categories.join(" › "),
    event.searchQuery && `“${event.searchQuery}”`,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}

/** The event's person, by the most telling id. */
export function personOf({ contact, visitor }: Event): string {
  return contact?.email || contact?.phone || visitor?.userId || visitor?.fingerprintId || visitor?.clientId || "";
}
