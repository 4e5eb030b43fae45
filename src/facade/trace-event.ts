/**
 * Turns the fields of a trace form into an Event message. It translates notation only: lists, times, flags, names.
 * Requirements and effects of an event are decided behind the call.
 */

import type { Event, EventContact, EventOrder } from "../gen/aisle/v1/event_pb.js";
import { SenderType } from "../gen/aisle/v1/event_pb.js";
import type { Money } from "../gen/aisle/v1/money_pb.js";
import { readAmount } from "../parse/amount.js";
import { isNothing, splitList, trimSpaces } from "./text-values.js";
import { parseFormTime, timestampOf } from "./times.js";
import { TRACE_FIELDS, type TraceFieldName } from "./trace-fields.js";
import { readCategories, readProducts } from "./trace-products.js";

/** Reads fields by name; a value that stands for "none" reads as "". */
export type Read = (name: TraceFieldName) => string;

/** Keeps the field's value in the event's extra fields. */
type Keep = (name: TraceFieldName) => void;

export function reader(fields: ReadonlyMap<string, string>): Read {
  return (name) => {
    const value = fields.get(name);
    return value === undefined || isNothing(value) ? "" : value;
  };
}

/**
 * `cookieFingerprint` is the value of the cookie `fp_ccid`, used when the form has none; "" for no cookie. `now` is
 * milliseconds since 1970.
 */
export function toEvent(fields: ReadonlyMap<string, string>, cookieFingerprint: string, now: number): Event {
  const read = reader(fields);
  const readId = (name: TraceFieldName) => trimSpaces(read(name));
  const extraFields = unknownFields(fields);
  // A value that does not fit the message is kept in the extra fields, so that operators can see what was sent.
  const keep: Keep = (name) => {
    const value = read(name);
    if (value !== "") extraFields[name] = value;
  };
  const products = readProducts(read);
  const time = readTime(read, keep, now);
  return {
    $typeName: "aisle.v1.Event",
    eventId: "",
    actionType: read("action_type"),
    senderType: readSender(read, keep),
    bot: false,
    occurredAt: Number.isNaN(time) ? undefined : timestampOf(time),
    receivedAt: undefined,
    visitor: {
      $typeName: "aisle.v1.VisitorIds",
      clientId: readId("c_id"),
      fingerprintId: readId("fp_ccid") || readId("fpccid") || cookieFingerprint,
      userId: readId("user_id"),
    },
    contact: readContact(read, keep),
    products,
    categories: products.length === 0 || isCategoryView(read) ? readCategories(read, 0) : [],
    order: readOrder(read, keep),
    searchQuery: read("search_query"),
    platform: read("platform"),
    platformVersion: read("platform_version"),
    senderVersion: read("version"),
    extraFields,
    notes: [],
  };
}

function isCategoryView(read: Read): boolean {
  return read("action_type").trim().toLowerCase() === "category_view";
}

/** A plain object without a prototype: `__proto__` is a field like any other. */
function unknownFields(fields: ReadonlyMap<string, string>): Record<string, string> {
  const unknown: Record<string, string> = Object.create(null);
  fields.forEach((value, name) => {
    if (!TRACE_FIELDS.has(name)) unknown[name] = value;
  });
  return unknown;
}

function readSender(read: Read, keep: Keep): SenderType {
  const sender = read("sender_type").trim().toLowerCase();
  if (sender === "server") return SenderType.SERVER;
  if (sender === "browser") return SenderType.BROWSER;
  keep("sender_type");
  return SenderType.UNSPECIFIED;
}

const YEAR_2000 = Date.UTC(2000, 0, 1);
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Returns the first plausible one of the two times; otherwise the first readable one, which intake rejects with a note;
 * otherwise NaN. The event keeps the other values.
 */
function readTime(read: Read, keep: Keep, now: number): number {
  let doubtful = Number.NaN;
  for (const name of ["event_utc_date", "utc_time"] as const) {
    const text = read(name);
    if (text === "") continue;
    const time = parseFormTime(text);
    if (time >= YEAR_2000 && time <= now + MAX_AHEAD_MS) return time;
    keep(name);
    if (Number.isNaN(doubtful)) doubtful = time;
  }
  return doubtful;
}

function readContact(read: Read, keep: Keep): EventContact | undefined {
  const contact: EventContact = {
    $typeName: "aisle.v1.EventContact",
    email: read("email"),
    phone: read("phone"),
    firstName: read("first_name"),
    lastName: read("last_name"),
    country: read("country"),
    city: read("city"),
    gender: read("gender"),
    birthDate: read("birth_date"),
    tags: readTags(read("customer_tags")),
    emailSubscribed: readFlag(read("subscriber_status")),
    smsSubscribed: readFlag(read("sms_subscriber_status")),
  };
  if (contact.emailSubscribed === undefined) keep("subscriber_status");
  if (contact.smsSubscribed === undefined) keep("sms_subscriber_status");
  return says(contact) ? contact : undefined;
}

function says(contact: EventContact): boolean {
  return (
    contact.email !== "" ||
    contact.phone !== "" ||
    contact.emailSubscribed !== undefined ||
    contact.smsSubscribed !== undefined ||
    contact.firstName !== "" ||
    contact.lastName !== "" ||
    contact.country !== "" ||
    contact.city !== "" ||
    contact.gender !== "" ||
    contact.birthDate !== "" ||
    contact.tags.length > 0
  );
}

/** Maximum tags read: as many as an event keeps. */
const MAX_TAGS = 100;

function readTags(text: string): string[] {
  return text === "" ? [] : splitList(text, MAX_TAGS);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on", "subscribed"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off", "unsubscribed"].map((word) => [word, false] as const),
]);

/** `1` and `0` are documented; `false` must not be read as absent, which would subscribe. */
function readFlag(text: string): boolean | undefined {
  return text === "" ? undefined : FLAGS.get(text.trim().toLowerCase());
}

const ORDER_FIELDS = [
  "order_status",
  "order_payment_value",
  "base_payment_value",
  "order_currency",
  "base_currency",
  "coupon",
] as const;

/** Order fields without an order id belong to no order and are kept in the extra fields. */
function readOrder(read: Read, keep: Keep): EventOrder | undefined {
  const orderId = trimSpaces(read("order_id"));
  if (orderId === "") {
    for (const name of ORDER_FIELDS) keep(name);
    return undefined;
  }
  return {
    $typeName: "aisle.v1.EventOrder",
    orderId,
    status: read("order_status"),
    payment: readMoney(read, keep, "order_payment_value", "order_currency"),
    basePayment: readMoney(read, keep, "base_payment_value", "base_currency"),
    coupon: read("coupon"),
  };
}

/** An unreadable amount is kept in the extra fields. The currency field takes precedence over a sign. */
function readMoney(
  read: Read,
  keep: Keep,
  amountName: TraceFieldName,
  currencyName: TraceFieldName,
): Money | undefined {
  const text = read(amountName);
  const amount = text === "" ? undefined : readAmount(text);
  if (text !== "" && amount === undefined) keep(amountName);
  const currency = trimSpaces(read(currencyName)) || amount?.currency || "";
  if (amount === undefined && currency === "") return undefined;
  return { $typeName: "aisle.v1.Money", amount: amount?.amount ?? "", currency };
}
