import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { keysOfContact } from "../../domain/address-keys.js";
import { DataDamaged } from "../../domain/errors.js";
import { changeIdOf, isErased } from "../../domain/ledger.js";
import { NO_PRODUCTS, type Product, type ProductCounts } from "../../domain/product.js";
import { type Environment, openBeside } from "./environment.js";
import type { Inspection, TableInspection } from "./inspection.js";
import { type Key, keyOf, ownedKey, timedKey, unpart } from "./keys.js";
import { MODELS, modelDirectory, modelFile, namesIn, soundParts } from "./model-files.js";
import type { EmbeddedRecords, StoredModel } from "./records.js";
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
 * Reads one commit of a store and checks that all its records are sound and consistent. A process that writes meanwhile must
 * hold its pages (`openBeside`). Takes about 10 µs a record and always ends.
 *
 * Rejects like opening the store. A damaged tree may make LMDB crash, so run this in a child process and report its death
 * by a signal as a finding.
 */
export async function verifyStore(directory: string): Promise<StoreReport> {
  const environment = await openBeside(directory, () => undefined);
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
    for (const table of ["apps", "frames", "frameVersions", "frameTallies", "frameExposures", "dueResults"] as const)
      await this.walk(table);
    await this.checkEvents();
    await this.checkVisitors();
    await this.checkContacts();
    for (const table of [
      "networkLinks",
      "mailingSecrets",
      "confirmations",
      "outbox",
      "deadHooks",
      "suppressions",
      "feeds",
    ] as const)
      await this.walk(table);
    await this.checkProducts();
    await this.walk("orders");
    await this.walk("erasures");
    await this.walk("operations");
    await this.checkModels();
    for (const table of ["activity", "leases", "removals", "copies"] as const) await this.walk(table);
    return {
      entries: this.entries,
      modelFiles: this.modelFiles.size,
      orphanFiles: await this.countOrphans(),
      faultCount: this.faultCount,
      faults: this.faults,
    };
  }

  private async checkEvents(): Promise<void> {
    const times = this.of("idempotencyTimes");
    await this.walk("events");
    await this.walk("idempotency", (appId, record, key) =>
      holds(times, timedKey(appId, "", record.claimedAt, ownPart(key))) ? undefined : "unindexed",
    );
    await this.walk("idempotencyTimes");
    await this.walk("rejectedEvents");
    await this.walk("rejectedLogs");
  }

  private async checkVisitors(): Promise<void> {
    const [visitors, visitorKeys] = [this.of("visitors"), this.of("visitorKeys")];
    const [events, orders] = [this.of("events"), this.of("orders")];
    await this.walk("visitors", (appId, visitor) =>
      visitor.keys.every((key) => holds(visitorKeys, keyOf(appId, key), (id) => id === visitor.visitorId))
        ? undefined
        : "unindexed",
    );
    await this.walk("visitorKeys", (appId, visitorId, key) =>
      holds(visitors, keyOf(appId, visitorId), (visitor) => visitor.keys.includes(ownPart(key))) ? undefined : "index",
    );
    await this.walk("interactions", (appId, { ref, type }) => {
      const isThere =
        type === "order" && ref.startsWith(ORDER)
          ? holds(orders, keyOf(appId, ref.slice(ORDER.length)))
          : holds(events, keyOf(appId, ref));
      return isThere ? undefined : "reference";
    });
  }

  private async checkContacts(): Promise<void> {
    const [contacts, contactKeys] = [this.of("contacts"), this.of("contactKeys")];
    const [changes, contactChanges] = [this.of("changes"), this.of("contactChanges")];
    await this.walk("contacts", (appId, contact) => {
      const leadsHere = (key: string) => holds(contactKeys, keyOf(appId, key), (id) => id === contact.contactId);
      const isFound = keysOfContact(contact).every(leadsHere);
      return isFound ? undefined : "unindexed";
    });
    await this.walk("contactKeys", (appId, contactId, key) =>
      holds(contacts, keyOf(appId, contactId), (contact) => keysOfContact(contact).includes(ownPart(key)))
        ? undefined
        : "index",
    );
    await this.walk("changes", (appId, change) =>
      isErased(change) || holds(contactChanges, ownedKey(appId, change.contactId, change.changeId))
        ? undefined
        : "unindexed",
    );
    await this.walk("contactChanges", (appId, changeId, key) =>
      holds(changes, keyOf(appId, changeId), ({ contactId }) => ownedKey(appId, contactId, changeId) === key)
        ? undefined
        : "index",
    );
    await this.walk("ledgerHeads", (appId, { count }) =>
      count === 0 || holds(changes, keyOf(appId, changeIdOf(count))) ? undefined : "reference",
    );
  }

  private async checkProducts(): Promise<void> {
    const [products, productSkus] = [this.of("products"), this.of("productSkus")];
    const counts = new Map<string, ProductCounts>();
    const faultsBefore = this.faultCount;
    await this.walk("products", (appId, { sku, origin }) => {
      const { fed, learned } = counts.get(appId) ?? NO_PRODUCTS;
      counts.set(appId, origin === "catalog" ? { fed: fed + 1, learned } : { fed, learned: learned + 1 });
      const hasTaken = ({ origin: other }: Product) => other === "event";
      const owner = origin === "catalog" && sku !== "" ? productSkus.get(keyOf(appId, sku)) : undefined;
      return isValue(owner) && isThere(products, keyOf(appId, owner.value), hasTaken) ? "index" : undefined;
    });
    const areProductsSound = this.faultCount === faultsBefore;
    await this.walk("productSkus", (appId, productId, key) =>
      holds(products, keyOf(appId, productId), ({ sku }) => sku === ownPart(key)) ? undefined : "index",
    );
    await this.walk("productCounts", (appId, { fed, learned }) => {
      const counted = counts.get(appId) ?? NO_PRODUCTS;
      return !areProductsSound || (counted.fed === fed && counted.learned === learned) ? undefined : "index";
    });
    await this.walk("unconfirmedProducts");
  }

  private async checkModels(): Promise<void> {
    const models = this.of("models");
    await this.walk("models", (appId, model) => this.checkFile(appId, model));
    await this.walk("pointers", (appId, { modelId }) =>
      holds(models, keyOf(appId, modelId)) ? undefined : "reference",
    );
  }

  private of<N extends keyof Tables>(table: N): TableInspection<EmbeddedRecords[N]> {
    return this.inspection.of(this.environment.tables[table]);
  }

  /** Checks a table up to its first damaged page. */
  private async walk<N extends keyof Tables>(table: N, check?: Check<EmbeddedRecords[N]>): Promise<void> {
    const inspected = this.of(table);
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

  private async checkFile(appId: string, model: StoredModel): Promise<FaultKind | undefined> {
    const { record, fileChecksum } = model;
    const path = join(modelDirectory(this.environment.directory, appId), modelFile(record.modelId));
    try {
      for await (const _ of soundParts(path, model));
      this.modelFiles.add(path);
      return undefined;
    } catch (error) {
      // else what is there is no file that can be read
      if (error instanceof DataDamaged) this.modelFiles.add(path);
    }
    // A server may have pruned or replaced the file since this commit.
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
