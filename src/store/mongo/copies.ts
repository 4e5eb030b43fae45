import { copiedRange, copiedRows, markOfRun } from "../copied-rows.js";
import { appKey, type Key, keyOf, unpart } from "../keys.js";
import type { CopiedRecords, CopiedTable, Copies } from "../ports/copies.js";
import { historyRow, interactionOf } from "./records.js";
import type { Removals } from "./removal.js";
import type { Staged, StagedTables } from "./staged-tables.js";
import type { Entry, Range, Table } from "./table.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

/** How the rows of one table are read and written. */
interface CopiedKind<T> {
  entries(range: Range): Promise<Entry<T>[]>;
  put(staged: StagedTables, key: Key, value: T): void;
  remove(staged: StagedTables, key: Key): void;
}

export function createCopies(deps: {
  readonly storeId: string;
  readonly tables: Tables;
  readonly writer: Writer;
  readonly removals: Removals;
}): Copies {
  const { storeId, tables, writer, removals } = deps;
  const kinds = copiedKinds(tables);

  return {
    storeId,

    check: async () => undefined, // MongoDB has checksums of its pages and its indexes, and fails by itself

    scan: async (appId, table, from, limit) => {
      const { start, end } = copiedRange(appId, from);
      return copiedRows(appId, await kinds[table].entries({ start, end, limit }));
    },

    mark: (appId) => tables.copies.get(appKey(appId)),

    begin: async (appId, decide) => {
      const key = appKey(appId);
      for (;;) {
        const begun = await writer.run(appId, ({ tables: staged }) => {
          if (staged.removals.get(key) !== undefined) return undefined;
          const before = staged.copies.get(key);
          const mark = decide(before, staged.apps.get(key) !== undefined);
          if (mark !== undefined) staged.copies.put(key, mark);
          return { mark };
        });
        if (begun !== undefined) return begun.mark;
        await removals.finish(appId);
      }
    },

    write: (appId, run, { table, puts, removals: removed, upTo }) =>
      writer.run(appId, ({ tables: staged }) => {
        const mark = markOfRun(staged.copies.get(appKey(appId)), run);
        const kind: CopiedKind<CopiedRecords[typeof table]> = kinds[table];
        const prefix = keyOf(appId, "");
        for (const key of removed) kind.remove(staged, prefix + key);
        for (const { key, value } of puts) kind.put(staged, prefix + key, value);
        staged.copies.put(appKey(appId), { ...mark, table, upTo });
      }),

    finish: (app, run) =>
      writer.run(app.appId, (draft) => {
        const { tables: staged } = draft;
        const mark = markOfRun(staged.copies.get(appKey(app.appId)), run);
        staged.apps.put(appKey(app.appId), app);
        staged.copies.put(appKey(app.appId), { ...mark, state: "done", table: "", upTo: "" });
        draft.markChanged();
      }),
  };
}

function copiedKinds(tables: Tables): { readonly [N in CopiedTable]: CopiedKind<CopiedRecords[N]> } {
  const plain = <T>(table: Table<T>, of: (staged: StagedTables) => Staged<T>): CopiedKind<T> => ({
    entries: (range) => table.entries(range),
    put: (staged, key, value) => of(staged).put(key, value),
    remove: (staged, key) => of(staged).delete(key),
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
    products: plain(tables.products, (staged) => staged.products),
    productSkus: plain(tables.productSkus, (staged) => staged.productSkus),
    productCounts: plain(tables.productCounts, (staged) => staged.productCounts),
    events: plain(tables.events, (staged) => staged.events),
    orders: plain(tables.orders, (staged) => staged.orders),
    rejectedEvents: plain(tables.rejectedEvents, (staged) => staged.rejectedEvents),
    rejectedLogs: plain(tables.rejectedLogs, (staged) => staged.rejectedLogs),
    erasures: plain(tables.erasures, (staged) => staged.erasures),
    operations: plain(tables.operations, (staged) => staged.operations),
    interactions: {
      entries: async (range) => {
        const rows = await tables.interactions.entries(range);
        return rows.map(({ key, value }) => ({ key, value: interactionOf(value) }));
      },
      put: (staged, key, value) => staged.interactions.put(key, historyRow(ownerIn(key), value)),
      remove: (staged, key) => staged.interactions.delete(key),
    },
    changes: plain(tables.changes, (staged) => staged.changes),
    feeds: plain(tables.feeds, (staged) => staged.feeds),
    ledgerHeads: plain(tables.ledgerHeads, (staged) => staged.ledgerHeads),
    mailingSecrets: plain(tables.mailingSecrets, (staged) => staged.mailingSecrets),
    confirmations: plain(tables.confirmations, (staged) => staged.confirmations),
    outbox: plain(tables.outbox, (staged) => staged.outbox),
    deadHooks: plain(tables.deadHooks, (staged) => staged.deadHooks),
    suppressions: plain(tables.suppressions, (staged) => staged.suppressions),
    idempotency: plain(tables.idempotency, (staged) => staged.idempotency),
  };
}

/** The second part of a key: whose record it is. */
function ownerIn(key: Key): string {
  const start = key.indexOf("\0") + 1;
  return unpart(key.slice(start, key.indexOf("\0", start)));
}
