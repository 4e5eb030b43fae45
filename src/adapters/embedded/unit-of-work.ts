import type { Now } from "../../domain/clock.js";
import type { SubscriptionChange } from "../../domain/contact.js";
import type { IdempotencyRecord } from "../../domain/event.js";
import type { Interaction } from "../../domain/interaction.js";
import { isErased } from "../../domain/ledger.js";
import type { Records, UnitOfWork } from "../../ports/unit-of-work.js";
import { AppRecords, AppTransaction, IdempotencyRecords } from "../store/transaction.js";
import { ownedKey, timedKey } from "./keys.js";
import type { StagedTables } from "./staged.js";
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
        const transaction = new EmbeddedTransaction(appId, tables, now);
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

class EmbeddedTransaction extends AppTransaction<StagedTables> {
  changed = false;

  override get idempotency(): Records<IdempotencyRecord> {
    return new TimedIdempotencyRecords(this.appId, this.tables, this.now);
  }
  override get changes(): Records<SubscriptionChange> {
    return new IndexedChangeRecords(this.appId, this.tables);
  }

  putInteraction(visitorId: string, interaction: Interaction): void {
    this.tables.interactions.put(timedKey(this.appId, visitorId, interaction.at, interaction.ref), interaction);
  }

  deleteInteraction(visitorId: string, at: number, ref: string): void {
    this.tables.interactions.delete(timedKey(this.appId, visitorId, at, ref));
  }

  markChanged(): void {
    this.mustRun();
    this.changed = true;
  }
}

/** Keeps the index of changes by contact. */
class IndexedChangeRecords extends AppRecords<SubscriptionChange> {
  constructor(
    appId: string,
    private readonly tables: StagedTables,
  ) {
    super(appId, tables.changes);
  }

  override put(key: string, value: SubscriptionChange): void {
    const before = this.get(key);
    super.put(key, value);
    if (before !== undefined && before.contactId !== value.contactId) this.unindex(before);
    if (!isErased(value)) this.tables.contactChanges.put(ownedKey(this.appId, value.contactId, key), key);
  }

  override delete(key: string): void {
    const before = this.get(key);
    if (before === undefined) return;
    super.delete(key);
    this.unindex(before);
  }

  private unindex(before: SubscriptionChange): void {
    if (!isErased(before)) this.tables.contactChanges.delete(ownedKey(this.appId, before.contactId, before.changeId));
  }
}

/** Keeps the index by time that the sweep reads. An entry of it goes when its time comes, not with its record. */
class TimedIdempotencyRecords extends IdempotencyRecords {
  constructor(
    appId: string,
    private readonly tables: StagedTables,
    now: Now,
  ) {
    super(appId, tables.idempotency, now);
  }

  override put(key: string, value: IdempotencyRecord): void {
    super.put(key, value);
    this.tables.idempotencyTimes.put(timedKey(this.appId, "", value.claimedAt, key), key);
  }
}
