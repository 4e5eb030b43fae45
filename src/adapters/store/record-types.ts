import type { App } from "../../domain/app.js";
import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Erasure } from "../../domain/erasure.js";
import type { Event, IdempotencyRecord } from "../../domain/event.js";
import type { Feed } from "../../domain/feed.js";
import type { FrameConfiguration, FrameVersion } from "../../domain/frame.js";
import type { FrameExposure, FrameTally } from "../../domain/frame-tally.js";
import type { LedgerHead } from "../../domain/ledger.js";
import type { Confirmation, HookEntry, MailingSecrets } from "../../domain/mailing.js";
import type { ModelPointer } from "../../domain/model.js";
import type { NetworkLinks } from "../../domain/network-links.js";
import type { Order } from "../../domain/order.js";
import type { Product } from "../../domain/product.js";
import type { RejectedEvent, RejectedLog } from "../../domain/rejected-event.js";
import type { Visitor } from "../../domain/visitor.js";
import type { CopyMark } from "../../ports/copies.js";

/**
 * The kinds of record that every store keeps, by the name of their table; what a table leads to is in its key, see
 * `keys.ts`. Each store adds those that it keeps in a form of its own, and indexes.
 */
export interface RecordTypes {
  readonly apps: App;
  readonly frames: FrameConfiguration;
  /** By frame and number; the newest also under `last`. */
  readonly frameVersions: FrameVersion;
  readonly frameTallies: FrameTally;
  /** By visitor key. */
  readonly frameExposures: FrameExposure;
  readonly events: Event;
  readonly idempotency: IdempotencyRecord;
  readonly rejectedEvents: RejectedEvent;
  readonly rejectedLogs: RejectedLog;
  readonly visitors: Visitor;
  /** Visitor ids by visitor key. */
  readonly visitorKeys: string;
  readonly contacts: Contact;
  /** Contact ids by contact key. */
  readonly contactKeys: string;
  readonly changes: SubscriptionChange;
  readonly ledgerHeads: LedgerHead;
  readonly networkLinks: NetworkLinks;
  readonly mailingSecrets: MailingSecrets;
  readonly confirmations: Confirmation;
  /** Messages to hooks that wait, by the time they are due. */
  readonly outbox: HookEntry;
  /** Messages that were given up. */
  readonly deadHooks: HookEntry;
  /** Where products are read from by schedule. */
  readonly feeds: Feed;
  readonly products: Product;
  /** Product ids by SKU. */
  readonly productSkus: string;
  readonly orders: Order;
  readonly erasures: Erasure;
  readonly pointers: ModelPointer;
  /** A number that is another one after each `markChanged` of the app. */
  readonly activity: number;
  /** Apps whose removal has begun and is not finished. */
  readonly removals: number;
  /** How far the copying of an app from another store has come. */
  readonly copies: CopyMark;
}
