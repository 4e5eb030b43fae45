import type { App } from "../domain/app.js";
import type { Contact, SubscriptionChange } from "../domain/contact.js";
import type { Erasure } from "../domain/erasure.js";
import type { Event, IdempotencyRecord } from "../domain/event.js";
import type { Feed } from "../domain/feed.js";
import type { FrameExposure, FrameTally } from "../domain/frame-tally.js";
import type { Interaction } from "../domain/interaction.js";
import type { LedgerHead } from "../domain/ledger.js";
import type { Confirmation, HookEntry, MailingSecrets } from "../domain/mailing.js";
import type { NetworkLinks } from "../domain/network-links.js";
import type { Order } from "../domain/order.js";
import type { Product } from "../domain/product.js";
import type { RejectedEvent } from "../domain/rejected-event.js";
import type { Visitor } from "../domain/visitor.js";

/** What the store itself keeps up to date in one app, by key. Reads see the writes of the same transaction. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** Records of one kind in one app, by key. Reads see the writes of the same transaction. */
export interface Records<T> extends Lookup<T> {
  put(key: string, value: T): void;
  delete(key: string): void;
}

/** The log of an app's rejected events, of which the oldest leave. */
export interface RejectedEvents extends Lookup<RejectedEvent> {
  /** Answers the id it got. Those beyond `REJECTED_LOG_LIMITS` leave. */
  add(event: Omit<RejectedEvent, "rejectedId">): string;
  /** Replaces the one of this id; does nothing when it has left. */
  replace(event: RejectedEvent): void;
  /** Takes one out of the log, of any age; does nothing when it has left. */
  remove(rejectedId: string): void;
}

/** One app's records inside a transaction. */
export interface Transaction {
  readonly appId: string;
  /** The app itself; undefined when there is none. Only read. */
  app(): App | undefined;
  /** By idempotency key. A record older than 24 h counts as absent for its reader; `delete` removes it all the same. */
  readonly idempotency: Records<IdempotencyRecord>;
  /** By event id. */
  readonly events: Records<Event>;
  /** By id. */
  readonly rejectedEvents: RejectedEvents;
  /** By visitor id. */
  readonly visitors: Records<Visitor>;
  /** Visitor id by visitor key. */
  readonly visitorKeys: Records<string>;
  /** By contact id. */
  readonly contacts: Records<Contact>;
  /** Contact id by `e:<email key>` or `p:<phone key>`. */
  readonly contactKeys: Records<string>;
  /**
   * The ledger, by change id; written by `subscription/ledger.ts` alone. Append-only: `delete` is never called, and a
   * `put` over an entry takes out of it what is personal.
   */
  readonly changes: Records<SubscriptionChange>;
  /** Where the ledger's chain stands, under `LEDGER_HEAD`. */
  readonly ledgerHead: Records<LedgerHead>;
  /** What was linked from which networks today, by slot; see `subscription/link-limits.ts`. */
  readonly networkLinks: Records<NetworkLinks>;
  /** What the app signs with, under `MAILING_SECRETS`. */
  readonly mailingSecrets: Records<MailingSecrets>;
  /** Subscriptions that wait for a word, by `confirmationKey`. */
  readonly confirmations: Records<Confirmation>;
  /** Messages to the app's hook that wait, by `outboxKey`. */
  readonly outbox: Records<HookEntry>;
  /** Messages that were given up, by their id. */
  readonly deadHooks: Records<HookEntry>;
  /** By feed id. */
  readonly feeds: Records<Feed>;
  /** By product id. `put` and `delete` keep `productSkus` up to date. */
  readonly products: Records<Product>;
  /** Product id by SKU; of several products with one SKU, the one written last. A product with SKU "" is in it by none. */
  readonly productSkus: Lookup<string>;
  /** By order id. */
  readonly orders: Records<Order>;
  /** By `tallyKey`. */
  readonly frameTallies: Records<FrameTally>;
  /** By visitor key. */
  readonly frameExposures: Records<FrameExposure>;
  /** By erasure id. */
  readonly erasures: Records<Erasure>;
  /** Adds a row to a visitor's history, or replaces the one with the same time and ref. */
  putInteraction(visitorId: string, interaction: Interaction): void;
  deleteInteraction(visitorId: string, at: number, ref: string): void;
  /** Says that what training reads has changed (products or interactions). */
  markChanged(): void;
}

/**
 * Runs pieces of work, each in a transaction of one app: all of its writes are made or none.
 *
 * `work` is synchronous and a pure function of what it reads and of its arguments: a store may run it more than once
 * and keep only the last run (a store without transactions loads what was missing and starts over). A thrown error
 * makes nothing, and is what `run` rejects with. `run` resolves when the writes are durable; what it wrote is then
 * seen by every read, the product watchers included. Works of one app run in the order of the calls.
 * Rejects with Unavailable when the store cannot take writes: too much waits already, a write failed or takes too
 * long, the disk is nearly full.
 */
export interface UnitOfWork {
  run<T>(appId: string, work: (tx: Transaction) => T): Promise<T>;
  /**
   * Runs works as `run` would each of them, in order, for less than as many calls of it; resolves, when all that were
   * done are durable, with what came of each. They are not refused because too much waits, but wait until the store
   * gets to them, while works of `run` are taken before them: a bulk call is slowed and nobody else is. Its caller
   * waits before it brings more.
   */
  runEach<T>(appId: string, works: readonly ((tx: Transaction) => T)[]): Promise<PromiseSettledResult<T>[]>;
}
