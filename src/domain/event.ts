import type { VisitorIds } from "./ids.js";
import type { Money } from "./money.js";
import type { Category } from "./product.js";

export const KNOWN_ACTIONS = [
  "other",
  "homepage_view",
  "category_view",
  "product_view",
  "add_to_cart",
  "order",
  "order_cancel",
  "subscribe",
  "search_query",
] as const;

export type Sender = "browser" | "server";

export interface EventContact {
  readonly email: string;
  readonly phone: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly country: string;
  readonly city: string;
  readonly gender: string;
  readonly birthDate: string;
  readonly tags: readonly string[];
  readonly emailSubscribed: boolean | null;
  readonly smsSubscribed: boolean | null;
}

export interface EventProduct {
  /** Never "": an element without an id uses its SKU. */
  readonly productId: string;
  readonly sku: string;
  readonly variantId: string;
  readonly title: string;
  readonly imageUrl: string;
  readonly url: string;
  readonly quantity: number;
  readonly available: boolean | null;
  readonly categories: readonly Category[];
  readonly brandId: string;
  readonly brandName: string;
  readonly price: Money;
}

export interface EventOrder {
  readonly orderId: string;
  readonly status: string;
  readonly payment: Money;
  readonly basePayment: Money;
  readonly coupon: string;
}

/** An event as intake understood it. Its effects follow from this record alone. */
export interface Event {
  /** UUIDv7. */
  readonly eventId: string;
  /** A known action in lower case, or the text as sent. */
  readonly actionType: string;
  readonly sender: Sender;
  /** A crawler did it: stored and answered like any event, and ignored by training. */
  readonly bot: boolean;
  readonly occurredAt: number;
  readonly receivedAt: number;
  readonly visitor: VisitorIds;
  readonly contact: EventContact | null;
  readonly products: readonly EventProduct[];
  readonly categories: readonly Category[];
  readonly order: EventOrder | null;
  readonly searchQuery: string;
  readonly platform: string;
  readonly platformVersion: string;
  readonly senderVersion: string;
  readonly extraFields: Readonly<Record<string, string>>;
  /** Ids of the recommendations that led to it. */
  readonly recommendationIds: readonly string[];
  /** The shop itself sent it, and its ids are the shop's word. Records of earlier versions do not say. */
  readonly isShops: boolean | "unknown";
  /** Notes on parts of the event without effect, with reasons. */
  readonly notes: readonly string[];
}

/** Lifetime of an idempotency key in milliseconds. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/**
 * Claims an idempotency key of an event, or a `request_id`: what came of it, and a hash of what was sent. A `request_id` has
 * no event but an answer.
 */
export interface IdempotencyRecord {
  readonly eventId: string;
  readonly bodyHash: string;
  readonly claimedAt: number;
  /** `Clock.livedNow` at that moment; 0 in records from before it was kept. */
  readonly livedAt: number;
  /** The encrypted answer to a request with a `request_id`; "" for an event. It holds no personal data. */
  readonly answer: string;
}

/** Called with the stored events that it wants. */
export interface StoredEventListener {
  /** Called before an event is stored. */
  before?(appId: string, event: Event): Promise<void>;
  wants(appId: string, event: Event): boolean;
  took(appId: string, event: Event): void;
}
