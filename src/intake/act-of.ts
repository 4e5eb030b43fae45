import type { Event } from "../domain/event.js";
import type { VisitorAct } from "../ports/act-listener.js";

export function actOf({ visitor, actionType, products, bot, occurredAt }: Event): VisitorAct {
  return { visitor, actionType, productIds: products.map(({ productId, sku }) => productId || sku), bot, occurredAt };
}
