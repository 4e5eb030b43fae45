import type { App } from "../../domain/app.js";
import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Erasure } from "../../domain/erasure.js";
import type { Event, IdempotencyRecord } from "../../domain/event.js";
import type { Feed } from "../../domain/feed.js";
import type { FrameConfiguration, FrameVersion } from "../../domain/frame.js";
import type { FrameExposure } from "../../domain/frame-exposure.js";
import type { FrameTally } from "../../domain/frame-tally.js";
import type { Confirmation, HookEntry, MailingSecrets } from "../../domain/hook.js";
import type { Interaction } from "../../domain/interaction.js";
import type { LedgerHead } from "../../domain/ledger.js";
import type { Operation } from "../../domain/operation.js";
import type { Order } from "../../domain/order.js";
import type { Product, ProductCounts } from "../../domain/product.js";
import type { RejectedEvent, RejectedLog } from "../../domain/rejected-event.js";
import type { Suppression } from "../../domain/suppression.js";
import type { Visitor } from "../../domain/visitor.js";

/** The records that belong to an app, by table. The app itself and its models are copied separately. */
export interface CopiedRecords {
  readonly frames: FrameConfiguration;
  readonly frameVersions: FrameVersion;
  readonly frameTallies: FrameTally;
  readonly frameExposures: FrameExposure;
  /** By event id or visitor key. */
  readonly dueResults: string;
  readonly contacts: Contact;
  /** Contact id by contact key. */
  readonly contactKeys: string;
  readonly visitors: Visitor;
  /** Visitor id by visitor key. */
  readonly visitorKeys: string;
  /** The target store restarts a feed that was running. */
  readonly feeds: Feed;
  readonly products: Product;
  /** Product id by SKU. */
  readonly productSkus: string;
  /** One row, with the key `app`. */
  readonly productCounts: ProductCounts;
  readonly events: Event;
  readonly orders: Order;
  readonly interactions: Interaction;
  readonly changes: SubscriptionChange;
  /** One row, with the key `app`. */
  readonly ledgerHeads: LedgerHead;
  /** One row, with the key `app`. */
  readonly mailingSecrets: MailingSecrets;
  readonly confirmations: Confirmation;
  readonly outbox: HookEntry;
  readonly deadHooks: HookEntry;
  /** By the keyed hash of the address; the key is among the mailing secrets. */
  readonly suppressions: Suppression;
  /** Includes expired keys that no sweep has removed yet. */
  readonly idempotency: IdempotencyRecord;
  readonly rejectedEvents: RejectedEvent;
  /** One row, with the key `app`. */
  readonly rejectedLogs: RejectedLog;
  /** The target store continues unfinished erasures. */
  readonly erasures: Erasure;
  /** In the target store, those that were running have lost their process. */
  readonly operations: Operation;
}

export type CopiedTable = keyof CopiedRecords;

/** All copied tables, in copy order. */
export const COPIED_TABLES = [
  "frames",
  "frameVersions",
  "frameTallies",
  "frameExposures",
  "dueResults",
  "contacts",
  "contactKeys",
  "visitors",
  "visitorKeys",
  "feeds",
  "products",
  "productSkus",
  "productCounts",
  "events",
  "orders",
  "interactions",
  "changes",
  "ledgerHeads",
  "mailingSecrets",
  "confirmations",
  "outbox",
  "deadHooks",
  "suppressions",
  "idempotency",
  "rejectedEvents",
  "rejectedLogs",
  "erasures",
  "operations",
] as const satisfies readonly CopiedTable[];

/**
 * A record and its key within the app. The key is an id; for an interaction it is the visitor's id, a NUL, then time and
 * ref. Every store uses the same key text and orders it by its UTF-8 bytes.
 */
export interface CopiedRow<T> {
  readonly key: string;
  readonly value: T;
}

/** Progress of copying an app into this store. */
export interface CopyMark {
  /** The run that copies, or has copied, the app. Writes of an earlier run are refused. */
  readonly run: string;
  /** `storeId` of the source. */
  readonly from: string;
  readonly state: "copying" | "done";
  /** This table equals the source up to the key `upTo`, as do all tables before it; "" at the beginning. */
  readonly table: string;
  readonly upTo: string;
}

/** Changes that make one table equal to the source up to the key `upTo`. */
export interface CopyBatch<N extends CopiedTable> {
  readonly table: N;
  readonly puts: readonly CopiedRow<CopiedRecords[N]>[];
  readonly removals: readonly string[];
  readonly upTo: string;
}

/** Reads and writes an app's stored records as they are, to copy the app from one store to another. */
export interface Copies {
  /** Created with the store and unique to it; its backups have the same id. */
  readonly storeId: string;
  /** Rejects with DataDamaged when the store finds records missing. A store that keeps no counts of its own finds none. */
  check(): Promise<void>;
  /** Up to `limit` rows with keys greater than `after`, in key order. */
  scan<N extends CopiedTable>(
    appId: string,
    table: N,
    after: string,
    limit: number,
  ): Promise<CopiedRow<CopiedRecords[N]>[]>;
  mark(appId: string): Promise<CopyMark | undefined>;
  /**
   * Sets the app's mark to the result of `decide`; undefined leaves the mark as it is. `decide` gets the previous mark and
   * whether the app exists. It must be pure, since it may be called more than once. `begin` rejects with the error that
   * `decide` throws. If an earlier app with this id is still being removed, `begin` finishes that first.
   */
  begin(
    appId: string,
    decide: (before: CopyMark | undefined, isThere: boolean) => CopyMark | undefined,
  ): Promise<CopyMark | undefined>;
  /** Applies the batch and saves the progress. Rejects with Conflict("copy_running") when another run has taken over. */
  write<N extends CopiedTable>(appId: string, run: string, batch: CopyBatch<N>): Promise<void>;
  /**
   * Creates or replaces the app and ends the copy: from now on all callers see the app. Rejects with Conflict("copy_running")
   * when another run has taken over.
   */
  finish(app: App, run: string): Promise<void>;
}
