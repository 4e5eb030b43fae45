import { createHash } from "node:crypto";
import type { FieldSet } from "../../catalog/feed/columns.js";
import { BadLine, isEmpty, type Row } from "../../catalog/feed/rows.js";
import { readAmount, readQuantity, readTime, textOf } from "../../catalog/feed/scalars.js";
import type { Amount } from "../../parse/amount.js";

const FIELDS = [
  "visitor",
  "user_id",
  "fp_ccid",
  "email",
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
  required: [["type"], ["visitor", "user_id", "fp_ccid", "email", "order_id"]],
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
  view_item: "product_view",
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
  /** The client id; made up for an order or an address without one, "" beside another id. */
  readonly visitor: string;
  readonly userId: string;
  readonly fingerprintId: string;
  readonly email: string;
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
  /** Whether the column `visitor` holds e-mail addresses. */
  readonly visitorIsEmail?: boolean;
}

/** The fields that exports write on the first line of an order only. */
const ORDER_FIELDS = ["type", "visitor", "user_id", "fp_ccid", "email", "timestamp", "currency"] as const;

/** The line, with what it leaves out of its order taken from the line before, if that is of the same order. */
export function continueOrder(row: Row<EventField>, before: Row<EventField> | null): Row<EventField> {
  const orderId = row.values.order_id;
  if (before === null || isEmpty(orderId) || before.values.order_id !== orderId) return row;
  const values = { ...row.values };
  for (const field of ORDER_FIELDS) if (isEmpty(values[field])) values[field] = before.values[field];
  return { ...row, values };
}

/** True for a text that reads as an e-mail address. */
export function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
}

/** One client id for all lines with one address, from which the address cannot be read. */
function clientIdOf(email: string): string {
  return `email:${createHash("sha256").update(email.toLowerCase()).digest("base64url").slice(0, 22)}`;
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
  const email = options.visitorIsEmail ? text("visitor") || text("email") : text("email");
  const [userId, fingerprintId] = [guestless(text("user_id")), text("fp_ccid")];
  const named = options.visitorIsEmail || text("visitor") === email ? "" : text("visitor");
  const visitor =
    named || (userId || fingerprintId ? "" : email ? clientIdOf(email) : isOrder ? `order:${orderId}` : "");
  if (visitor === "" && userId === "" && fingerprintId === "") throw new BadLine("visitor: missing");
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
    userId,
    fingerprintId,
    email,
    productId,
    sku,
    categoryId: text("category_id"),
    occurredAtMs: time === null ? null : readTime(time, "timestamp", options.nowMs),
    orderId,
    quantity: readQuantity(text("quantity"), "quantity"),
    price: { amount, currency: amount && (text("currency").toUpperCase() || currency || options.defaultCurrency) },
  };
}

/** Shops write 0 for a buyer without an account. */
function guestless(userId: string): string {
  return userId === "0" ? "" : userId;
}
