import type { Event } from "./event.js";
import type { VisitorIds } from "./visitor.js";

/** What a visitor did with which products, taken from an event. */
export interface VisitorAct {
  readonly visitor: VisitorIds;
  readonly actionType: string;
  readonly productIds: readonly string[];
  /** Of an order or its cancellation; "" for others. */
  readonly orderId: string;
  readonly bot: boolean;
  readonly occurredAt: number;
}

/** Receives stored events of the apps it asks for. */
export interface ActListener {
  wants(appId: string): boolean;
  took(appId: string, act: VisitorAct): void;
}

export function visitorActOf({ visitor, actionType, products, order, bot, occurredAt }: Event): VisitorAct {
  const productIds = products.map(({ productId, sku }) => productId || sku);
  return { visitor, actionType, productIds, orderId: order?.orderId ?? "", bot, occurredAt };
}
