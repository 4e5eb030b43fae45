import type { App } from "../domain/app.js";
import type { Contact, SubscriptionChange } from "../domain/contact.js";
import { NotFound } from "../domain/errors.js";
import type { Event } from "../domain/event.js";
import type { Interaction } from "../domain/interaction.js";
import type { LedgerHead } from "../domain/ledger.js";
import type { Order } from "../domain/order.js";
import { NO_PRODUCTS, type Product, type ProductCounts } from "../domain/product.js";
import type { Visitor } from "../domain/visitor.js";
import { removeFrame, writeFrame } from "./frame-versions.js";
import { IdempotencyRecords, type KeyClock } from "./idempotency-records.js";
import { appKey, type Key, keyBehind, keyOf } from "./keys.js";
import type { Claims, Frames, Lookup, Records, RejectedEvents, Transaction } from "./ports/unit-of-work.js";
import { RejectedEventRecords } from "./rejected-event-records.js";
import type { RecordTypes } from "./schema/schema.js";

export { IdempotencyRecords };

/** A table as a unit of work sees it, including the staged writes of the same commit. */
export interface StagedTable<T> {
  get(key: Key): T | undefined;
  put(key: Key, value: T): void;
  delete(key: Key): void;
}

/** The tables a transaction works with. */
export type TransactionTables = {
  readonly [K in Exclude<keyof RecordTypes, "pointers" | "activity" | "removals" | "copies">]: StagedTable<
    RecordTypes[K]
  >;
};

/**
 * One app's view of the staged tables while a work runs; several works may use it in turn. Each store extends it with its
 * own history rows and indexes.
 */
export abstract class AppTransaction<Tables extends TransactionTables> implements Transaction {
  /** Common prefix of the keys of all the app's records. */
  protected readonly prefix: Key;
  /** Of the records that the app has one of. */
  private readonly ownKey: Key;
  private running = true;
  private known: Partial<AppRecordsByTable> = {};

  constructor(
    readonly appId: string,
    private readonly staged: Tables,
    protected readonly clock: KeyClock,
  ) {
    this.prefix = keyOf(appId, "");
    this.ownKey = appKey(appId);
  }

  /** The tables, while the work runs. */
  protected get tables(): Tables {
    this.mustRun();
    return this.staged;
  }

  /** Throws when no work runs: a transaction used after its work would write into another one. */
  protected mustRun(): void {
    if (!this.running) throw new Error("A transaction ends with the work it was given to");
  }

  /** Another work starts to use it. */
  begin(): void {
    this.running = true;
  }

  end(): void {
    this.running = false;
  }

  app(): App | undefined {
    return this.tables.apps.get(this.ownKey);
  }

  putApp(app: App): void {
    if (this.app() === undefined) throw new NotFound("app");
    this.tables.apps.put(this.ownKey, app);
  }

  get frames(): Frames {
    const { appId, tables } = this;
    return {
      get: (frameId) => tables.frames.get(keyOf(appId, frameId)),
      write: (frame) => writeFrame(tables, appId, frame),
      delete: (frameId, at) => removeFrame(tables, appId, frameId, at),
    };
  }

  get idempotency(): Claims {
    this.mustRun();
    this.known.idempotency ??= this.idempotencyRecords();
    return this.known.idempotency;
  }
  get events(): Records<Event> {
    this.mustRun();
    this.known.events ??= this.recordsOf(this.staged.events);
    return this.known.events;
  }
  get rejectedEvents(): RejectedEvents {
    return new RejectedEventRecords(this.appId, this.tables.rejectedEvents, this.tables.rejectedLogs);
  }
  get visitors(): Records<Visitor> {
    this.mustRun();
    this.known.visitors ??= this.recordsOf(this.staged.visitors);
    return this.known.visitors;
  }
  get visitorKeys(): Records<string> {
    this.mustRun();
    this.known.visitorKeys ??= this.recordsOf(this.staged.visitorKeys);
    return this.known.visitorKeys;
  }
  get contacts(): Records<Contact> {
    this.mustRun();
    this.known.contacts ??= this.recordsOf(this.staged.contacts);
    return this.known.contacts;
  }
  get contactKeys(): Records<string> {
    this.mustRun();
    this.known.contactKeys ??= this.recordsOf(this.staged.contactKeys);
    return this.known.contactKeys;
  }
  get changes(): Records<SubscriptionChange> {
    this.mustRun();
    this.known.changes ??= this.changeRecords();
    return this.known.changes;
  }
  get ledgerHead(): Records<LedgerHead> {
    return this.recordsOf(this.tables.ledgerHeads);
  }
  get networkLinks() {
    return this.recordsOf(this.tables.networkLinks);
  }
  get mailingSecrets() {
    return this.recordsOf(this.tables.mailingSecrets);
  }
  get confirmations() {
    return this.recordsOf(this.tables.confirmations);
  }
  get outbox() {
    return this.recordsOf(this.tables.outbox);
  }
  get deadHooks() {
    return this.recordsOf(this.tables.deadHooks);
  }
  get suppressions() {
    return this.recordsOf(this.tables.suppressions);
  }
  get feeds() {
    return this.recordsOf(this.tables.feeds);
  }
  get products(): Records<Product> {
    this.mustRun();
    this.known.products ??= new ProductRecords(this.appId, this.staged);
    return this.known.products;
  }
  get productSkus(): Lookup<string> {
    return this.recordsOf(this.tables.productSkus);
  }
  get productCounts(): ProductCounts {
    return this.tables.productCounts.get(this.ownKey) ?? NO_PRODUCTS;
  }
  get unconfirmedProducts() {
    return this.recordsOf(this.tables.unconfirmedProducts);
  }
  get orders(): Records<Order> {
    this.mustRun();
    this.known.orders ??= this.recordsOf(this.staged.orders);
    return this.known.orders;
  }
  get frameTallies() {
    return this.recordsOf(this.tables.frameTallies);
  }
  get frameExposures() {
    return this.recordsOf(this.tables.frameExposures);
  }
  get dueResults(): Records<string> {
    this.mustRun();
    this.known.dueResults ??= this.recordsOf(this.staged.dueResults);
    return this.known.dueResults;
  }
  get operations() {
    return this.recordsOf(this.tables.operations);
  }
  get erasures() {
    return this.recordsOf(this.tables.erasures);
  }

  private recordsOf<T>(table: StagedTable<T>): Records<T> {
    return new AppRecords(this.prefix, table);
  }

  abstract eventId(proposed: string): string;
  abstract putInteraction(visitorId: string, interaction: Interaction): void;
  abstract deleteInteraction(visitorId: string, at: number, ref: string): void;
  abstract markChanged(): void;

  protected idempotencyRecords(): Claims {
    return new IdempotencyRecords(this.prefix, this.staged.idempotency, this.clock);
  }

  protected changeRecords(): Records<SubscriptionChange> {
    return this.recordsOf(this.staged.changes);
  }
}

/** The records of one app in a table. */
export class AppRecords<T> implements Records<T> {
  constructor(
    /** Common prefix of the keys of all the app's records. */
    protected readonly prefix: Key,
    protected readonly table: StagedTable<T>,
  ) {}

  get(key: string): T | undefined {
    return this.table.get(keyBehind(this.prefix, key));
  }

  put(key: string, value: T): void {
    this.table.put(keyBehind(this.prefix, key), value);
  }

  delete(key: string): void {
    this.table.delete(keyBehind(this.prefix, key));
  }
}

/** Cached `Records` objects of a transaction: works ask for the same ones again and again. */
interface AppRecordsByTable {
  idempotency: Claims;
  events: Records<Event>;
  visitors: Records<Visitor>;
  visitorKeys: Records<string>;
  contacts: Records<Contact>;
  contactKeys: Records<string>;
  changes: Records<SubscriptionChange>;
  products: Records<Product>;
  orders: Records<Order>;
  dueResults: Records<string>;
}

/** Keeps the SKU index and counts products. */
class ProductRecords extends AppRecords<Product> {
  private readonly skus: StagedTable<string>;
  private readonly counts: StagedTable<ProductCounts>;
  private readonly countsKey: Key;

  constructor(
    appId: string,
    { products, productSkus, productCounts }: Pick<TransactionTables, "products" | "productSkus" | "productCounts">,
  ) {
    super(keyOf(appId, ""), products);
    this.skus = productSkus;
    this.counts = productCounts;
    this.countsKey = appKey(appId);
  }

  override put(key: string, value: Product): void {
    const before = this.get(key);
    if (before !== undefined && before.sku !== value.sku) this.unindex(before.sku, key);
    super.put(key, value);
    if (before?.origin !== value.origin) this.count(before, value);
    this.index(key, value);
  }

  override delete(key: string): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.unindex(before.sku, key);
    super.delete(key);
    this.count(before, undefined);
  }

  /** A learned product takes only a free SKU. A product from a feed or RPC takes it from any other. */
  private index(productId: string, { sku, origin }: Product): void {
    if (sku === "") return;
    const skuKey = keyBehind(this.prefix, sku);
    const ownerId = this.skus.get(skuKey);
    if (ownerId === productId) return;
    const owner = ownerId === undefined ? undefined : this.get(ownerId);
    if (owner !== undefined && origin === "event") return;
    this.skus.put(skuKey, productId);
    if (owner?.origin === "event") super.put(owner.productId, { ...owner, sku: "" });
  }

  /** Does nothing when another product owns the SKU. */
  private unindex(sku: string, productId: string): void {
    if (sku === "") return;
    const skuKey = keyBehind(this.prefix, sku);
    if (this.skus.get(skuKey) === productId) this.skus.delete(skuKey);
  }

  private count(before: Product | undefined, after: Product | undefined): void {
    const { fed, learned } = this.counts.get(this.countsKey) ?? NO_PRODUCTS;
    const step = (origin: Product["origin"]) => Number(after?.origin === origin) - Number(before?.origin === origin);
    this.counts.put(this.countsKey, { fed: fed + step("catalog"), learned: learned + step("event") });
  }
}
