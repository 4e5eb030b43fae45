import fc from "fast-check";
import { type App, bareApp } from "../../src/domain/app.js";
import { type Contact, type SubscriptionChange, UNKNOWN } from "../../src/domain/contact.js";
import { type Erasure, NOBODY } from "../../src/domain/erasure.js";
import type { Event } from "../../src/domain/event.js";
import type { Feed } from "../../src/domain/feed.js";
import { DEFAULT_FRAME, type FrameConfiguration, type FrameVariant } from "../../src/domain/frame.js";
import type { FrameExposure } from "../../src/domain/frame-exposure.js";
import { NO_RULES } from "../../src/domain/frame-rules.js";
import { type FrameTally, NO_TALLY } from "../../src/domain/frame-tally.js";
import type { HookEntry } from "../../src/domain/hook.js";
import type { Interaction } from "../../src/domain/interaction.js";
import type { ModelPointer, ModelRecord } from "../../src/domain/model.js";
import { NO_MONEY } from "../../src/domain/money.js";
import type { Operation } from "../../src/domain/operation.js";
import type { Order } from "../../src/domain/order.js";
import type { Product } from "../../src/domain/product.js";
import { NO_FILTER } from "../../src/domain/product-filter.js";
import type { RejectedEvent } from "../../src/domain/rejected-event.js";
import { newVisitor, type Visitor } from "../../src/domain/visitor.js";
import { bareProduct } from "../fixtures/bare-product.js";

const NO_IDS = { clientId: "", fingerprintId: "", userId: "" };

export function app(appId: string, change: Partial<App> = {}): App {
  return { ...bareApp(appId, 1), ...change };
}

export function hookEntry(messageId: string, change: Partial<HookEntry> = {}): HookEntry {
  return {
    messageId,
    kind: "subscription.changed",
    contactId: "k1",
    channel: "email",
    changeId: messageId,
    createdAt: 1,
    attempts: 0,
    nextAt: 1,
    failure: "",
    status: 0,
    body: "",
    ...change,
  };
}

export function frame(frameId: string, change: Partial<FrameConfiguration> = {}): FrameConfiguration {
  return { ...DEFAULT_FRAME, frameId, version: 1, updatedAt: 1, ...change };
}

export function frameTally(): FrameTally {
  const afterClick = [{ currency: "EUR", orders: 1, amount: 12_500_000 }];
  return { ...NO_TALLY, exposures: 4, visitors: 3, clicked: 2, ordered: 1, clicks: 2, afterClick };
}

export function exposure(): FrameExposure {
  const met = {
    frameId: "f1",
    variant: "a",
    firstAt: 1,
    lastAt: 2,
    shown: ["p1", "pä"],
    recommendationIds: ["r1"],
    explored: [{ productId: "p1", probability: 0.25 }],
    experimentAt: 1,
    usedAt: [2],
    seenAt: [1],
  };
  return {
    frames: [met],
    shownLists: [{ frameId: "f1", at: 1, productIds: ["p1", "pä"] }],
    acts: [{ at: 2, receivedAt: 3, isView: true, orderId: "", productIds: ["p1"], recommendationIds: ["r1"] }],
    orders: [{ orderId: "o1", at: 3, receivedAt: 4, currency: "EUR", amount: 12_500_000 }],
    ordersFrom: 0,
    links: ["u:é"],
    counted: [{ key: "f1/1970-01-01/", tally: frameTally() }],
  };
}

/** A variant that is as its frame. */
export function variant(name: string, weight: number, more: Partial<FrameVariant> = {}): FrameVariant {
  return {
    name,
    weight,
    recommendedCount: null,
    alternativeCount: null,
    diversity: null,
    sources: null,
    includeViewed: null,
    includeBought: null,
    rotation: null,
    fallback: null,
    filter: null,
    pinnedProductIds: null,
    rotationRate: null,
    rotationDays: null,
    readyList: null,
    rules: null,
    exploration: null,
    ...more,
  };
}

/** A frame that says something of everything. */
export function fullFrame(frameId: string): FrameConfiguration {
  return frame(frameId, {
    title: "Title",
    pageKind: "cart",
    recommendedCount: 3,
    alternativeCount: 0,
    includeViewed: true,
    includeBought: true,
    rebuyAfterDays: 30,
    diversity: 0.35,
    sources: [
      { source: "cart", weight: 0.5 },
      { source: "popularity", weight: 0 },
    ],
    readyList: { kind: "bestsellers", days: 7 },
    rules: {
      boosts: [
        { factor: 2, condition: "group", name: "brand:acme", value: "", min: null, max: null },
        { factor: 0.5, condition: "age", name: "", value: "", min: 1.5, max: null },
      ],
      relative: ["same_brand", "dearer"],
      sameAttributes: ["line"],
      maxPerBrand: 2,
      maxPerCategory: 0,
    },
    exploration: 0.1,
    rotation: false,
    pinnedProductIds: ["p1", "pä"],
    bannedProductIds: ["p2"],
    inStockOnly: false,
    stockSaid: true,
    filter: {
      anyGroup: ["g1", "g2"],
      allGroups: ["g3"],
      noGroup: ["g4"],
      excludeProductIds: ["p3"],
      price: { min: "1.50", max: "", currency: "EUR" },
      availability: "any",
    },
    fallback: false,
    variants: [
      variant("a", 1),
      {
        name: "b",
        weight: 2.5,
        recommendedCount: 0,
        alternativeCount: 4,
        diversity: 0,
        sources: [],
        includeViewed: false,
        includeBought: true,
        rotation: true,
        fallback: false,
        filter: { ...NO_FILTER, noGroup: ["g5"] },
        pinnedProductIds: [],
        rotationRate: 0.5,
        rotationDays: 2.5,
        readyList: { kind: "", days: 0 },
        rules: NO_RULES,
        exploration: 0.2,
      },
    ],
    updatedAt: 9,
  });
}

export function event(eventId: string, change: Partial<Event> = {}): Event {
  return {
    eventId,
    actionType: "product_view",
    sender: "browser",
    bot: false,
    occurredAt: 1,
    receivedAt: 2,
    visitor: NO_IDS,
    contact: null,
    products: [],
    categories: [],
    order: null,
    searchQuery: "",
    platform: "",
    platformVersion: "",
    senderVersion: "",
    extraFields: {},
    recommendationIds: [],
    isShops: false,
    notes: [],
    ...change,
  };
}

export function rejected(change: Partial<RejectedEvent> = {}): Omit<RejectedEvent, "rejectedId"> {
  const { rejectedId: _, ...rest }: RejectedEvent = {
    rejectedId: "",
    rejectedAt: 3,
    fault: "missing",
    field: "event.products",
    accepted: "",
    idempotencyKey: "",
    event: event("", { occurredAt: 0 }),
    bytes: 1024,
    replayedAs: "",
    ...change,
  };
  return rest;
}

export function visitor(visitorId: string, change: Partial<Visitor> = {}): Visitor {
  return { ...newVisitor(visitorId, 1), ...change };
}

export function contact(contactId: string, change: Partial<Contact> = {}): Contact {
  return {
    contactId,
    email: "",
    phone: "",
    firstName: "",
    lastName: "",
    country: "",
    city: "",
    gender: "",
    birthDate: "",
    tags: [],
    emailSubscription: UNKNOWN,
    smsSubscription: UNKNOWN,
    visitorIds: [],
    former: [],
    createdAt: 1,
    ...change,
  };
}

export function change(changeId: string, contactId: string): SubscriptionChange {
  return {
    changeId,
    contactId,
    channel: "email",
    from: null,
    to: true,
    occurredAt: 1,
    recordedAt: 2,
    source: "event",
    by: "e1",
    eventId: "e1",
    reason: "subscribe",
    evidence: null,
    seal: null,
  };
}

export function product(productId: string, change: Partial<Product> = {}): Product {
  return bareProduct(productId, { title: `Product ${productId}`, updatedAt: 1, ...change });
}

export function order(orderId: string, change: Partial<Order> = {}): Order {
  return {
    orderId,
    visitorId: "",
    visitor: NO_IDS,
    contactId: "",
    lines: [],
    status: "",
    statusAt: 0,
    payment: NO_MONEY,
    paidBy: "",
    paidAt: 0,
    apart: [],
    claimedBy: [],
    occurredAt: 1,
    cancelled: false,
    bot: false,
    vouched: false,
    sentFrom: "",
    receivedAt: 1,
    ...change,
  };
}

export function view(at: number, ref = `e${at}`, productIds: readonly string[] = ["p"]): Interaction {
  return { type: "product_view", at, productIds, ref };
}

export function model(modelId: string, bytes: Uint8Array, change: Partial<ModelRecord> = {}): ModelRecord {
  return {
    modelId,
    createdAt: 1,
    trainingMs: 2,
    sizeBytes: bytes.length,
    manifest: {
      formatNumber: 1,
      cutOff: 3,
      seed: 4,
      dataCounts: { events: 5 },
      algorithms: [{ name: "popularity", included: true, reason: "", facts: { products: 6 } }],
    },
    activity: "7",
    reason: "data_grew",
    ...change,
  };
}

export function pointer(modelId: string, version: string): ModelPointer {
  return { modelId, version, activatedAt: 1, usedVersions: [version], isHeld: false };
}

/** Ids as shops send them: any text of at most 255 bytes without control characters. */
export const anyId = fc
  .oneof(fc.string({ minLength: 1, maxLength: 40, unit: "binary" }), fc.string({ minLength: 1, maxLength: 63 }))
  .map((text) => text.replace(/\p{Cc}/gu, "_"));

const anyText = fc.string({ unit: "binary", maxLength: 30 });
const anyName = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", ""), anyText);
const anyFlag = fc.constantFrom(true, false, null);
const anyTime = fc.integer({ min: -8.64e15, max: 8.64e15 });
const anyMoney = fc.record({ amount: anyText, currency: anyText });
const anyCategories = fc.array(fc.record({ categoryId: anyText, name: anyText }), { maxLength: 3 });
const anyIds = fc.record({ clientId: anyText, fingerprintId: anyText, userId: anyText });
const anyTexts = fc.array(anyText, { maxLength: 3 });
const anyTextMap = fc.array(fc.tuple(anyName, anyText), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

export const anyEvent: fc.Arbitrary<Event> = fc.record({
  eventId: anyId,
  actionType: anyText,
  sender: fc.constantFrom("browser" as const, "server" as const),
  bot: fc.boolean(),
  occurredAt: anyTime,
  receivedAt: anyTime,
  visitor: anyIds,
  contact: fc.option(
    fc.record({
      email: anyText,
      phone: anyText,
      firstName: anyText,
      lastName: anyText,
      country: anyText,
      city: anyText,
      gender: anyText,
      birthDate: anyText,
      tags: anyTexts,
      emailSubscribed: anyFlag,
      smsSubscribed: anyFlag,
    }),
  ),
  products: fc.array(
    fc.record({
      productId: anyText,
      sku: anyText,
      variantId: anyText,
      title: anyText,
      imageUrl: anyText,
      url: anyText,
      quantity: fc.double({ noNaN: true }).map((n) => n + 0), // a store need not tell -0 from 0
      available: anyFlag,
      categories: anyCategories,
      brandId: anyText,
      brandName: anyText,
      price: anyMoney,
    }),
    { maxLength: 3 },
  ),
  categories: anyCategories,
  order: fc.option(
    fc.record({ orderId: anyText, status: anyText, payment: anyMoney, basePayment: anyMoney, coupon: anyText }),
  ),
  searchQuery: anyText,
  platform: anyText,
  platformVersion: anyText,
  senderVersion: anyText,
  extraFields: anyTextMap,
  recommendationIds: anyTexts,
  isShops: fc.constantFrom(true, false, "unknown" as const),
  notes: anyTexts,
});

export const anyProduct: fc.Arbitrary<Product> = fc.record({
  productId: anyId,
  sku: fc.constantFrom("", "s1", "s2", "s3"),
  variantGroupId: anyText,
  title: anyText,
  description: anyText,
  categories: anyCategories,
  brand: anyText,
  price: anyMoney,
  url: anyText,
  imageUrl: anyText,
  available: fc.boolean(),
  hidden: fc.boolean(),
  hiddenByFeed: fc.boolean(),
  validFrom: anyTime,
  validUntil: anyTime,
  tags: anyTexts,
  attributes: anyTextMap,
  cost: anyMoney,
  stock: fc.option(fc.nat()),
  salePrice: anyMoney,
  saleStart: anyTime,
  saleEnd: anyTime,
  origin: fc.constantFrom("catalog" as const, "event" as const),
  addedAt: anyTime,
  updatedAt: anyTime,
});

export function feed(feedId: string, more: Partial<Feed> = {}): Feed {
  return {
    feedId,
    url: "https://shop.example/feed.xml",
    format: "",
    currency: "",
    full: false,
    everyMs: 3_600_000,
    forced: false,
    nextAt: 0,
    claimedBy: "",
    claimedUntil: 0,
    etag: "",
    lastModified: "",
    importedAt: 0,
    lastRun: null,
    operationIds: [],
    ...more,
  };
}

export const anyFeed: fc.Arbitrary<Feed> = fc.record({
  feedId: anyId,
  url: anyText,
  format: anyText,
  currency: anyText,
  full: fc.boolean(),
  everyMs: fc.nat(),
  forced: fc.boolean(),
  nextAt: anyTime,
  claimedBy: anyText,
  claimedUntil: anyTime,
  etag: anyText,
  lastModified: anyText,
  importedAt: anyTime,
  lastRun: fc.option(
    fc.record({
      at: anyTime,
      tookMs: fc.nat(),
      outcome: fc.constantFrom("imported" as const, "unchanged" as const, "failed" as const),
      accepted: fc.nat(),
      rejected: fc.nat(),
      hidden: fc.nat(),
      error: anyText,
      rejects: fc.array(fc.record({ position: fc.nat(), id: anyText, reason: anyText }), { maxLength: 3 }),
    }),
  ),
  operationIds: fc.array(anyId, { maxLength: 2 }),
});

export const anyInteraction: fc.Arbitrary<Interaction> = fc.record(
  {
    type: fc.constantFrom("product_view" as const, "add_to_cart" as const, "order" as const),
    at: fc.oneof(fc.integer({ min: 0, max: 5 }), anyTime),
    productIds: fc.array(anyId, { minLength: 1, maxLength: 3 }),
    ref: fc.oneof(fc.constantFrom("e1", "e2"), anyId),
    bot: fc.constant(true as const),
  },
  { requiredKeys: ["type", "at", "productIds", "ref"] },
);

export function erasure(erasureId: string, change: Partial<Erasure> = {}): Erasure {
  return {
    erasureId,
    startedAt: 1,
    finishedAt: 0,
    workedAt: 2,
    step: "events",
    upTo: "e1",
    person: { ...NOBODY, visitorKeys: ["c:1"], contactKeys: ["e:a@b.de"], orderIds: ["o1"], eventIds: ["e1"] },
    counts: { events: 3 },
    contactsKept: 1,
    isSecond: false,
    ...change,
  };
}

export function operation(operationId: string, change: Partial<Operation> = {}): Operation {
  return {
    operationId,
    kind: "train_model",
    state: "failed",
    createdAt: 1,
    startedAt: 2,
    endedAt: 3,
    workedAt: 3,
    stage: "read",
    share: 0.25,
    isCancelled: false,
    result: "",
    fault: { code: 9, message: "nothing to learn from", reason: "NOT_ENOUGH_DATA" },
    ...change,
  };
}
