import type { Event, EventContact, EventOrder, EventProduct, IdempotencyRecord } from "../../../domain/event.js";
import { flag, list, map, number, oneOf, orElse, orNull, record, text } from "../shape.js";
import { categoriesShape, moneyShape, visitorIdsShape } from "./catalog.js";
import { personFields } from "./visitor.js";

const eventContactShape = record<EventContact>({
  ...personFields,
  emailSubscribed: orNull(flag),
  smsSubscribed: orNull(flag),
});

const eventProductShape = record<EventProduct>({
  productId: text,
  sku: text,
  variantId: text,
  title: text,
  imageUrl: text,
  url: text,
  quantity: number,
  available: orNull(flag),
  categories: categoriesShape,
  brandId: text,
  brandName: text,
  price: moneyShape,
});

const eventOrderShape = record<EventOrder>({
  orderId: text,
  status: text,
  payment: moneyShape,
  basePayment: moneyShape,
  coupon: text,
});

export const eventShape = record<Event>({
  eventId: text,
  actionType: text,
  sender: oneOf("browser", "server"),
  bot: orElse(flag, false),
  occurredAt: number,
  receivedAt: number,
  visitor: visitorIdsShape,
  contact: orNull(eventContactShape),
  products: list(eventProductShape),
  categories: categoriesShape,
  order: orNull(eventOrderShape),
  searchQuery: text,
  platform: text,
  platformVersion: text,
  senderVersion: text,
  extraFields: map(text),
  notes: list(text),
});

export const idempotencyShape = record<IdempotencyRecord>({ eventId: text, bodyHash: text, claimedAt: number });
