import type { SubscriptionChange } from "../../domain/contact.js";
import { isErased } from "../../domain/ledger.js";
import { copiedRange, copiedRows, markOfRun } from "../copied-rows.js";
import type { CopiedRecords, CopiedTable, Copies } from "../ports/copies.js";
import type { Environment } from "./environment.js";
import { appKey, type Key, keyOf, ownedKey, timedKey, unpart } from "./keys.js";
import type { Removals } from "./removal.js";
import type { StagedTable, StagedTables } from "./staged-tables.js";
import type { Table } from "./table.js";
import type { ChangedApps } from "./upkeep.js";
import type { Writer } from "./writer.js";

/** Reads and writes the rows of one table and their index entries. */
interface CopiedKind<T> {
  readonly table: Table<T>;
  put(staged: StagedTables, appId: string, key: Key, value: T): void;
  remove(staged: StagedTables, appId: string, key: Key): void;
}

/** `changed` collects the apps that a batch marked as changed. */
export function createCopies(deps: {
  readonly environment: Environment;
  readonly writer: Writer;
  readonly removals: Removals;
  readonly changed: ChangedApps;
}): Copies {
  const { environment, writer, removals, changed } = deps;
  const { tables, storeId } = environment;
  const kinds = copiedKinds(environment);

  return {
    storeId,

    check: async () => {
      const inspection = environment.inspect();
      try {
        await inspection.check();
      } finally {
        inspection.end();
      }
    },

    scan: async (appId, table, from, limit) => {
      const { start, end } = copiedRange(appId, from);
      return copiedRows(appId, kinds[table].table.entries({ start, end, limit }));
    },

    mark: async (appId) => tables.copies.get(appKey(appId)),

    begin: async (appId, decide) => {
      const key = appKey(appId);
      for (;;) {
        const begun = await writer.run((staged) => {
          if (staged.removals.get(key) !== undefined) return undefined;
          const mark = decide(staged.copies.get(key), staged.apps.get(key) !== undefined);
          if (mark !== undefined) staged.copies.put(key, mark);
          return { mark };
        });
        if (begun !== undefined) return begun.mark;
        await removals.finish(appId);
      }
    },

    write: (appId, run, { table, puts, removals: removed, upTo }) =>
      writer.run((staged) => {
        const mark = markOfRun(staged.copies.get(appKey(appId)), run);
        const kind: CopiedKind<CopiedRecords[typeof table]> = kinds[table];
        const prefix = keyOf(appId, "");
        for (const key of removed) kind.remove(staged, appId, prefix + key);
        for (const { key, value } of puts) kind.put(staged, appId, prefix + key, value);
        staged.copies.put(appKey(appId), { ...mark, table, upTo });
      }),

    finish: (app, run) =>
      writer.run((staged) => {
        const mark = markOfRun(staged.copies.get(appKey(app.appId)), run);
        staged.apps.put(appKey(app.appId), app);
        staged.copies.put(appKey(app.appId), { ...mark, state: "done", table: "", upTo: "" });
        changed.add(app.appId);
      }),
  };
}

function copiedKinds({ tables }: Environment): { readonly [N in CopiedTable]: CopiedKind<CopiedRecords[N]> } {
  const plain = <T>(table: Table<T>, of: (staged: StagedTables) => StagedTable<T>): CopiedKind<T> => ({
    table,
    put: (staged, _appId, key, value) => of(staged).put(key, value),
    remove: (staged, _appId, key) => of(staged).delete(key),
  });
  return {
    frames: plain(tables.frames, (staged) => staged.frames),
    frameVersions: plain(tables.frameVersions, (staged) => staged.frameVersions),
    frameTallies: plain(tables.frameTallies, (staged) => staged.frameTallies),
    frameExposures: plain(tables.frameExposures, (staged) => staged.frameExposures),
    dueResults: plain(tables.dueResults, (staged) => staged.dueResults),
    contacts: plain(tables.contacts, (staged) => staged.contacts),
    contactKeys: plain(tables.contactKeys, (staged) => staged.contactKeys),
    visitors: plain(tables.visitors, (staged) => staged.visitors),
    visitorKeys: plain(tables.visitorKeys, (staged) => staged.visitorKeys),
    feeds: plain(tables.feeds, (staged) => staged.feeds),
    products: plain(tables.products, (staged) => staged.products),
    productSkus: plain(tables.productSkus, (staged) => staged.productSkus),
    productCounts: plain(tables.productCounts, (staged) => staged.productCounts),
    events: plain(tables.events, (staged) => staged.events),
    orders: plain(tables.orders, (staged) => staged.orders),
    rejectedEvents: plain(tables.rejectedEvents, (staged) => staged.rejectedEvents),
    rejectedLogs: plain(tables.rejectedLogs, (staged) => staged.rejectedLogs),
    ledgerHeads: plain(tables.ledgerHeads, (staged) => staged.ledgerHeads),
    erasures: plain(tables.erasures, (staged) => staged.erasures),
    operations: plain(tables.operations, (staged) => staged.operations),
    mailingSecrets: plain(tables.mailingSecrets, (staged) => staged.mailingSecrets),
    confirmations: plain(tables.confirmations, (staged) => staged.confirmations),
    outbox: plain(tables.outbox, (staged) => staged.outbox),
    deadHooks: plain(tables.deadHooks, (staged) => staged.deadHooks),
    suppressions: plain(tables.suppressions, (staged) => staged.suppressions),
    interactions: plain(tables.interactions, (staged) => staged.interactions),
    changes: {
      table: tables.changes,
      put: (staged, appId, key, value) => {
        const before = staged.changes.get(key);
        if (before !== undefined && before.contactId !== value.contactId) unindexChange(staged, appId, before);
        staged.changes.put(key, value);
        if (!isErased(value))
          staged.contactChanges.put(ownedKey(appId, value.contactId, value.changeId), value.changeId);
      },
      remove: (staged, appId, key) => {
        const before = staged.changes.get(key);
        staged.changes.delete(key);
        if (before !== undefined) unindexChange(staged, appId, before);
      },
    },
    idempotency: {
      table: tables.idempotency,
      put: (staged, appId, key, value) => {
        const own = unpart(key.slice(keyOf(appId, "").length));
        staged.idempotency.put(key, value);
        staged.idempotencyTimes.put(timedKey(appId, "", value.claimedAt, own), own);
      },
      remove: (staged, _appId, key) => staged.idempotency.delete(key), // the sweep removes its index entry later
    },
  };
}

function unindexChange(staged: StagedTables, appId: string, { contactId, changeId }: SubscriptionChange): void {
  if (contactId !== "") staged.contactChanges.delete(ownedKey(appId, contactId, changeId));
}
