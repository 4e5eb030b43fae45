import type { FieldSet } from "../../catalog/feed/columns.js";
import { BadLine, type Row } from "../../catalog/feed/rows.js";
import { readAmount, readQuantity, readTime, textOf } from "../../catalog/feed/scalars.js";
import type { Amount } from "../../parse/amount.js";

const FIELDS = [
  "visitor",
  "type",
  "product_id",
  "sku",
  "category_id",
  "timestamp",
  "order_id",
  "quantity",
  "price",
  "currency",
] as const;

export type EventField = (typeof FIELDS)[number];

export const EVENT_FIELDS: FieldSet<EventField> = {
  fields: FIELDS,
  aliases: { visitor_id: "visitor", event: "type" },
  required: [["type"], ["visitor", "order_id"]],
};

/** The fields for files whose lines need no type of their own. */
export const EVENT_FIELDS_WITHOUT_TYPE: FieldSet<EventField> = {
  ...EVENT_FIELDS,
  required: EVENT_FIELDS.required.filter((group) => !group.includes("type")),
};

/** Other words for types, from exports of shops and analytics tools. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  view: "product_view",
  product: "product_view",
  addtocart: "add_to_cart",
  cart: "add_to_cart",
  purchase: "order",
  transaction: "order",
  buy: "order",
};

/** The types with a meaning in Aisle. */
export const KNOWN_TYPES: readonly string[] = [
  "other",
  "homepage_view",
  "category_view",
  "product_view",
  "add_to_cart",
  "order",
  "order_cancel",
  "subscribe",
  "search_query",
];

/** One parsed line. A line of an order is one product of it. */
export interface EventLine {
  readonly type: string;
  readonly visitor: string;
  readonly productId: string;
  readonly sku: string;
  readonly categoryId: string;
  /** Null when the file has no times: the server then uses the time of receipt. */
  readonly occurredAtMs: number | null;
  /** "" except for order and order_cancel. */
  readonly orderId: string;
  readonly quantity: number;
  readonly price: Amount;
}

export interface EventReadingOptions {
  /** Type of lines without one; "" for none. */
  readonly defaultType: string;
  readonly defaultCurrency: string;
  readonly nowMs: number;
}

/** @throws BadLine */
export function readEvent(row: Row<EventField>, options: EventReadingOptions): EventLine {
  const { values } = row;
  const text = (field: EventField) => textOf(values[field], field);
  const given = (text("type") || options.defaultType).toLowerCase();
  const type = TYPE_WORDS[given] ?? given;
  if (type === "") throw new BadLine("type: missing (give one for all such lines with --type)");
  const isOrder = type === "order" || type === "order_cancel";
  const orderId = isOrder ? text("order_id") : "";
  if (isOrder && orderId === "") throw new BadLine("order_id: missing, an order needs one");
  const visitor = text("visitor") || (isOrder ? `order:${orderId}` : "");
  if (visitor === "") throw new BadLine("visitor: missing");
  const productId = text("product_id");
  const sku = text("sku");
  if (productId === "" && sku === "" && (type === "product_view" || type === "add_to_cart" || type === "order")) {
    throw new BadLine("product_id: missing");
  }
  const time = values.timestamp === undefined ? null : text("timestamp");
  if (time === "") throw new BadLine("timestamp: missing");
  const { amount, currency } = readAmount(text("price"), "price");
  return {
    type,
    visitor,
    productId,
    sku,
    categoryId: text("category_id"),
    occurredAtMs: time === null ? null : readTime(time, "timestamp", options.nowMs),
    orderId,
    quantity: readQuantity(text("quantity"), "quantity"),
    price: { amount, currency: amount && (text("currency").toUpperCase() || currency || options.defaultCurrency) },
  };
}
