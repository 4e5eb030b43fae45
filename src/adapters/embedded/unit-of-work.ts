import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { SubscriptionChange } from "../../domain/contact.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Product } from "../../domain/product.js";
import type { Lookup, Records, Transaction, UnitOfWork } from "../../ports/unit-of-work.js";
import { isExpired } from "./idempotency.js";
import { appKey, keyOf, ownedKey, timedKey } from "./keys.js";
import type { Staged, StagedTables } from "./staged.js";
import type { Writer } from "./writer.js";

/** Works as the writer's jobs. `changed` gathers the apps that a batch marked as changed. */
export function createUnitOfWork(deps: {
  readonly writer: Writer;
  readonly now: Now;
  readonly changed: Set<string>;
}): UnitOfWork {
  const { writer, now, changed } = deps;
  return {
    run: (appId, work) =>
      writer.run((tables) => {
        const transaction = new StagedTransaction(appId, tables, now);
        try {
          const result = work(transaction);
          if (transaction.changed) changed.add(appId);
          return result;
        } finally {
          transaction.end();
        }
      }),
  };
}

/** One app's view of the staged tables, for the time of one work. */
class StagedTransaction implements Transaction {
  changed = false;
  private ended = false;

  constructor(
    readonly appId: string,
    private readonly staged: StagedTables,
    private readonly now: Now,
  ) {}

  /** The tables, while the work runs: a transaction kept for later would write into somebody else's. */
  private get tables(): StagedTables {
    if (this.ended) throw new Error("A transaction ends with the work it was given to");
    return this.staged;
  }

  end(): void {
    this.ended = true;
  }

  app(): App | undefined {
    return this.tables.apps.get(appKey(this.appId));
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
    return new ChangeRecords(this.appId, this.tables);
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
    this.tables.interactions.put(timedKey(this.appId, visitorId, interaction.at, interaction.ref), interaction);
  }

  deleteInteraction(visitorId: string, at: number, ref: string): void {
    this.tables.interactions.delete(timedKey(this.appId, visitorId, at, ref));
  }

  markChanged(): void {
    this.changed = true;
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

/** Keeps the index of changes by contact. */
class ChangeRecords implements Records<SubscriptionChange> {
  constructor(
    private readonly appId: string,
    private readonly tables: StagedTables,
  ) {}

  get(key: string): SubscriptionChange | undefined {
    return this.tables.changes.get(keyOf(this.appId, key));
  }

  put(key: string, value: SubscriptionChange): void {
    this.tables.changes.put(keyOf(this.appId, key), value);
    this.tables.contactChanges.put(ownedKey(this.appId, value.contactId, key), key);
  }

  delete(key: string): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.tables.changes.delete(keyOf(this.appId, key));
    this.tables.contactChanges.delete(ownedKey(this.appId, before.contactId, key));
  }
}

/** Keeps the index by time that the sweep reads. */
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
    this.tables.idempotencyTimes.put(timedKey(this.appId, "", value.claimedAt, key), key);
  }

  /** Its entry in the index goes when its time comes. */
  delete(key: string): void {
    this.tables.idempotency.delete(keyOf(this.appId, key));
  }
}
