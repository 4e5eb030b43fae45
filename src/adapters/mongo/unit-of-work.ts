import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { SubscriptionChange } from "../../domain/contact.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Product } from "../../domain/product.js";
import type { Lookup, Records, Transaction, UnitOfWork } from "../../ports/unit-of-work.js";
import { isExpired } from "./idempotency.js";
import { appKey, keyOf, timedKey } from "./keys.js";
import type { Draft, Staged, StagedTables } from "./staged.js";
import type { Writer } from "./writer.js";

/** Works as the writer's works. */
export function createUnitOfWork(deps: { readonly writer: Writer; readonly now: Now }): UnitOfWork {
  return {
    run: (appId, work) =>
      deps.writer.run(appId, (draft) => {
        const transaction = new StagedTransaction(appId, draft, deps.now);
        try {
          return work(transaction);
        } finally {
          transaction.end();
        }
      }),
  };
}

/** One app's view of the staged tables, for the time of one run of a work. */
class StagedTransaction implements Transaction {
  private ended = false;

  constructor(
    readonly appId: string,
    private readonly staged: Draft,
    private readonly now: Now,
  ) {}

  private get draft(): Draft {
    if (this.ended) throw new Error("A transaction ends with the work it was given to");
    return this.staged;
  }

  private get tables(): StagedTables {
    return this.draft.tables;
  }

  end(): void {
    this.ended = true;
  }

  /** While it is not loaded, there is one: a work that ends where there is none would not tell what else it reads. */
  app(): App | undefined {
    const assumed = { appId: this.appId, displayName: "", allowedOrigins: [], createdAt: 0, updatedAt: 0 };
    return this.tables.apps.get(appKey(this.appId), assumed);
  }

  get idempotency(): Records<IdempotencyRecord> {
    return new IdempotencyRecords(this.appId, this.tables, this.now);
  }
  get events() {
    return new PlainRecords(this.appId, this.tables.events);
  }
  get visitors() {
    return new PlainRecords(this.appId, this.tables.visitors);
  }
  get visitorKeys() {
    return new PlainRecords(this.appId, this.tables.visitorKeys);
  }
  get contacts() {
    return new PlainRecords(this.appId, this.tables.contacts);
  }
  get contactKeys() {
    return new PlainRecords(this.appId, this.tables.contactKeys);
  }
  get changes(): Records<SubscriptionChange> {
    return new PlainRecords(this.appId, this.tables.changes);
  }
  get products(): Records<Product> {
    return new ProductRecords(this.appId, this.tables);
  }
  get productSkus(): Lookup<string> {
    return new PlainRecords(this.appId, this.tables.productSkus);
  }
  get orders() {
    return new PlainRecords(this.appId, this.tables.orders);
  }

  putInteraction(visitorId: string, interaction: Interaction): void {
    const key = timedKey(this.appId, visitorId, interaction.at, interaction.ref);
    this.tables.interactions.put(key, { ...interaction, visitorId });
  }

  deleteInteraction(visitorId: string, at: number, ref: string): void {
    this.tables.interactions.delete(timedKey(this.appId, visitorId, at, ref));
  }

  markChanged(): void {
    this.draft.markChanged();
  }
}

class PlainRecords<T> implements Records<T> {
  constructor(
    private readonly appId: string,
    private readonly table: Staged<T>,
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
class ProductRecords implements Records<Product> {
  constructor(
    private readonly appId: string,
    private readonly tables: StagedTables,
  ) {}

  get(key: string): Product | undefined {
    return this.tables.products.get(keyOf(this.appId, key));
  }

  put(key: string, value: Product): void {
    const before = this.get(key);
    if (before !== undefined && before.sku !== value.sku) this.unindex(before.sku, key);
    this.tables.products.put(keyOf(this.appId, key), value);
    if (value.sku === "") return;
    const skuKey = keyOf(this.appId, value.sku);
    if (this.tables.productSkus.get(skuKey) !== key) this.tables.productSkus.put(skuKey, key);
  }

  delete(key: string): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.unindex(before.sku, key);
    this.tables.products.delete(keyOf(this.appId, key));
  }

  /** Unless another product has taken the SKU over. */
  private unindex(sku: string, productId: string): void {
    if (sku === "") return;
    const skuKey = keyOf(this.appId, sku);
    if (this.tables.productSkus.get(skuKey) === productId) this.tables.productSkus.delete(skuKey);
  }
}

/** A record past its time is none. */
class IdempotencyRecords implements Records<IdempotencyRecord> {
  constructor(
    private readonly appId: string,
    private readonly tables: StagedTables,
    private readonly now: Now,
  ) {}

  get(key: string): IdempotencyRecord | undefined {
    const found = this.tables.idempotency.get(keyOf(this.appId, key));
    return found === undefined || isExpired(found, this.now()) ? undefined : found;
  }

  put(key: string, value: IdempotencyRecord): void {
    this.tables.idempotency.put(keyOf(this.appId, key), value);
  }

  delete(key: string): void {
    this.tables.idempotency.delete(keyOf(this.appId, key));
  }
}
