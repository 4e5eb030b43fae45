import type { AnyBulkWriteOperation } from "mongodb";
import { DataDamaged } from "../../../domain/errors.js";
import type { Product } from "../../../domain/product.js";
import { type EarlierProduct, mayKeep, repairedProduct, SkuOwners } from "../../earlier-products.js";
import { appKey, type Key, keyOf, keysOf } from "../../keys.js";
import { product as productKind } from "../../schema/catalog.js";
import { flag, later, number, orNull, record } from "../../schema/kinds.js";
import { type Connection, collectionOf, LONG_MS } from "../connection.js";
import { scanEntries } from "../scan.js";
import { recordsOf, type StoredDocument, type Table } from "../table.js";
import type { Tables } from "../tables.js";
import type { EarlierDocument, WriteHeld } from "./move-records.js";

const AT_ONCE = 1000;

/**
 * Repairs catalogues of formats up to 4. Removes products that too few visitors have sent, normalises URLs, returns SKUs to
 * products from feeds and RPC, and recounts. It reads the products of the earlier collection and writes the moved ones.
 */
export async function repairProducts(connection: Connection, tables: Tables, write: WriteHeld): Promise<void> {
  for (const { value: app } of await tables.apps.entriesAcross("\0", Number.MAX_SAFE_INTEGER)) {
    await new CatalogRepair(connection, tables, write, app.appId).run(app.learnedAfterVisitors);
  }
}

class CatalogRepair {
  private operations: AnyBulkWriteOperation<StoredDocument>[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly tables: Tables,
    private readonly write: WriteHeld,
    private readonly appId: string,
  ) {}

  /** @param wanted Visitors who must have sent a learned product. */
  async run(wanted: number): Promise<void> {
    const { appId, tables } = this;
    const { products, productCounts } = tables;
    const owners = new SkuOwners();
    const learned: Product[] = [];
    const removed = new Set<string>();
    for await (const earlier of this.earlierProducts()) {
      const product = repairedProduct(earlier, wanted);
      if (product === undefined) {
        removed.add(earlier.productId);
        await this.remove(products, keyOf(appId, earlier.productId));
        continue;
      }
      if (product !== earlier) await this.put(products, keyOf(appId, product.productId), product);
      owners.take(product);
      if (product.origin === "event" && product.sku !== "") learned.push(product);
    }
    await this.flush();
    const indexed = await this.repairIndex(owners, removed);
    for (const product of learned) {
      if (indexed.get(keyOf(appId, product.sku)) === product.productId) continue;
      await this.put(products, keyOf(appId, product.productId), { ...product, sku: "" });
    }
    await this.put(productCounts, appKey(appId), owners.productCounts);
    await this.flush();
  }

  /** Product ids by the keys of their SKUs, as the index has them afterwards. */
  private async repairIndex(owners: SkuOwners, removed: ReadonlySet<string>): Promise<ReadonlyMap<Key, string>> {
    const { products, productSkus } = this.tables;
    const indexed = new Map<Key, string>();
    for await (const rows of scanEntries(productSkus, this.appId)) {
      for (const { key, value: productId } of rows) {
        if (removed.has(productId)) await this.remove(productSkus, key);
        else indexed.set(key, productId);
      }
    }
    for (const [sku, owner] of owners.entries()) {
      const key = keyOf(this.appId, sku);
      const holderId = indexed.get(key);
      if (holderId === owner.productId) continue;
      const holder = holderId === undefined ? undefined : await products.get(keyOf(this.appId, holderId));
      if (mayKeep(sku, holder, owner)) continue;
      await this.put(productSkus, key, owner.productId);
      indexed.set(key, owner.productId);
    }
    await this.flush();
    return indexed;
  }

  private async *earlierProducts(): AsyncGenerator<EarlierProduct> {
    const { start, end } = keysOf(this.appId);
    const filter = { _id: { $gte: start, $lt: end }, gone: { $ne: true } };
    const products = collectionOf<EarlierDocument>(this.connection, "products");
    for await (const { v } of products.find(filter, { batchSize: AT_ONCE, maxTimeMS: LONG_MS })) {
      const earlier = readable(() => earlierProduct(v));
      if (earlier !== undefined) yield earlier;
    }
  }

  private put<T>(table: Table<T>, key: Key, value: T): Promise<void> {
    const replacement = table.documentOf(key, this.appId, table.encode(value));
    return this.add({ replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } });
  }

  private remove(table: Pick<Table<unknown>, "idOf">, key: Key): Promise<void> {
    return this.add({ deleteOne: { filter: { _id: table.idOf(key) } } });
  }

  private async add(operation: AnyBulkWriteOperation<StoredDocument>): Promise<void> {
    this.operations.push(operation);
    if (this.operations.length >= AT_ONCE) await this.flush();
  }

  private async flush(): Promise<void> {
    const { operations } = this;
    this.operations = [];
    if (operations.length === 0) return;
    await this.write(async (session) => void (await recordsOf(this.connection).bulkWrite(operations, { session })));
  }
}

const senders = record<{ readonly learnedFrom: { readonly count: number; readonly confirmed: boolean } | null }>({
  learnedFrom: later(orNull(record({ count: number, confirmed: flag })), null),
});

/** A product as formats up to 4 kept it: also those that too few visitors had sent. */
function earlierProduct(stored: unknown): EarlierProduct {
  const { learnedFrom } = senders.fromDocument(stored);
  const sentBy = learnedFrom === null || learnedFrom.confirmed ? undefined : learnedFrom.count;
  return { ...productKind.fromDocument(stored), sentBy };
}

/** Skips a damaged record, which must not keep the store from opening. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DataDamaged) return undefined;
    throw error;
  }
}
