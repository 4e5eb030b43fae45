import { type Event, SenderType } from "../gen/aisle/v1/event_pb.js";
import { printable } from "./output.js";
import { timeText } from "./times.js";

/** Maximum products named of an event; the rest is a number. */
const SHOWN_PRODUCTS = 10;

/** An event as Aisle understood it: one line, then one for each value without effect. */
export function eventText(event: Event, showPersonal: boolean): string {
  const parts = [
    timeText(event.eventTime) || timeText(event.receiveTime),
    printable(event.actionType),
    ...visitorParts(event),
    ...productParts(event),
    ...orderParts(event),
    ...contactParts(event, showPersonal),
    ...(event.searchQuery ? [`search=${showPersonal ? JSON.stringify(printable(event.searchQuery)) : "***"}`] : []),
    ...(event.senderType === SenderType.SERVER ? ["sender=server"] : []),
    ...(event.bot ? ["bot"] : []),
    event.eventId && `id=${event.eventId}`,
  ];
  return [
    parts.filter((part) => part !== "").join("  "),
    ...event.notes.map((note) => `    no effect: ${printable(note)}`),
  ].join("\n");
}

function visitorParts({ visitor }: Event): string[] {
  const named = (name: string, id: string | undefined) => (id ? [`${name}=${printable(id)}`] : []);
  return [
    ...named("c_id", visitor?.clientId),
    ...named("fp_ccid", visitor?.fingerprintId),
    ...named("user_id", visitor?.userId),
  ];
}

function productParts({ products, categories }: Event): string[] {
  const items = products.slice(0, SHOWN_PRODUCTS).map((product) => {
    const id = printable(product.productId || product.sku);
    const price = product.price?.amount ? ` at ${printable(`${product.price.amount} ${product.price.currency}`)}` : "";
    return `${product.quantity > 1 ? `${product.quantity} x ` : ""}${id}${price}`;
  });
  if (products.length > SHOWN_PRODUCTS) items.push(`${products.length - SHOWN_PRODUCTS} more`);
  const path = categories.map((category) => printable(category.name || category.categoryId));
  return [
    ...(items.length > 0 ? [`products=[${items.join(", ")}]`] : []),
    ...(path.length > 0 ? [`category=${path.join(" > ")}`] : []),
  ];
}

function orderParts({ order }: Event): string[] {
  if (!order) return [];
  const payment = order.payment?.amount
    ? ` paid ${printable(`${order.payment.amount} ${order.payment.currency}`)}`
    : "";
  const status = order.status ? ` (${printable(order.status)})` : "";
  return [`order=${printable(order.orderId)}${status}${payment}`];
}

function contactParts({ contact }: Event, showPersonal: boolean): string[] {
  if (!contact) return [];
  const shown = (name: string, value: string, mask: (text: string) => string) =>
    value ? [`${name}=${printable(showPersonal ? value : mask(value))}`] : [];
  const hidden = () => "***";
  const flag = (name: string, value: boolean | undefined) => (value === undefined ? [] : [`${name}=${value}`]);
  return [
    ...shown("email", contact.email, maskEmail),
    ...shown("phone", contact.phone, maskPhone),
    ...shown("name", `${contact.firstName} ${contact.lastName}`.trim(), hidden),
    ...shown("country", contact.country, (text) => text),
    ...shown("city", contact.city, hidden),
    ...shown("gender", contact.gender, hidden),
    ...shown("birth_date", contact.birthDate, hidden),
    ...shown("tags", contact.tags.join(","), hidden),
    ...flag("newsletter", contact.emailSubscribed),
    ...flag("text_messages", contact.smsSubscribed),
  ];
}

/** `b***@example.com`; any other text is hidden completely. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return at > 0 ? `${[...email][0]}***${email.slice(at)}` : "***";
}

/** The last two digits. */
function maskPhone(phone: string): string {
  return `***${phone.replace(/\D/g, "").slice(-2)}`;
}
