import { FEED_OUTCOMES, type Feed, type FeedReject, type FeedRun } from "../../domain/feed.js";
import { type Money, NO_MONEY } from "../../domain/money.js";
import type { Order, OrderLine } from "../../domain/order.js";
import type { Category, Product, ProductCounts } from "../../domain/product.js";
import type { Sighting, UnconfirmedProduct, UnconfirmedSlot } from "../../domain/unconfirmed-product.js";
import { flag, later, list, map, number, oneOf, orNull, record, text, time } from "./kinds.js";
import { visitorIds } from "./people.js";

export const money = record<Money>({ amount: text, currency: text });

export const categories = list(record<Category>({ categoryId: text, name: text }).inline);

export const product = record<Product>(
  {
    productId: text,
    sku: text,
    variantGroupId: text,
    title: text,
    description: text,
    categories,
    brand: text,
    price: money.inline,
    url: text,
    imageUrl: text,
    available: flag,
    hidden: flag,
    tags: list(text),
    attributes: map(text),
    origin: oneOf("catalog", "event"),
    updatedAt: time,
    hiddenByFeed: later(flag, false),
    addedAt: later(time, 0),
    validFrom: later(time, 0),
    validUntil: later(time, 0),
    cost: later(money, NO_MONEY),
    stock: later(orNull(number), null),
    salePrice: later(money, NO_MONEY),
    saleStart: later(time, 0),
    saleEnd: later(time, 0),
  },
  { gone: [17] }, // up to format 4 how many visitors had sent a learned product
);

export const productCounts = record<ProductCounts>({ fed: number, learned: number });

export const unconfirmedSlot = record<UnconfirmedSlot>({
  products: list(
    record<UnconfirmedProduct>({
      key: text,
      day: number,
      sightings: list(record<Sighting>({ visitor: text, network: text, values: text })),
    }),
  ),
});

export const order = record<Order>({
  orderId: text,
  visitorId: text,
  visitor: visitorIds.inline,
  contactId: text,
  lines: list(record<OrderLine>({ productId: text, quantity: number }).inline),
  status: text,
  statusAt: time,
  payment: money.inline,
  occurredAt: time,
  cancelled: flag,
  bot: later(flag, false),
  vouched: later(flag, false),
  sentFrom: later(text, ""),
  receivedAt: later(time, 0),
  paidBy: later(oneOf("", "browser", "server", "shop"), ""),
  paidAt: later(time, 0),
  apart: later(list(text), []),
  claimedBy: later(list(text), []),
});

const feedRun = record<FeedRun>({
  at: time,
  tookMs: number,
  outcome: oneOf(...FEED_OUTCOMES),
  accepted: number,
  rejected: number,
  hidden: number,
  error: text,
  rejects: list(record<FeedReject>({ position: number, id: text, reason: text })),
});

export const feed = record<Feed>({
  feedId: text,
  url: text,
  format: text,
  currency: text,
  full: flag,
  everyMs: number,
  nextAt: time,
  claimedBy: text,
  claimedUntil: time,
  etag: text,
  lastModified: text,
  importedAt: time,
  lastRun: orNull(feedRun),
  forced: later(flag, false),
  operationIds: later(list(text), []),
});
