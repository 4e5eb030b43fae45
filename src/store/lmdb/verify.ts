import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { crc32c } from "@node-rs/crc32";
import { changeIdOf, isErased } from "../../domain/ledger.js";
import { NO_PRODUCTS, type Product, type ProductCounts } from "../../domain/product.js";
import { keysOfContact } from "../contact-keys.js";
import { type Environment, openEnvironment } from "./environment.js";
import type { Inspection, TableInspection } from "./inspection.js";
import { type Key, keyOf, ownedKey, timedKey, unpart } from "./keys.js";
import { MODELS, modelDirectory, modelFile, namesIn, readIfThere } from "./model-files.js";
import type { StoredModel } from "./records.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

/**
 * `value`: the value does not match its checksum, or is not a record of its kind
 * `unfound`: a scan finds the key, a lookup does not
 * `tree`: a damaged page hides entries, or the number of entries differs from LMDB's count
 * `index`: an index entry leads to no record or to the wrong one
 * `unindexed`: a record is missing from its index
 * `reference`: a record names a missing record
 * `file`: a model's file is missing or does not match its checksum
 */
export type FaultKind = "value" | "unfound" | "tree" | "index" | "unindexed" | "reference" | "file";

export interface StoreFault {
  readonly table: keyof Tables;
  readonly kind: FaultKind;
  /** "" for a fault of the table as a whole. */
  readonly appId: string;
  /** The key within the app, its parts joined by spaces. May be personal: do not log it. */
  readonly key: string;
}

export interface StoreReport {
  /** Entries met, by table. */
  readonly entries: Readonly<Partial<Record<keyof Tables, number>>>;
  readonly modelFiles: number;
  /** Files without a record. They are no damage: interrupted writes leave them, and they are removed after an hour. */
  readonly orphanFiles: number;
  readonly faultCount: number;
  /** The first MAX_FAULTS of them. */
  readonly faults: readonly StoreFault[];
}

export const MAX_FAULTS = 1000;

/** Rows checked before other work gets its turn. */
const ROWS_AT_ONCE = 1000;

/**
 * Reads one commit of a store and checks that all its records are sound and consistent. Others may write meanwhile; the
 * file grows by their writes. Takes about 10 µs a record and always ends.
 *
 * Rejects like opening the store. A damaged tree may make LMDB crash, so run this in a child process and report its death
 * by a signal as a finding.
 */
export async function verifyStore(directory: string): Promise<StoreReport> {
  const environment = await openEnvironment(directory, true, () => undefined);
  try {
    const inspection = environment.inspect();
    try {
      return await new Verification(environment, inspection).run();
    } finally {
      inspection.end();
    }
  } finally {
    await environment.close();
  }
}

/** Checks a sound record against other records. */
type Check<T> = (appId: string, value: T, key: Key) => FaultKind | undefined | Promise<FaultKind | undefined>;

class Verification {
  private readonly entries: Partial<Record<keyof Tables, number>> = {};
  private readonly faults: StoreFault[] = [];
  private faultCount = 0;
  private readonly modelFiles = new Set<string>();

  constructor(
    private readonly environment: Environment,
    private readonly inspection: Inspection,
  ) {}

  async run(): Promise<StoreReport> {
    const { tables } = this.environment;
    const of = <T>(table: Table<T>): TableInspection<T> => this.inspection.of(table);
    const visitors = of(tables.visitors);
    const visitorKeys = of(tables.visitorKeys);
    const contacts = of(tables.contacts);
    const contactKeys = of(tables.contactKeys);
    const changes = of(tables.changes);
    const contactChanges = of(tables.contactChanges);
    const idempotencyTimes = of(tables.idempotencyTimes);
    const events = of(tables.events);
    const orders = of(tables.orders);
    const products = of(tables.products);
    const models = of(tables.models);

    await this.walk("apps", of(tables.apps));
    await this.walk("frames", of(tables.frames));
    await this.walk("frameVersions", of(tables.frameVersions));
    await this.walk("frameTallies", of(tables.frameTallies));
    await this.walk("frameExposures", of(tables.frameExposures));
    await this.walk("events", events);
    await this.walk("idempotency", of(tables.idempotency), (appId, record, key) =>
      holds(idempotencyTimes, timedKey(appId, "", record.claimedAt, ownPart(key))) ? undefined : "unindexed",
    );
    await this.walk("idempotencyTimes", idempotencyTimes);
    await this.walk("rejectedEvents", of(tables.rejectedEvents));
    await this.walk("rejectedLogs", of(tables.rejectedLogs));
    await this.walk("visitors", visitors, (appId, visitor) =>
      visitor.keys.every((key) => holds(visitorKeys, keyOf(appId, key), (id) => id === visitor.visitorId))
        ? undefined
        : "unindexed",
    );
    await this.walk("visitorKeys", visitorKeys, (appId, visitorId, key) =>
      holds(visitors, keyOf(appId, visitorId), (visitor) => visitor.keys.includes(ownPart(key))) ? undefined : "index",
    );
    await this.walk("interactions", of(tables.interactions), (appId, { ref, type }) => {
      const isThere =
        type === "order" && ref.startsWith(ORDER)
          ? holds(orders, keyOf(appId, ref.slice(ORDER.length)))
          : holds(events, keyOf(appId, ref));
      return isThere ? undefined : "reference";
    });
    await this.walk("contacts", contacts, (appId, contact) => {
      const leadsHere = (key: string) => holds(contactKeys, keyOf(appId, key), (id) => id === contact.contactId);
      const isFound = keysOfContact(contact).every(leadsHere);
      return isFound ? undefined : "unindexed";
    });
    await this.walk("contactKeys", contactKeys, (appId, contactId, key) =>
      holds(contacts, keyOf(appId, contactId), (contact) => keysOfContact(contact).includes(ownPart(key)))
        ? undefined
        : "index",
    );
    await this.walk("changes", changes, (appId, change) =>
      isErased(change) || holds(contactChanges, ownedKey(appId, change.contactId, change.changeId))
        ? undefined
        : "unindexed",
    );
    await this.walk("contactChanges", contactChanges, (appId, changeId, key) =>
      holds(changes, keyOf(appId, changeId), ({ contactId }) => ownedKey(appId, contactId, changeId) === key)
        ? undefined
        : "index",
    );
    await this.walk("ledgerHeads", of(tables.ledgerHeads), (appId, { count }) =>
      count === 0 || holds(changes, keyOf(appId, changeIdOf(count))) ? undefined : "reference",
    );
    await this.walk("networkLinks", of(tables.networkLinks));
    await this.walk("mailingSecrets", of(tables.mailingSecrets));
    await this.walk("confirmations", of(tables.confirmations));
    await this.walk("outbox", of(tables.outbox));
    await this.walk("deadHooks", of(tables.deadHooks));
    await this.walk("feeds", of(tables.feeds));
    const productSkus = of(tables.productSkus);
    const counts = new Map<string, ProductCounts>();
    const faultsBefore = this.faultCount;
    await this.walk("products", products, (appId, { sku, origin }) => {
      const { fed, learned } = counts.get(appId) ?? NO_PRODUCTS;
      counts.set(appId, origin === "catalog" ? { fed: fed + 1, learned } : { fed, learned: learned + 1 });
      const hasTaken = ({ origin: other }: Product) => other === "event";
      const owner = origin === "catalog" && sku !== "" ? productSkus.get(keyOf(appId, sku)) : undefined;
      return isValue(owner) && isThere(products, keyOf(appId, owner.value), hasTaken) ? "index" : undefined;
    });
    const areProductsSound = this.faultCount === faultsBefore;
    await this.walk("productSkus", productSkus, (appId, productId, key) =>
      holds(products, keyOf(appId, productId), ({ sku }) => sku === ownPart(key)) ? undefined : "index",
    );
    await this.walk("productCounts", of(tables.productCounts), (appId, { fed, learned }) => {
      const counted = counts.get(appId) ?? NO_PRODUCTS;
      return !areProductsSound || (counted.fed === fed && counted.learned === learned) ? undefined : "index";
    });
    await this.walk("unconfirmedProducts", of(tables.unconfirmedProducts));
    await this.walk("productLog", of(tables.productLog));
    await this.walk("productHeads", of(tables.productHeads));
    await this.walk("orders", orders);
    await this.walk("erasures", of(tables.erasures));
    await this.walk("models", models, (appId, model) => this.checkFile(appId, model));
    await this.walk("pointers", of(tables.pointers), (appId, { modelId }) =>
      holds(models, keyOf(appId, modelId)) ? undefined : "reference",
    );
    await this.walk("activity", of(tables.activity));
    await this.walk("leases", of(tables.leases));
    await this.walk("removals", of(tables.removals));
    await this.walk("copies", of(tables.copies));
    return {
      entries: this.entries,
      modelFiles: this.modelFiles.size,
      orphanFiles: await this.countOrphans(),
      faultCount: this.faultCount,
      faults: this.faults,
    };
  }

  /** Checks a table up to its first damaged page. */
  private async walk<T>(table: keyof Tables, inspected: TableInspection<T>, check?: Check<T>): Promise<void> {
    let met = 0;
    try {
      for (const { key, value } of inspected.entries()) {
        met++;
        if (value === undefined) this.fault(table, "value", key);
        else {
          if (!isValue(inspected.get(key))) this.fault(table, "unfound", key);
          const kind = await check?.(appOf(key), value, key);
          if (kind !== undefined) this.fault(table, kind, key);
        }
        if (met % ROWS_AT_ONCE === 0) await setImmediate();
      }
    } catch {
      // the verification reports it as a fault
      this.fault(table, "tree", "");
    }
    this.entries[table] = met;
  }

  private async checkFile(appId: string, { record, fileChecksum }: StoredModel): Promise<FaultKind | undefined> {
    const path = join(modelDirectory(this.environment.directory, appId), modelFile(record.modelId));
    const bytes = await readIfThere(path).catch(() => undefined); // what is there is no file that can be read
    if (bytes !== undefined) {
      this.modelFiles.add(path);
      if (bytes.length === record.sizeBytes && crc32c(bytes) === fileChecksum) return undefined;
    }
    // Another process may have pruned or replaced the file since this commit.
    const now = this.environment.tables.models.get(keyOf(appId, record.modelId));
    return now?.fileChecksum === fileChecksum ? "file" : undefined;
  }

  private async countOrphans(): Promise<number> {
    const directory = join(this.environment.directory, MODELS);
    let count = 0;
    for (const appId of await namesIn(directory)) {
      for (const name of await namesIn(join(directory, appId))) {
        if (!this.modelFiles.has(join(directory, appId, name))) count++;
      }
    }
    return count;
  }

  private fault(table: keyof Tables, kind: FaultKind, key: Key): void {
    this.faultCount++;
    if (this.faults.length === MAX_FAULTS) return;
    const rest = key.slice(key.indexOf("\0") + 1);
    this.faults.push({ table, kind, appId: appOf(key), key: rest.replaceAll("\0", " ") });
  }
}

/** What the order book's rows are known by. */
const ORDER = "order:";

/** True when the key has a matching or a damaged record. A damaged record is a fault of its own table only. */
function holds<T>(table: TableInspection<T>, key: Key, fits: (value: T) => boolean = () => true): boolean {
  const found = table.get(key);
  return isValue(found) ? fits(found.value) : found === "damaged";
}

/** True when the key has a sound, matching record. */
function isThere<T>(table: TableInspection<T>, key: Key, fits: (value: T) => boolean): boolean {
  const found = table.get(key);
  return isValue(found) && fits(found.value);
}

function isValue<T>(found: { readonly value: T } | "damaged" | undefined): found is { readonly value: T } {
  return found !== undefined && found !== "damaged";
}

function appOf(key: Key): string {
  return unpart(key.slice(0, Math.max(0, key.indexOf("\0"))));
}

/** The last part of a key. */
function ownPart(key: Key): string {
  return unpart(key.slice(key.lastIndexOf("\0") + 1));
}
