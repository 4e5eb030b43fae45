import type { Interaction } from "../../../domain/interaction.js";
import type { Money } from "../../../domain/money.js";
import type { Order, OrderLine } from "../../../domain/order.js";
import type { Category, LearnedFrom, Product } from "../../../domain/product.js";
import type { VisitorIds } from "../../../domain/visitor.js";
import { flag, list, map, number, oneOf, orElse, orNull, record, text } from "../shape.js";

export const moneyShape = record<Money>({ amount: text, currency: text });

export const categoriesShape = list(record<Category>({ categoryId: text, name: text }));

export const visitorIdsShape = record<VisitorIds>({ clientId: text, fingerprintId: text, userId: text });

export const productShape = record<Product>({
  productId: text,
  sku: text,
  variantGroupId: text,
  title: text,
  description: text,
  categories: categoriesShape,
  brand: text,
  price: moneyShape,
  url: text,
  imageUrl: text,
  available: flag,
  hidden: flag,
  hiddenByFeed: orElse(flag, false),
  tags: list(text),
  attributes: map(text),
  origin: oneOf("catalog", "event"),
  addedAt: orElse(number, 0),
  updatedAt: number,
  learnedFrom: orElse(orNull(record<LearnedFrom>({ count: number, confirmed: flag, visitors: list(text) })), null),
});

export const orderShape = record<Order>({
  orderId: text,
  visitorId: text,
  visitor: visitorIdsShape,
  contactId: text,
  lines: list(record<OrderLine>({ productId: text, quantity: number })),
  status: text,
  statusAt: number,
  payment: moneyShape,
  occurredAt: number,
  cancelled: flag,
  bot: orElse(flag, false),
});

/** An interaction and whose it is. */
export interface HistoryRow extends Omit<Interaction, "bot"> {
  readonly visitorId: string;
  readonly bot: boolean;
}

export function historyRow(visitorId: string, { type, at, productIds, ref, bot }: Interaction): HistoryRow {
  return { visitorId, type, at, productIds, ref, bot: bot === true };
}

export function interactionOf({ type, at, productIds, ref, bot }: HistoryRow): Interaction {
  return { type, at, productIds, ref, ...(bot && { bot }) };
}

export const historyRowShape = record<HistoryRow>({
  visitorId: text,
  type: oneOf("product_view", "add_to_cart", "order"),
  at: number,
  productIds: list(text),
  ref: text,
  bot: orElse(flag, false),
});
