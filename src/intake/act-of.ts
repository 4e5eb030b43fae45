import type { Event } from "../domain/event.js";
import type { VisitorAct } from "../ports/act-listener.js";

export function actOf({ visitor, actionType, products, order, bot, occurredAt }: Event): VisitorAct {
  const productIds = products.map(({ productId, sku }) => productId || sku);
  return { visitor, actionType, productIds, orderId: order?.orderId ?? "", bot, occurredAt };
}
