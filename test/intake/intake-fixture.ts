import { createLearnProducts, type LearnProducts } from "../../src/catalog/learn-products.js";
import type { EventContact, EventOrder, EventProduct } from "../../src/domain/event.js";
import { NO_MONEY } from "../../src/domain/money.js";
import { LINK_LIMITS } from "../../src/identity/links/link-limits.js";
import { createApplySubscription } from "../../src/identity/subscription-effect.js";
import { createGetStatus } from "../../src/identity/subscription-status.js";
import { createIdentify } from "../../src/identity/visitors.js";
import { keepHistory } from "../../src/intake/history.js";
import type { SentEvent } from "../../src/intake/normalise.js";
import { keepOrderBook } from "../../src/intake/order-book.js";
import { createRecordEvent, createTakeEvent, type Recorded } from "../../src/intake/record-event.js";
import { createRejectedEvents } from "../../src/intake/rejected-events.js";
import { createReplayRejectedEvent } from "../../src/intake/replay-rejected-event.js";
import { createSenderLimit } from "../../src/intake/sender-limit.js";
import { unexpectedFailure } from "../fixtures/failures.js";
import { countingMetrics } from "../fixtures/metrics.js";
import { emptyStore, testApp, testClock, testIds, testSecrets } from "../fixtures/store.js";

export const NO_VISITOR = { clientId: "", fingerprintId: "", userId: "" };

export const NO_CONTACT: EventContact = {
  email: "",
  phone: "",
  firstName: "",
  lastName: "",
  country: "",
  city: "",
  gender: "",
  birthDate: "",
  tags: [],
  emailSubscribed: null,
  smsSubscribed: null,
};

export function product(productId: string, more: Partial<EventProduct> = {}): EventProduct {
  return {
    productId,
    sku: "",
    variantId: "",
    title: "",
    imageUrl: "",
    url: "",
    quantity: 1,
    available: null,
    categories: [],
    brandId: "",
    brandName: "",
    price: NO_MONEY,
    ...more,
  };
}

export function order(orderId: string, more: Partial<EventOrder> = {}): EventOrder {
  return { orderId, status: "", payment: NO_MONEY, basePayment: NO_MONEY, coupon: "", ...more };
}

export function draft(actionType: string, more: Partial<SentEvent> = {}): SentEvent {
  return {
    actionType,
    sender: "browser",
    bot: false,
    eventId: "",
    receivedAt: 0,
    occurredAt: 0,
    notes: [],
    visitor: NO_VISITOR,
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
    ...more,
  };
}

/** Intake as the app wires it, over an empty embedded store with the apps `shop` and `other`. */
export async function intake(learnProducts: LearnProducts = "auto", limits = LINK_LIMITS) {
  const now = testClock();
  const store = await emptyStore(now);
  await store.apps.create(testApp("shop"));
  await store.apps.create(testApp("other"));
  const metrics = countingMetrics();
  const take = createTakeEvent({
    identify: createIdentify({ limits, newSecret: testSecrets() }),
    effects: [
      createApplySubscription({ newSalt: testSecrets(), newId: testIds() }),
      createLearnProducts(learnProducts),
      keepHistory,
      keepOrderBook,
    ],
  });
  const newEventId = testIds();
  const rejecting = createRejectedEvents({
    ...store,
    now,
    monotonicNow: now,
    metrics,
    reportFailure: unexpectedFailure,
  });
  const recordEvent = createRecordEvent({
    apps: store.apps,
    unitOfWork: store.unitOfWork,
    take,
    rejectedEvents: rejecting,
    senderLimit: createSenderLimit(now),
    now,
    newEventId,
    metrics,
  });
  const getStatus = createGetStatus(store);
  return {
    now,
    store,
    metrics,
    record: (event: SentEvent, key = "", appId = "shop"): Promise<Recorded> => recordEvent(appId, event, key, true),
    rejecting,
    replay: createReplayRejectedEvent({ unitOfWork: store.unitOfWork, take, now, newEventId, metrics }),
    statusOf: (fingerprintId: string, appId = "shop") => getStatus(appId, { ...NO_VISITOR, fingerprintId }),
    /** The newest interactions of whoever has this key, as `type product,product`. */
    async historyOf(key: string): Promise<string[]> {
      const visitors = await store.visitors.find("shop", [key]);
      const ids = visitors.flatMap(({ members, contactId }) => (contactId === "" ? members : [...members, contactId]));
      const found = await store.interactions.recent("shop", ids, 100);
      return found.map(({ type, productIds }) => `${type} ${productIds.join(",")}`);
    },
  };
}
