import type { AnyBulkWriteOperation } from "mongodb";
import { DataDamaged } from "../../domain/errors.js";
import type { Product } from "../../domain/product.js";
import { mayKeep, repairedProduct, SkuOwners } from "../earlier-products.js";
import { asked, type Connection, commandsOf, isDuplicate, LONG_MS } from "./connection.js";
import { appKey, type Key, keyOf, keysOf } from "./keys.js";
import { earlierProduct } from "./records.js";
import type { StoredDocument, Table } from "./table.js";
import { openTables, type Tables } from "./tables.js";

const AT_ONCE = 1000;

/**
 * Repairs catalogues of formats up to 4. Removes products that too few visitors have sent, normalises URLs, returns SKUs
 * to products from feeds and RPC, and recounts. Each write replaces only the document that it read, so later commits win.
 */
export async function repairProducts(connection: Connection): Promise<void> {
  const tables = openTables(connection);
  const apps = await asked(connection, () => tables.apps.collection.find({ gone: { $ne: true } }).toArray(), LONG_MS);
  for (const { v } of apps) {
    const app = readable(() => tables.apps.decode(v));
    if (app !== undefined) await repairApp(connection, tables, app.appId, app.learnedAfterVisitors);
  }
}

interface Kept {
  readonly product: Product;
  readonly id: Key;
  readonly rev: number;
}

async function repairApp(connection: Connection, tables: Tables, appId: string, wanted: number): Promise<void> {
  const { products, productSkus, productCounts } = tables;
  const owners = new SkuOwners();
  const learned: Kept[] = [];
  const removed = new Set<string>();
  const changes = new Batch(connection, products);
  for await (const { _id: id, rev, v } of documentsOf(products, appId)) {
    const earlier = readable(() => earlierProduct(v));
    if (earlier === undefined) continue;
    const product = repairedProduct(earlier, wanted);
    if (product === undefined) {
      removed.add(earlier.productId);
      await changes.remove(id, rev);
      continue;
    }
    if (product !== earlier) await changes.put(id, rev, products.encode(product));
    owners.take(product);
    if (product.origin === "event" && product.sku !== "") learned.push({ product, id, rev });
  }
  await changes.flush();

  const indexed = new Map<Key, { readonly productId: string; readonly rev: number }>();
  const indexChanges = new Batch(connection, productSkus);
  for await (const { _id: id, rev, v } of documentsOf(productSkus, appId)) {
    const productId = readable(() => productSkus.decode(v));
    if (productId !== undefined && removed.has(productId)) await indexChanges.remove(id, rev);
    else indexed.set(id, { productId: productId ?? "", rev });
  }
  await indexChanges.flush();
  for (const [sku, owner] of owners.entries()) {
    const id = keyOf(appId, sku);
    const entry = indexed.get(id);
    if (entry?.productId === owner.productId) continue;
    const holder = entry && (await products.get(keyOf(appId, entry.productId)));
    if (mayKeep(sku, holder, owner)) continue;
    if (entry === undefined) await insert(connection, productSkus, appId, id, owner.productId);
    else await indexChanges.put(id, entry.rev, owner.productId);
    indexed.set(id, { productId: owner.productId, rev: entry?.rev ?? 0 });
  }
  await indexChanges.flush();

  for (const { product, id, rev } of learned) {
    if (indexed.get(keyOf(appId, product.sku))?.productId === product.productId) continue;
    await changes.put(id, rev, products.encode({ ...product, sku: "" }));
  }
  await changes.flush();
  await insert(connection, productCounts, appId, appKey(appId), productCounts.encode(owners.productCounts));
}

/** Writes to one table, some at a time. */
class Batch {
  private operations: AnyBulkWriteOperation<StoredDocument>[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly table: Pick<Table<unknown>, "collection">,
  ) {}

  put(id: Key, rev: number, stored: unknown): Promise<void> {
    return this.add({ updateOne: { filter: { _id: id, rev }, update: { $set: { v: stored } } } });
  }

  remove(id: Key, rev: number): Promise<void> {
    return this.add({ deleteOne: { filter: { _id: id, rev } } });
  }

  async flush(): Promise<void> {
    const { operations } = this;
    this.operations = [];
    if (operations.length === 0) return;
    for (const some of commandsOf(this.connection, operations))
      await asked(this.connection, () => this.table.collection.bulkWrite(some, { ordered: false }), LONG_MS);
  }

  private async add(operation: AnyBulkWriteOperation<StoredDocument>): Promise<void> {
    this.operations.push(operation);
    if (this.operations.length >= AT_ONCE) await this.flush();
  }
}

/** As no commit wrote it, so that any later one replaces it. One that is there stays, unless it was removed. */
async function insert(
  connection: Connection,
  { collection }: Pick<Table<unknown>, "collection">,
  app: string,
  id: Key,
  v: unknown,
): Promise<void> {
  await asked(connection, async () => {
    try {
      await collection.insertOne({ _id: id, app, rev: 0, v });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await collection.updateOne({ _id: id, rev: 0 }, { $set: { v } });
      await collection.updateOne({ _id: id, gone: true }, { $set: { v }, $unset: { gone: "" } });
    }
  });
}

async function* documentsOf(table: Pick<Table<unknown>, "collection">, appId: string): AsyncGenerator<StoredDocument> {
  const { start, end } = keysOf(appId);
  const filter = { _id: { $gte: start, $lt: end }, gone: { $ne: true } };
  yield* table.collection.find(filter, { batchSize: AT_ONCE, maxTimeMS: LONG_MS });
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
