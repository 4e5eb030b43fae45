import type { App } from "../../domain/app.js";
import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Erasure } from "../../domain/erasure.js";
import type { Event, IdempotencyRecord } from "../../domain/event.js";
import type { Feed } from "../../domain/feed.js";
import type { FrameConfiguration, FrameToWrite } from "../../domain/frame.js";
import type { FrameExposure } from "../../domain/frame-exposure.js";
import type { FrameTally } from "../../domain/frame-tally.js";
import type { Confirmation, HookEntry, MailingSecrets } from "../../domain/hook.js";
import type { Interaction } from "../../domain/interaction.js";
import type { LedgerHead } from "../../domain/ledger.js";
import type { NetworkLinks } from "../../domain/network-links.js";
import type { Operation } from "../../domain/operation.js";
import type { Order } from "../../domain/order.js";
import type { Product, ProductCounts } from "../../domain/product.js";
import type { RejectedEvent } from "../../domain/rejected-event.js";
import type { Suppression } from "../../domain/suppression.js";
import type { UnconfirmedSlot } from "../../domain/unconfirmed-product.js";
import type { Visitor } from "../../domain/visitor.js";

/** Read access to one app's records by key. Reads see the writes of the same transaction. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** One app's records of one kind, by key. Reads see the writes of the same transaction. */
export interface Records<T> extends Lookup<T> {
  put(key: string, value: T): void;
  delete(key: string): void;
}

/** A claim of an idempotency key or a `request_id`. The store adds `livedAt`. */
export type Claim = Omit<IdempotencyRecord, "livedAt" | "answer"> & Partial<Pick<IdempotencyRecord, "answer">>;

/** An app's idempotency keys and `request_id`s, or those of `INSTALLATION`. */
export interface Claims extends Lookup<IdempotencyRecord> {
  put(key: string, claim: Claim): void;
  delete(key: string): void;
}

/** The log of an app's rejected events. */
export interface RejectedEvents extends Lookup<RejectedEvent> {
  /** Returns the new event's id. Evicts the oldest events beyond `REJECTED_LOG_LIMITS`. */
  add(event: Omit<RejectedEvent, "rejectedId">): string;
  /** Replaces the event with this id; does nothing when it was evicted. */
  replace(event: RejectedEvent): void;
  /** Removes an event of any age; does nothing when it was evicted. */
  remove(rejectedId: string): void;
}

/** An app's frames. Each write adds a version. The newest `KEPT_VERSIONS` are kept, even after the frame is deleted. */
export interface Frames extends Lookup<FrameConfiguration> {
  /** Writes the next version of a frame and returns it. */
  write(frame: FrameToWrite): FrameConfiguration;
  /** Adds a version that marks the frame as deleted at `at`. Returns false when there is no such frame. */
  delete(frameId: string, at: number): boolean;
}

/** One app's records inside a transaction. */
export interface Transaction {
  readonly appId: string;
  /**
   * The app itself; undefined when it does not exist. Work that writes must check this. Records of a deleted app would
   * stay for ever, and the next app with that id would own them.
   */
  app(): App | undefined;
  /** Replaces the app. Throws NotFound("app") when it does not exist: only `AppStore.create` creates apps. */
  putApp(app: App): void;
  /** By frame id. */
  readonly frames: Frames;
  /** By idempotency key. A record older than 24 h reads as absent, but `delete` still removes it. */
  readonly idempotency: Claims;
  /** By event id. */
  readonly events: Records<Event>;
  /** The id for a new event: `proposed`, or a later one if the store orders events by their ids. */
  eventId(proposed: string): string;
  /** By id. */
  readonly rejectedEvents: RejectedEvents;
  /** By visitor id. */
  readonly visitors: Records<Visitor>;
  /** Visitor id by visitor key. */
  readonly visitorKeys: Records<string>;
  /** By contact id. */
  readonly contacts: Records<Contact>;
  /** Contact id by `e:<email key>`, `p:<phone key>`, or `i:<id>` of a former contact. */
  readonly contactKeys: Records<string>;
  /**
   * The ledger, by change id; only `identity/ledger/ledger.ts` writes it. Append-only: nobody calls `delete`, and a `put`
   * over an existing entry only removes personal data from it.
   */
  readonly changes: Records<SubscriptionChange>;
  /** The head of the ledger's hash chain, under `LEDGER_HEAD`. */
  readonly ledgerHead: Records<LedgerHead>;
  /** Today's links per network, by slot; see `identity/links/link-limits.ts`. */
  readonly networkLinks: Records<NetworkLinks>;
  /** The app's signing secrets, under `MAILING_SECRETS`. */
  readonly mailingSecrets: Records<MailingSecrets>;
  /** Subscriptions that wait for confirmation, by `confirmationKey`. */
  readonly confirmations: Records<Confirmation>;
  /** Messages that wait for delivery to the app's hook, by `outboxKey`. */
  readonly outbox: Records<HookEntry>;
  /** Undeliverable messages, by id. */
  readonly deadHooks: Records<HookEntry>;
  /** Suppressed addresses, by their keyed hash; see `identity/suppressions.ts`. */
  readonly suppressions: Records<Suppression>;
  /** By feed id. */
  readonly feeds: Records<Feed>;
  /** By product id. `put` and `delete` keep `productSkus` and `productCounts` up to date. */
  readonly products: Records<Product>;
  /**
   * Product id by SKU. A learned product gets a SKU only when it is free, and loses it to a product from a feed or RPC.
   * Among those, the last write wins.
   */
  readonly productSkus: Lookup<string>;
  /** Number of products; maintained by `products`. */
  readonly productCounts: ProductCounts;
  /** Learned products that too few visitors have sent, by slot; see `catalog/unconfirmed-products.ts`. */
  readonly unconfirmedProducts: Records<UnconfirmedSlot>;
  /** By order id. */
  readonly orders: Records<Order>;
  /** By `tallyKey`. */
  readonly frameTallies: Records<FrameTally>;
  /** By visitor key. */
  readonly frameExposures: Records<FrameExposure>;
  /** Event ids and visitor keys that the tallies do not hold yet. The values say nothing. */
  readonly dueResults: Records<string>;
  /** By erasure id. */
  readonly erasures: Records<Erasure>;
  /** By operation id. */
  readonly operations: Records<Operation>;
  /** Adds a row to a visitor's history, or replaces the one with the same time and ref. */
  putInteraction(visitorId: string, interaction: Interaction): void;
  deleteInteraction(visitorId: string, at: number, ref: string): void;
  /** Records that training data (products or interactions) has changed. */
  markChanged(): void;
}

/** Runs one work that results in a T, as `UnitOfWork.run` does. */
export type Change<T> = (appId: string, work: (tx: Transaction) => T) => Promise<T>;

/**
 * Runs units of work, each in a transaction of one app: all of its writes are made, or none.
 *
 * `work` must be synchronous and pure: its result depends only on its arguments and on the records it reads. A store may
 * run it more than once and keep only the last run; a store without transactions loads missing records and starts over.
 * Works of one app run in the order of the calls.
 *
 * `run` resolves when the writes are durable. Every read then sees them, and product watchers have got them. When `work`
 * throws, nothing is written and `run` rejects with that error. When a write cannot be stored, only its own work fails:
 * with InvalidArgument when a key or the records are too long, otherwise with the encoder's error. `run` rejects with
 * Unavailable when the store takes no writes: too many wait, one failed or takes too long, or the disk is nearly full.
 */
export interface UnitOfWork {
  run<T>(appId: string, work: (tx: Transaction) => T): Promise<T>;
  /**
   * Runs each work in order, as `run` would, more cheaply than separate calls. Resolves with each work's outcome once all
   * writes are durable. Under load these works wait instead of being rejected, and works of `run` go first: a bulk call
   * slows down only itself. Callers must wait for the result before they send more.
   */
  runEach<T>(appId: string, works: readonly ((tx: Transaction) => T)[]): Promise<PromiseSettledResult<T>[]>;
}
