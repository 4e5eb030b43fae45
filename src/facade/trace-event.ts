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
import { readAmount } from "../parse/amount.js";
import { parseFormTime } from "../parse/times.js";
import { isNoValue } from "../parse/words-for-nothing.js";
import { readYesOrNo } from "../parse/yes-or-no.js";
import { isNothing, readAvailable, splitList, trimSpaces } from "./text-values.js";
import { timestampOf } from "./times.js";
import { TRACE_FIELDS, type TraceFieldName } from "./trace-fields.js";

type Fields = ReadonlyMap<string, string>;

/** Reads fields by name; a value that stands for "none" reads as "". */
export type Read = (name: TraceFieldName) => string;

/** A form that is being read into an event. */
interface Reading {
  readonly fields: Fields;
  readonly read: Read;
  readonly extraFields: Record<string, string>;
  /** Keeps a value that does not fit the message in the extra fields, so that operators can see what was sent. */
  readonly keep: (name: TraceFieldName) => void;
}

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
  const keep = (name: TraceFieldName) => {
    const value = read(name);
    if (value !== "") extraFields[name] = value;
  };
  const reading: Reading = { fields, read, extraFields, keep };
  const products = readProducts(reading);
  const time = readTime(reading, now);
  return {
    $typeName: "aisle.v1.Event",
    eventId: "",
    actionType: read("action_type"),
    senderType: readSender(reading),
    bot: false,
    eventTime: Number.isNaN(time) ? undefined : timestampOf(time),
    receiveTime: undefined,
    visitor: {
      $typeName: "aisle.v1.VisitorIds",
      clientId: readId("c_id"),
      fingerprintId: readId("fp_ccid") || readId("fpccid") || cookieFingerprint,
      userId: readId("user_id"),
    },
    contact: readContact(reading),
    products,
    categories: products.length === 0 || isCategoryView(read) ? categoriesOf(read) : [],
    order: readOrder(reading),
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

function readSender({ read, keep }: Reading): SenderType {
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
function readTime({ read, keep }: Reading, now: number): number {
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

/** Maximum tags read: as many as an event keeps. */
const MAX_TAGS = 100;

function readContact(reading: Reading): EventContact | undefined {
  const { read } = reading;
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
    tags: splitList(read("customer_tags"), MAX_TAGS),
    emailSubscribed: readStatus(reading, "subscriber_status"),
    smsSubscribed: readStatus(reading, "sms_subscriber_status"),
  };
  return says(contact) ? contact : undefined;
}

function says(contact: EventContact): boolean {
  const { email, phone, firstName, lastName, country, city, gender, birthDate } = contact;
  const { tags, emailSubscribed, smsSubscribed } = contact;
  if (tags.length > 0 || emailSubscribed !== undefined || smsSubscribed !== undefined) return true;
  return email + phone + firstName + lastName + country + city + gender + birthDate !== "";
}

/** The names that programs make of a field: `subscriber_status[]`, `subscriberStatus`, `Subscriber-Status`, `amp;subscriber_status`. */
const SPELLINGS = {
  subscriber_status: /^(amp;)?[\s_.-]*subscriber[\s_.-]*status[\s_.-]*([[\]%].*)?$/is,
  sms_subscriber_status: /^(amp;)?[\s_.-]*sms[\s_.-]*subscriber[\s_.-]*status[\s_.-]*([[\]%].*)?$/is,
};
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/**
 * What a form says of a subscription, under the field's name or another spelling of it. Only empty values are absent: a text such as
 * `undefined`, or two values that differ, say neither yes nor no, and are kept in the extra fields under the field's name.
 */
function readStatus({ fields, extraFields }: Reading, name: keyof typeof SPELLINGS): boolean | undefined {
  const texts = [fields.get(name) ?? ""];
  for (const other in extraFields)
    if (SPELLINGS[name].test(other.replace(UNSEEN, ""))) texts.push(extraFields[other] ?? "");
  const said = texts.filter((text) => trimSpaces(text) !== "");
  const [status, ...others] = said.map(readYesOrNo);
  if (said.length === 0) return undefined;
  if (status !== undefined && others.every((other) => other === status)) return status;
  extraFields[name] = said.join(" ");
  return undefined;
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
function readOrder(reading: Reading): EventOrder | undefined {
  const { read, keep } = reading;
  const orderId = trimSpaces(read("order_id"));
  if (orderId === "") {
    for (const name of ORDER_FIELDS) keep(name);
    return undefined;
  }
  return {
    $typeName: "aisle.v1.EventOrder",
    orderId,
    status: read("order_status"),
    payment: readMoney(reading, "order_payment_value", "order_currency"),
    basePayment: readMoney(reading, "base_payment_value", "base_currency"),
    coupon: read("coupon"),
  };
}

/** An unreadable amount is kept in the extra fields. The currency field takes precedence over a sign. */
function readMoney({ read, keep }: Reading, amountName: TraceFieldName, currencyName: TraceFieldName) {
  const amount = readAmount(read(amountName));
  if (amount === undefined) keep(amountName);
  const currency = trimSpaces(read(currencyName)) || amount?.currency || "";
  if (amount === undefined && currency === "") return undefined;
  return { $typeName: "aisle.v1.Money" as const, amount: amount?.amount ?? "", currency };
}

const NO_SLOTS: readonly string[] = [];
const MAX_QUANTITY = 0xffff_ffff;

/** Maximum places of a list: one more than an event keeps, so that intake notes left-out products. */
const MAX_PLACES = 1001;

/** Maximum category levels of a product: twice as many as an event keeps. */
const MAX_LEVELS = 64;

/** The products of a form, without places that have neither id nor SKU. */
function readProducts({ read, keep }: Reading): EventProduct[] {
  const list = (name: TraceFieldName) => slots(read(name));
  const ids = list("product_ids");
  const skus = list("product_skus");
  const count = ids.length || skus.length;
  if (count === 0) return [];
  const variants = list("product_variant_ids");
  const titles = list("product_titles");
  const images = list("product_images");
  const urls = list("product_urls");
  const quantities = list("product_counts");
  const availability = list("product_availability");
  const categoryIds = list("product_category_ids");
  const categoryNames = list("product_category_names");
  const brandIds = list("product_brand_ids");
  const brandNames = list("product_brand_names");
  const isSaid = (text: string) => !isNothing(text);
  if (quantities.some((text) => isSaid(text) && readQuantity(trimSpaces(text)) === 0)) keep("product_counts");
  if (availability.some((text) => isSaid(text) && readAvailable(trimSpaces(text)) === undefined))
    keep("product_availability");
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

/** The category path of an event without products, from broad to narrow. */
function categoriesOf(read: Read): EventCategory[] {
  return categoryPath(at(slots(read("product_category_ids")), 0), at(slots(read("product_category_names")), 0));
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
