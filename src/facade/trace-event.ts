/**
 * Turns the fields of a trace form into an Event message. It translates notation only: lists, times, flags, names.
 * Requirements and effects of an event are decided behind the call.
 *
 * Product lists have `|` between products, in every list the same product at the same place, and `~` between the category
 * levels of one product. The ids (or, without ids, the SKUs) say how many products there are: what another list has beyond
 * them is dropped, what it lacks is unknown. Lists are read as far as an event can keep them, so that 128 KiB of separators
 * cost no more than a long order.
 */
import {
  type Event,
  type EventCategory,
  type EventContact,
  type EventOrder,
  type EventProduct,
  SenderType,
} from "../gen/aisle/v1/event_pb.js";
import type { Money } from "../gen/aisle/v1/money_pb.js";
import { readAmount } from "../parse/amount.js";
import { isNoValue } from "../parse/words-for-nothing.js";
import { readStatus } from "./status-field.js";
import { isNothing, readAvailable, splitList, trimSpaces } from "./text-values.js";
import { parseFormTime, timestampOf } from "./times.js";
import { TRACE_FIELDS, type TraceFieldName } from "./trace-fields.js";

type Fields = ReadonlyMap<string, string>;

/** Reads fields by name; a value that stands for "none" reads as "". */
export type Read = (name: TraceFieldName) => string;

/** Keeps the field's value in the event's extra fields. */
type Keep = (name: TraceFieldName) => void;

export function reader(fields: Fields): Read {
  return (name) => {
    const value = fields.get(name);
    return value === undefined || isNothing(value) ? "" : value;
  };
}

/**
 * `cookieFingerprint` is the value of the cookie `fp_ccid`, used when the form has none; "" for no cookie. `now` is
 * milliseconds since 1970.
 */
export function toEvent(fields: Fields, cookieFingerprint: string, now: number): Event {
  const read = reader(fields);
  const readId = (name: TraceFieldName) => trimSpaces(read(name));
  const extraFields = unknownFields(fields);
  // A value that does not fit the message is kept in the extra fields, so that operators can see what was sent.
  const keep: Keep = (name) => {
    const value = read(name);
    if (value !== "") extraFields[name] = value;
  };
  const products = readProducts(read, keep);
  const time = readTime(read, keep, now);
  return {
    $typeName: "aisle.v1.Event",
    eventId: "",
    actionType: read("action_type"),
    senderType: readSender(read, keep),
    bot: false,
    eventTime: Number.isNaN(time) ? undefined : timestampOf(time),
    receiveTime: undefined,
    visitor: {
      $typeName: "aisle.v1.VisitorIds",
      clientId: readId("c_id"),
      fingerprintId: readId("fp_ccid") || readId("fpccid") || cookieFingerprint,
      userId: readId("user_id"),
    },
    contact: readContact(read, fields, extraFields),
    products,
    categories: products.length === 0 || isCategoryView(read) ? readCategories(read, 0) : [],
    order: readOrder(read, keep),
    searchQuery: read("search_query"),
    platform: read("platform"),
    platformVersion: read("platform_version"),
    senderVersion: read("version"),
    extraFields,
    recommendationIds: slots(read("recommendation_id")).slice(),
    notes: [],
  };
}

function isCategoryView(read: Read): boolean {
  return read("action_type").trim().toLowerCase() === "category_view";
}

/** A plain object without a prototype: `__proto__` is a field like any other. */
function unknownFields(fields: Fields): Record<string, string> {
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

function readContact(read: Read, fields: Fields, extraFields: Event["extraFields"]): EventContact | undefined {
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
    emailSubscribed: readStatus("subscriber_status", fields, extraFields),
    smsSubscribed: readStatus("sms_subscriber_status", fields, extraFields),
  };
  return says(contact) ? contact : undefined;
}

function says(contact: EventContact): boolean {
  const { email, phone, firstName, lastName, country, city, gender, birthDate } = contact;
  const { tags, emailSubscribed, smsSubscribed } = contact;
  if (tags.length > 0 || emailSubscribed !== undefined || smsSubscribed !== undefined) return true;
  return email + phone + firstName + lastName + country + city + gender + birthDate !== "";
}

/** Maximum tags read: as many as an event keeps. */
const MAX_TAGS = 100;

function readTags(text: string): string[] {
  return text === "" ? [] : splitList(text, MAX_TAGS);
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

const NO_SLOTS: readonly string[] = [];
const MAX_QUANTITY = 0xffff_ffff;

/** Maximum places of a list: one more than an event keeps, so that intake notes left-out products. */
const MAX_PLACES = 1001;

/** Maximum category levels of a product: twice as many as an event keeps. */
const MAX_LEVELS = 64;

/** The products of a form, without places that have neither id nor SKU. */
function readProducts(read: Read, keep: Keep): EventProduct[] {
  const ids = slots(read("product_ids"));
  const skus = slots(read("product_skus"));
  const count = ids.length > 0 ? ids.length : skus.length;
  if (count === 0) return [];
  const variants = slots(read("product_variant_ids"));
  const titles = slots(read("product_titles"));
  const images = slots(read("product_images"));
  const urls = slots(read("product_urls"));
  const quantities = slots(read("product_counts"));
  const availability = slots(read("product_availability"));
  if (quantities.some((text) => !isNothing(text) && readQuantity(trimSpaces(text)) === 0)) keep("product_counts");
  if (availability.some((text) => !isNothing(text) && readAvailable(trimSpaces(text)) === undefined))
    keep("product_availability");
  const brandIds = slots(read("product_brand_ids"));
  const brandNames = slots(read("product_brand_names"));
  const categoryIds = slots(read("product_category_ids"));
  const categoryNames = slots(read("product_category_names"));
  const products: EventProduct[] = [];
  for (let place = 0; place < count; place++) {
    const productId = at(ids, place);
    const sku = at(skus, place);
    if (productId === "" && sku === "") continue;
    products.push({
      $typeName: "aisle.v1.EventProduct",
      productId,
      sku,
      variantId: at(variants, place),
      title: at(titles, place),
      imageUrl: at(images, place),
      url: at(urls, place),
      quantity: readQuantity(at(quantities, place)),
      available: readAvailable(at(availability, place)),
      categories: categoryPath(at(categoryIds, place), at(categoryNames, place)),
      brandId: at(brandIds, place),
      brandName: at(brandNames, place),
      price: undefined,
    });
  }
  return products;
}

/** The category path at one place of the lists, from broad to narrow. */
function readCategories(read: Read, place: number): EventCategory[] {
  return categoryPath(at(slots(read("product_category_ids")), place), at(slots(read("product_category_names")), place));
}

function categoryPath(ids: string, names: string): EventCategory[] {
  if (ids === "") return [];
  const levels = parts(ids, "~", MAX_LEVELS);
  const levelNames = parts(names, "~", MAX_LEVELS);
  const path: EventCategory[] = [];
  for (let level = 0; level < levels.length; level++) {
    const categoryId = at(levels, level);
    if (categoryId === "") continue;
    path.push({ $typeName: "aisle.v1.EventCategory", categoryId, name: at(levelNames, level) });
  }
  return path;
}

function slots(text: string): readonly string[] {
  return text === "" ? NO_SLOTS : parts(text, "|", MAX_PLACES);
}

/** As `split`. Most lists have one element, and this check takes a fifth of the time. */
function parts(text: string, separator: string, limit: number): readonly string[] {
  return text.includes(separator) ? text.split(separator, limit) : [text];
}

function at(list: readonly string[], place: number): string {
  const value = list[place];
  return value === undefined || isNothing(value) || isNoValue(value) ? "" : trimSpaces(value);
}

/** 0 when no usable value was sent, which the message reads as unknown. */
function readQuantity(text: string): number {
  if (text === "") return 0;
  const quantity = /^\d+(?:[.,]\d*)?$/.test(text) ? Math.floor(Number(text.replace(",", "."))) : 0;
  return quantity >= 1 && quantity <= MAX_QUANTITY ? quantity : 0;
}
