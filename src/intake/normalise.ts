import { keysOfAddresses } from "../domain/address-keys.js";
import { InvalidArgument } from "../domain/errors.js";
import { type Event, type EventContact, type EventOrder, type EventProduct, KNOWN_ACTIONS } from "../domain/event.js";
import type { VisitorIds } from "../domain/ids.js";
import { cleanId, personId, valueId } from "../domain/ids.js";
import { isDecimal, type Money, NO_MONEY } from "../domain/money.js";
import { type Category, webUrl } from "../domain/product.js";
import type { PublicSender } from "../domain/public-sender.js";
import { emailKey, phoneKey } from "../parse/addresses.js";

/**
 * An event as its sender gave it: not validated, without an id and notes. `occurredAt` is 0 when no time was given. A
 * product may have a SKU only.
 */
export interface SentEvent extends Event {
  /** The public sender; not part of the event and not stored. */
  readonly sentBy?: PublicSender | undefined;
  /** Digest of the form it came in; "" or undefined when it was not a form. */
  readonly sentDigest?: string | undefined;
  /** The sender refuses profiling, and `withoutProfile` has removed profile data. */
  readonly isWithoutProfile?: true;
}

const NO_PROFILE_NOTE =
  "the browser asks for no profile: its ids, extra fields and what it says of a person were left out";

const MAX_ACTION_LENGTH = 64;
const MAX_AHEAD_MS = 5 * 60_000;
const YEAR_2000 = Date.UTC(2000, 0, 1);
const MAX_TEXT = 8192;
const MAX_PRODUCTS = 1000;
const MAX_CATEGORIES = 32;
const MAX_RECOMMENDATIONS = 20;
const MAX_EXTRA_FIELDS = 128;

const known: ReadonlySet<string> = new Set(KNOWN_ACTIONS);

/**
 * Checks what was sent and brings it into the form events are stored in. Throws InvalidArgument for what must be refused:
 * no action, an action that is too long, a field its action requires. Anything else odd is kept without effect, and
 * said in `notes`.
 */
export function normalise(sent: SentEvent, eventId: string, receivedAt: number): Event {
  const notes: string[] = [];
  if (sent.isWithoutProfile) notes.push(NO_PROFILE_NOTE);
  const actionType = readAction(sent.actionType);
  const taken = sent.products.slice(0, MAX_PRODUCTS);
  if (taken.length < sent.products.length) notes.push(`products beyond ${MAX_PRODUCTS} were left out`);
  const products: EventProduct[] = [];
  for (const one of taken) {
    const product = readProduct(one, notes);
    if (product.productId !== "" || product.sku !== "") products.push(product);
  }
  if (products.length < taken.length) notes.push("products without a usable id or SKU were left out");
  const categories = readCategories(sent.categories);
  const contact = sent.contact && readContact(sent.contact, notes);
  const order = sent.order && readOrder(sent.order, notes);

  if ((actionType === "product_view" || actionType === "add_to_cart") && products.length === 0)
    throw new InvalidArgument("event.products", "missing");
  if (actionType === "category_view" && categories.length === 0)
    throw new InvalidArgument("event.categories", "missing");
  if ((actionType === "order" || actionType === "order_cancel") && !order?.orderId)
    throw new InvalidArgument("event.order.order_id", "missing");
  if (actionType === "subscribe" && !contact?.email && !contact?.phone)
    throw new InvalidArgument("event.contact.email", "missing");
  notes.push(...unreadNotes(sent.extraFields));
  if (!known.has(actionType) && actionType !== "unsubscribe")
    notes.push("the action is none of those that have an effect");
  if (actionType === "unsubscribe" && (contact === null || keysOfAddresses(contact).length === 0))
    notes.push("unsubscribe has no effect: it names no usable e-mail address or phone");
  if (actionType === "order" && products.length === 0) notes.push("the order names no product");

  return {
    eventId,
    actionType,
    sender: sent.sender,
    bot: sent.bot,
    occurredAt: readTime(sent.occurredAt, receivedAt, notes),
    receivedAt,
    visitor: readVisitor(sent.visitor, notes),
    contact,
    products,
    categories,
    order: order?.orderId ? order : null,
    searchQuery: cut(sent.searchQuery),
    platform: cut(sent.platform),
    platformVersion: cut(sent.platformVersion),
    senderVersion: cut(sent.senderVersion),
    extraFields: readExtra(sent.extraFields, notes),
    recommendationIds: readRecommendationIds(sent.recommendationIds),
    isShops: sent.sentBy === undefined,
    notes: notes.length > 1 ? [...new Set(notes)] : notes,
  };
}

/** Fields that the REST facade keeps with an event where it could not read them. */
const UNREAD: readonly (readonly [name: string, note: string])[] = [
  ...["event_utc_date", "utc_time"].map((name) => [name, "is no plausible time"] as const),
  ...["order_payment_value", "base_payment_value"].map((name) => [name, "is no amount"] as const),
  ["product_counts", "holds a text that is no quantity, and 1 counts there"],
  ["product_availability", "holds a text that says neither yes nor no"],
  ["sender_type", "is neither server nor browser"],
];

function unreadNotes(fields: Readonly<Record<string, string>>): string[] {
  return UNREAD.flatMap(([name, note]) => (Object.hasOwn(fields, name) ? [`${name} ${note}`] : []));
}

function readAction(text: string): string {
  const action = text.trim();
  if (action === "") throw new InvalidArgument("event.action_type", "missing");
  if (action.length > MAX_ACTION_LENGTH || /\p{Cc}/u.test(action))
    throw new InvalidArgument("event.action_type", "invalid", `at most ${MAX_ACTION_LENGTH} characters of text`);
  const lower = action.toLowerCase();
  return known.has(lower) || lower === "unsubscribe" ? lower : action;
}

function readTime(at: number, receivedAt: number, notes: string[]): number {
  if (at === 0) return receivedAt;
  if (Number.isFinite(at) && at >= YEAR_2000 && at <= receivedAt + MAX_AHEAD_MS) return Math.floor(at);
  notes.push("the event's time is not plausible; the time of receipt counts");
  return receivedAt;
}

function readRecommendationIds(ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? ids : ids.slice(0, MAX_RECOMMENDATIONS).flatMap((id) => cleanId(id) || []);
}

function readVisitor(ids: VisitorIds, notes: string[]): VisitorIds {
  const read = (name: string, id: string): string => {
    const clean = cleanId(id);
    if (clean !== id) notes.push("a visitor id is too long or holds control characters and counts as absent");
    const person = personId(clean);
    if (person !== clean) notes.push(`the ${name} id "${clean}" names nobody and counts as absent`);
    return person;
  };
  return {
    clientId: read("client", ids.clientId),
    fingerprintId: read("fingerprint", ids.fingerprintId),
    userId: read("user", ids.userId),
  };
}

function readContact(contact: EventContact, notes: string[]): EventContact {
  if (contact.email !== "" && emailKey(contact.email) === "")
    notes.push("the e-mail is no address and identifies nobody");
  if (contact.phone !== "" && phoneKey(contact.phone) === "")
    notes.push("the phone is no number and identifies nobody");
  return {
    email: cut(contact.email),
    phone: cut(contact.phone),
    firstName: cut(contact.firstName),
    lastName: cut(contact.lastName),
    country: cut(contact.country),
    city: cut(contact.city),
    gender: cut(contact.gender),
    birthDate: cut(contact.birthDate),
    tags: contact.tags.slice(0, 100).map((tag) => cut(tag)),
    emailSubscribed: contact.emailSubscribed,
    smsSubscribed: contact.smsSubscribed,
  };
}

function readOrder(order: EventOrder, notes: string[]): EventOrder {
  return {
    orderId: valueId(order.orderId),
    status: cut(order.status),
    payment: readMoney(order.payment, "the order's payment", notes),
    basePayment: readMoney(order.basePayment, "the order's base payment", notes),
    coupon: cut(order.coupon),
  };
}

const MAX_QUANTITY = 1e9;

function readProduct(product: EventProduct, notes: string[]): EventProduct {
  const imageUrl = product.imageUrl && webUrl(product.imageUrl);
  const url = product.url && webUrl(product.url);
  if ((product.imageUrl !== "" && imageUrl === "") || (product.url !== "" && url === ""))
    notes.push("a product URL that is not http or https was left out");
  if (product.quantity < 0 || product.quantity > MAX_QUANTITY)
    notes.push(`a product's quantity is not between 1 and ${MAX_QUANTITY} and counts as 1`);
  return {
    productId: valueId(product.productId),
    sku: valueId(product.sku),
    variantId: valueId(product.variantId),
    title: cut(product.title),
    imageUrl,
    url,
    quantity: product.quantity >= 1 && product.quantity <= MAX_QUANTITY ? Math.floor(product.quantity) : 1,
    available: product.available,
    categories: readCategories(product.categories),
    brandId: valueId(product.brandId),
    brandName: cut(product.brandName),
    price: readMoney(product.price, "a product's price", notes),
  };
}

function readCategories(categories: readonly Category[]): Category[] {
  const read: Category[] = [];
  for (const category of categories.slice(0, MAX_CATEGORIES)) {
    const categoryId = valueId(category.categoryId);
    if (categoryId !== "") read.push({ categoryId, name: cut(category.name) });
  }
  return read;
}

function readMoney(money: Money, what: string, notes: string[]): Money {
  if (money.amount === "" && money.currency === "") return NO_MONEY;
  const amount = money.amount.trim();
  if (amount !== "" && !isDecimal(amount)) notes.push(`${what} is no amount and was left out`);
  return { amount: isDecimal(amount) ? amount : "", currency: readCurrency(money.currency) };
}

/** Codes of ISO 4217 are upper-case; anything else stays as it was sent. */
function readCurrency(currency: string): string {
  const code = currency.trim();
  return cut(/^[a-z]{3}$/i.test(code) ? code.toUpperCase() : code, 8);
}

function readExtra(fields: Readonly<Record<string, string>>, notes: string[]): Readonly<Record<string, string>> {
  const names = Object.keys(fields);
  const isWhole = (name: string) => name.length <= 255 && (fields[name] ?? "").length <= MAX_TEXT;
  if (names.length <= MAX_EXTRA_FIELDS && names.every(isWhole)) return fields;
  if (names.length > MAX_EXTRA_FIELDS) notes.push(`fields beyond ${MAX_EXTRA_FIELDS} were dropped`);
  const extra: Record<string, string> = Object.create(null);
  for (const name of names.slice(0, MAX_EXTRA_FIELDS)) extra[cut(name, 255)] = cut(fields[name] ?? "");
  return extra;
}

function cut(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : text.slice(0, length);
}
