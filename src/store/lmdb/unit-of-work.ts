import type { SubscriptionChange } from "../../domain/contact.js";
import type { Interaction } from "../../domain/interaction.js";
import { isErased } from "../../domain/ledger.js";
import type { KeyClock } from "../idempotency-records.js";
import type { Claim, Claims, Records, Transaction, UnitOfWork } from "../ports/unit-of-work.js";
import { AppRecords, AppTransaction, IdempotencyRecords } from "../transaction.js";
import type { EventOrder } from "./event-store.js";
import { keyOf, ownedKey, timedKey } from "./keys.js";
import type { StagedTables } from "./staged-tables.js";
import type { ChangedApps } from "./upkeep.js";
import type { Writer } from "./writer.js";

/** Runs works as jobs of the writer. `changed` collects the apps that a batch marked as changed. */
export function createUnitOfWork(deps: {
  readonly writer: Writer;
  readonly clock: KeyClock;
  readonly changed: ChangedApps;
  readonly eventOrder: EventOrder;
}): UnitOfWork {
  const { writer, clock, changed, eventOrder } = deps;
  const runIn = <T>(transaction: EmbeddedTransaction, work: (tx: Transaction) => T): T => {
    transaction.begin();
    try {
      const result = work(transaction);
      if (transaction.changed) changed.add(transaction.appId);
      return result;
    } finally {
      transaction.end();
    }
  };
  return {
    run: (appId, work) =>
      writer.run((tables) => runIn(new EmbeddedTransaction(appId, tables, clock, eventOrder), work), { inTime: true }),
    runEach: (appId, works) => {
      let transaction: EmbeddedTransaction | undefined;
      return writer.runEach(
        works.map((work) => (tables: StagedTables) => {
          transaction ??= new EmbeddedTransaction(appId, tables, clock, eventOrder);
          return runIn(transaction, work);
        }),
      );
    },
  };
}

class EmbeddedTransaction extends AppTransaction<StagedTables> {
  changed = false;

  constructor(
    appId: string,
    tables: StagedTables,
    clock: KeyClock,
    private readonly eventOrder: EventOrder,
  ) {
    super(appId, tables, clock);
  }

  override begin(): void {
    super.begin();
    this.changed = false;
  }

  protected override idempotencyRecords(): Claims {
    return new TimedIdempotencyRecords(this.appId, this.tables, this.clock);
  }

  protected override changeRecords(): Records<SubscriptionChange> {
    return new IndexedChangeRecords(this.appId, this.tables);
  }

  eventId(proposed: string): string {
    return this.eventOrder.next(this.appId, this.tables.events.table, proposed);
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
    private readonly appId: string,
    private readonly tables: StagedTables,
  ) {
    super(keyOf(appId, ""), tables.changes);
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

/** Maintains the index by time that the sweep reads. The sweep removes the entry of a replaced record when it expires. */
export class TimedIdempotencyRecords extends IdempotencyRecords {
  constructor(
    private readonly appId: string,
    private readonly tables: StagedTables,
    clock: KeyClock,
  ) {
    super(keyOf(appId, ""), tables.idempotency, clock);
  }

  override put(key: string, claim: Claim): void {
    super.put(key, claim);
    this.tables.idempotencyTimes.put(timedKey(this.appId, "", claim.claimedAt, key), key);
  }

  override delete(key: string): void {
    const before = this.table.get(keyOf(this.appId, key));
    super.delete(key);
    if (before !== undefined) this.tables.idempotencyTimes.delete(timedKey(this.appId, "", before.claimedAt, key));
  }
}
