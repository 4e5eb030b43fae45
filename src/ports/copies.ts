import type { App } from "../domain/app.js";
import type { Contact, SubscriptionChange } from "../domain/contact.js";
import type { Erasure } from "../domain/erasure.js";
import type { Event, IdempotencyRecord } from "../domain/event.js";
import type { Feed } from "../domain/feed.js";
import type { FrameConfiguration, FrameVersion } from "../domain/frame.js";
import type { FrameExposure, FrameTally } from "../domain/frame-tally.js";
import type { Interaction } from "../domain/interaction.js";
import type { LedgerHead } from "../domain/ledger.js";
import type { Confirmation, HookEntry, MailingSecrets } from "../domain/mailing.js";
import type { Order } from "../domain/order.js";
import type { Product } from "../domain/product.js";
import type { RejectedEvent, RejectedLog } from "../domain/rejected-event.js";
import type { Visitor } from "../domain/visitor.js";

/** What an app consists of beside the app itself and its models, by table. */
export interface CopiedRecords {
  readonly frames: FrameConfiguration;
  readonly frameVersions: FrameVersion;
  readonly frameTallies: FrameTally;
  readonly frameExposures: FrameExposure;
  readonly contacts: Contact;
  /** Contact id by key of a contact. */
  readonly contactKeys: string;
  readonly visitors: Visitor;
  /** Visitor id by key of a visitor. */
  readonly visitorKeys: string;
  /** A feed under way is begun again where it is copied to. */
  readonly feeds: Feed;
  readonly products: Product;
  /** Product id by SKU. */
  readonly productSkus: string;
  readonly events: Event;
  readonly orders: Order;
  readonly interactions: Interaction;
  readonly changes: SubscriptionChange;
  /** One row, of the key `app`. */
  readonly ledgerHeads: LedgerHead;
  /** One row, of the key `app`. */
  readonly mailingSecrets: MailingSecrets;
  readonly confirmations: Confirmation;
  readonly outbox: HookEntry;
  readonly deadHooks: HookEntry;
  /** Also those past their time, as long as they have not been removed. */
  readonly idempotency: IdempotencyRecord;
  readonly rejectedEvents: RejectedEvent;
  /** One row, of the key `app`. */
  readonly rejectedLogs: RejectedLog;
  /** Those under way are gone on with where they are copied to. */
  readonly erasures: Erasure;
}

export type CopiedTable = keyof CopiedRecords;

/** All of them, in the order in which they are copied. */
export const COPIED_TABLES = [
  "frames",
  "frameVersions",
  "frameTallies",
  "frameExposures",
  "contacts",
  "contactKeys",
  "visitors",
  "visitorKeys",
  "feeds",
  "products",
  "productSkus",
  "events",
  "orders",
  "interactions",
  "changes",
  "ledgerHeads",
  "mailingSecrets",
  "confirmations",
  "outbox",
  "deadHooks",
  "idempotency",
  "rejectedEvents",
  "rejectedLogs",
  "erasures",
] as const satisfies readonly CopiedTable[];

/**
 * A record under its key within the app: an id, or for an interaction the visitor's id, a NUL, and time and ref. It is
 * the same text in every store, and every store orders it by its bytes as UTF-8.
 */
export interface CopiedRow<T> {
  readonly key: string;
  readonly value: T;
}

/** How far the copying of an app into this store has come. */
export interface CopyMark {
  /** Which run copies, or has copied. What an earlier one still writes is refused. */
  readonly run: string;
  /** `storeId` of the store it is copied from. */
  readonly from: string;
  readonly state: "copying" | "done";
  /** Everything up to the key `upTo` of this table is as in the source; "" at the beginning. */
  readonly table: string;
  readonly upTo: string;
}

/** Changes to one table that leave it as in the source up to the key `upTo`. */
export interface CopyBatch<N extends CopiedTable> {
  readonly table: N;
  readonly puts: readonly CopiedRow<CopiedRecords[N]>[];
  readonly removals: readonly string[];
  readonly upTo: string;
}

/** Reads apps as they are kept, and writes them as they are kept in another store. */
export interface Copies {
  /** The name this store got when it was made, and no other one has but its backups. */
  readonly storeId: string;
  /** Up to `limit` rows of keys greater than `after`, in order of keys. */
  scan<N extends CopiedTable>(
    appId: string,
    table: N,
    after: string,
    limit: number,
  ): Promise<CopiedRow<CopiedRecords[N]>[]>;
  mark(appId: string): Promise<CopyMark | undefined>;
  /**
   * Gives the app the mark that `decide` answers for the one before and whether the app is there; when it answers
   * undefined nothing is done. `decide` is pure and may be asked more than once; what it throws is what `begin` rejects
   * with. The removal of an earlier app of this id is finished first.
   */
  begin(
    appId: string,
    decide: (before: CopyMark | undefined, isThere: boolean) => CopyMark | undefined,
  ): Promise<CopyMark | undefined>;
  /** Makes the changes and notes how far they go. Rejects with Conflict("aborted") when `run` copies no more. */
  write<N extends CopiedTable>(appId: string, run: string, batch: CopyBatch<N>): Promise<void>;
  /**
   * Makes the app, or replaces it, and ends the copy: from now on the app is there for all callers. Rejects with
   * Conflict("aborted") when `run` copies no more.
   */
  finish(app: App, run: string): Promise<void>;
}
