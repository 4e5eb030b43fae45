import type { Event, EventContact, EventOrder, EventProduct, IdempotencyRecord } from "../../domain/event.js";
import type { RejectedEvent, RejectedLog } from "../../domain/rejected-event.js";
import { categories, money } from "./catalog.js";
import { flag, later, list, map, number, oneOf, orNull, record, text, time } from "./kinds.js";
import { visitorIds } from "./people.js";

const eventContact = record<EventContact>({
  email: text,
  phone: text,
  firstName: text,
  lastName: text,
  country: text,
  city: text,
  gender: text,
  birthDate: text,
  tags: list(text),
  emailSubscribed: orNull(flag),
  smsSubscribed: orNull(flag),
});

const eventProduct = record<EventProduct>({
  productId: text,
  sku: text,
  variantId: text,
  title: text,
  imageUrl: text,
  url: text,
  quantity: number,
  available: orNull(flag),
  categories,
  brandId: text,
  brandName: text,
  price: money.inline,
});

const eventOrder = record<EventOrder>({
  orderId: text,
  status: text,
  payment: money.inline,
  basePayment: money.inline,
  coupon: text,
});

export const event = record<Event>({
  eventId: text,
  actionType: text,
  sender: oneOf("browser", "server"),
  occurredAt: time,
  receivedAt: time,
  visitor: visitorIds.inline,
  contact: orNull(eventContact),
  products: list(eventProduct),
  categories,
  order: orNull(eventOrder),
  searchQuery: text,
  platform: text,
  platformVersion: text,
  senderVersion: text,
  extraFields: map(text),
  notes: list(text),
  bot: later(flag, false),
  recommendationIds: later(list(text), []),
  isShops: later(oneOf<boolean | "unknown">(true, false, "unknown"), "unknown"),
});

export const idempotency = record<IdempotencyRecord>({
  eventId: text,
  bodyHash: text,
  claimedAt: time,
  livedAt: later(number, 0),
  answer: later(text, ""),
});

export const rejectedEvent = record<RejectedEvent>({
  rejectedId: text,
  rejectedAt: time,
  fault: oneOf("missing", "invalid", "reused"),
  field: text,
  accepted: text,
  idempotencyKey: text,
  event: orNull(event),
  bytes: number,
  replayedAs: text,
});

export const rejectedLog = record<RejectedLog>({ first: number, next: number, bytes: number });
