import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Event, IdempotencyRecord } from "../../domain/event.js";
import type { Interaction } from "../../domain/interaction.js";
import type { LedgerHead } from "../../domain/ledger.js";
import type { Order } from "../../domain/order.js";
import type { Product } from "../../domain/product.js";
import type { Visitor } from "../../domain/visitor.js";
import type { Lookup, Records, RejectedEvents, Transaction } from "../../ports/unit-of-work.js";
import { isExpired } from "./idempotency.js";
import { appKey, type Key, keyBehind, keyOf } from "./keys.js";
import type { RecordTypes } from "./record-types.js";
import { RejectedEventRecords } from "./rejected-events.js";

/** A table as a piece of work sees it: with what was staged before, by it and by the works of the same commit. */
export interface StagedTable<T> {
  get(key: Key): T | undefined;
  put(key: Key, value: T): void;
  delete(key: Key): void;
}

/** The tables a transaction works with. */
export type TransactionTables = {
  readonly [K in Exclude<
    keyof RecordTypes,
    "frames" | "frameVersions" | "pointers" | "activity" | "removals" | "copies"
  >]: StagedTable<RecordTypes[K]>;
};

/**
 * One app's view of the staged tables, for the time of one run of a work, or of several in turns. What a store keeps
 * beside the records (the rows of histories, indexes of its own) it adds by extending this.
 */
export abstract class AppTransaction<Tables extends TransactionTables> implements Transaction {
  /** What the keys of all records of the app begin with. */
  protected readonly prefix: Key;
  private running = true;
  private known: Partial<AppRecordsByTable> = {};

  constructor(
    readonly appId: string,
    private readonly staged: Tables,
    protected readonly now: Now,
  ) {
    this.prefix = keyOf(appId, "");
  }

  /** The tables, while the work runs. */
  protected get tables(): Tables {
    this.mustRun();
    return this.staged;
  }

  /** Throws when no work runs: a transaction kept for later would write into somebody else's. */
  protected mustRun(): void {
    if (!this.running) throw new Error("A transaction ends with the work it was given to");
  }

  /** Another work runs with it. */
  begin(): void {
    this.running = true;
  }

  end(): void {
    this.running = false;
  }

  app(): App | undefined {
    return this.tables.apps.get(appKey(this.appId));
  }

  get idempotency(): Records<IdempotencyRecord> {
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
  get feeds() {
    return this.recordsOf(this.tables.feeds);
  }
  get products(): Records<Product> {
    this.mustRun();
    this.known.products ??= new ProductRecords(this.prefix, this.staged.products, this.staged.productSkus);
    return this.known.products;
  }
  get productSkus(): Lookup<string> {
    return this.recordsOf(this.tables.productSkus);
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
  get erasures() {
    return this.recordsOf(this.tables.erasures);
  }

  private recordsOf<T>(table: StagedTable<T>): Records<T> {
    return new AppRecords(this.prefix, table);
  }

  abstract putInteraction(visitorId: string, interaction: Interaction): void;
  abstract deleteInteraction(visitorId: string, at: number, ref: string): void;
  abstract markChanged(): void;

  protected idempotencyRecords(): Records<IdempotencyRecord> {
    return new IdempotencyRecords(this.prefix, this.staged.idempotency, this.now);
  }

  protected changeRecords(): Records<SubscriptionChange> {
    return this.recordsOf(this.staged.changes);
  }
}

/** The records a transaction has made so far: works ask for the same ones again and again. */
interface AppRecordsByTable {
  idempotency: Records<IdempotencyRecord>;
  events: Records<Event>;
  visitors: Records<Visitor>;
  visitorKeys: Records<string>;
  contacts: Records<Contact>;
  contactKeys: Records<string>;
  changes: Records<SubscriptionChange>;
  products: Records<Product>;
  orders: Records<Order>;
}

/** The records of one app in a table. */
export class AppRecords<T> implements Records<T> {
  constructor(
    /** What the keys of all records of the app begin with. */
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

/** Keeps the SKU index: each SKU leads to the product that was written last with it. */
class ProductRecords extends AppRecords<Product> {
  constructor(
    prefix: Key,
    products: StagedTable<Product>,
    private readonly skus: StagedTable<string>,
  ) {
    super(prefix, products);
  }

  override put(key: string, value: Product): void {
    const before = this.get(key);
    if (before !== undefined && before.sku !== value.sku) this.unindex(before.sku, key);
    super.put(key, value);
    if (value.sku === "") return;
    const skuKey = keyBehind(this.prefix, value.sku);
    if (this.skus.get(skuKey) !== key) this.skus.put(skuKey, key);
  }

  override delete(key: string): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.unindex(before.sku, key);
    super.delete(key);
  }

  /** Unless another product has taken the SKU over. */
  private unindex(sku: string, productId: string): void {
    if (sku === "") return;
    const skuKey = keyBehind(this.prefix, sku);
    if (this.skus.get(skuKey) === productId) this.skus.delete(skuKey);
  }
}

/** A record past its time is none. */
export class IdempotencyRecords extends AppRecords<IdempotencyRecord> {
  constructor(
    prefix: Key,
    table: StagedTable<IdempotencyRecord>,
    private readonly now: Now,
  ) {
    super(prefix, table);
  }

  override get(key: string): IdempotencyRecord | undefined {
    const found = super.get(key);
    return found === undefined || isExpired(found, this.now()) ? undefined : found;
  }
}
