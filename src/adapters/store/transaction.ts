import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { SubscriptionChange } from "../../domain/contact.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Product } from "../../domain/product.js";
import type { Lookup, Records, RejectedEvents, Transaction } from "../../ports/unit-of-work.js";
import { isExpired } from "./idempotency.js";
import { appKey, type Key, keyOf } from "./keys.js";
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
  readonly [K in Exclude<keyof RecordTypes, "frames" | "pointers" | "activity" | "removals" | "copies">]: StagedTable<
    RecordTypes[K]
  >;
};

/**
 * One app's view of the staged tables, for the time of one run of a work. What a store keeps beside the records (the
 * rows of histories, indexes of its own) it adds by extending this.
 */
export abstract class AppTransaction<Tables extends TransactionTables> implements Transaction {
  private ended = false;

  constructor(
    readonly appId: string,
    private readonly staged: Tables,
    protected readonly now: Now,
  ) {}

  /** The tables, while the work runs. */
  protected get tables(): Tables {
    this.mustRun();
    return this.staged;
  }

  /** Throws when the work is over: a transaction kept for later would write into somebody else's. */
  protected mustRun(): void {
    if (this.ended) throw new Error("A transaction ends with the work it was given to");
  }

  end(): void {
    this.ended = true;
  }

  app(): App | undefined {
    return this.tables.apps.get(appKey(this.appId));
  }

  get idempotency(): Records<IdempotencyRecord> {
    return new IdempotencyRecords(this.appId, this.tables.idempotency, this.now);
  }
  get events() {
    return new AppRecords(this.appId, this.tables.events);
  }
  get rejectedEvents(): RejectedEvents {
    return new RejectedEventRecords(this.appId, this.tables.rejectedEvents, this.tables.rejectedLogs);
  }
  get visitors() {
    return new AppRecords(this.appId, this.tables.visitors);
  }
  get visitorKeys() {
    return new AppRecords(this.appId, this.tables.visitorKeys);
  }
  get contacts() {
    return new AppRecords(this.appId, this.tables.contacts);
  }
  get contactKeys() {
    return new AppRecords(this.appId, this.tables.contactKeys);
  }
  get changes(): Records<SubscriptionChange> {
    return new AppRecords(this.appId, this.tables.changes);
  }
  get ledgerHead() {
    return new AppRecords(this.appId, this.tables.ledgerHeads);
  }
  get networkLinks() {
    return new AppRecords(this.appId, this.tables.networkLinks);
  }
  get products(): Records<Product> {
    return new ProductRecords(this.appId, this.tables.products, this.tables.productSkus);
  }
  get productSkus(): Lookup<string> {
    return new AppRecords(this.appId, this.tables.productSkus);
  }
  get orders() {
    return new AppRecords(this.appId, this.tables.orders);
  }

  abstract putInteraction(visitorId: string, interaction: Interaction): void;
  abstract deleteInteraction(visitorId: string, at: number, ref: string): void;
  abstract markChanged(): void;
}

/** The records of one app in a table. */
export class AppRecords<T> implements Records<T> {
  constructor(
    protected readonly appId: string,
    protected readonly table: StagedTable<T>,
  ) {}

  get(key: string): T | undefined {
    return this.table.get(keyOf(this.appId, key));
  }

  put(key: string, value: T): void {
    this.table.put(keyOf(this.appId, key), value);
  }

  delete(key: string): void {
    this.table.delete(keyOf(this.appId, key));
  }
}

/** Keeps the SKU index: each SKU leads to the product that was written last with it. */
class ProductRecords extends AppRecords<Product> {
  constructor(
    appId: string,
    products: StagedTable<Product>,
    private readonly skus: StagedTable<string>,
  ) {
    super(appId, products);
  }

  override put(key: string, value: Product): void {
    const before = this.get(key);
    if (before !== undefined && before.sku !== value.sku) this.unindex(before.sku, key);
    super.put(key, value);
    if (value.sku === "") return;
    const skuKey = keyOf(this.appId, value.sku);
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
    const skuKey = keyOf(this.appId, sku);
    if (this.skus.get(skuKey) === productId) this.skus.delete(skuKey);
  }
}

/** A record past its time is none. */
export class IdempotencyRecords extends AppRecords<IdempotencyRecord> {
  constructor(
    appId: string,
    table: StagedTable<IdempotencyRecord>,
    private readonly now: Now,
  ) {
    super(appId, table);
  }

  override get(key: string): IdempotencyRecord | undefined {
    const found = super.get(key);
    return found === undefined || isExpired(found, this.now()) ? undefined : found;
  }
}
