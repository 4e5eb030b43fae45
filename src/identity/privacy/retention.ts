import type { Metrics } from "../../adapters/metrics.js";
import type { App } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import { NOBODY } from "../../domain/erasure.js";
import { EXPOSURE_MS, type FrameExposure, lastTimeOf } from "../../domain/frame-exposure.js";
import { dayOf, REPORT_MS, talliedOf } from "../../domain/frame-tally.js";
import type { Order } from "../../domain/order.js";
import { forgetKey } from "../../results/people.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { CopiedRecords, CopiedRow, CopiedTable, Copies } from "../../store/ports/copies.js";
import type { Transaction, UnitOfWork } from "../../store/ports/unit-of-work.js";
import { removeOrder, removeVisitor } from "./remove-person.js";
import { historyRows, rowsOf } from "./scan.js";

export interface RetentionDependencies {
  readonly apps: Pick<AppStore, "list">;
  readonly copies: Pick<Copies, "scan">;
  readonly unitOfWork: UnitOfWork;
  /** See `Store.scrub`. */
  readonly scrub: (appId: string) => Promise<void>;
  readonly now: Now;
  readonly metrics: Metrics;
}

const DAY_MS = 86_400_000;

type Rows<N extends CopiedTable> = readonly CopiedRow<CopiedRecords[N]>[];

/** Runs the retention sweep: removes expired records, app after app. */
export type SweepRetention = (onFailure: (appId: string, error: unknown) => void) => Promise<void>;

/**
 * Sweeps the events, orders, histories and visitors of apps with a retention setting, and rejected events. The time
 * when something happened decides, also for imported records. Orders expire as histories do, so the model forgets them
 * too; contacts, their addresses and the ledger stay. Each batch is a transaction of its own that can be repeated: two
 * processes may sweep at once, and one may stop at any time.
 */
export function createSweepRetention(deps: RetentionDependencies): SweepRetention {
  const sweep = createSweep(deps);
  const sweepApp = async ({ appId, privacy }: App): Promise<void> => {
    const { retentionDays, rejectedRetentionDays } = privacy;
    const at = deps.now();
    const before = (days: number) => at - days * DAY_MS;
    const removed = [
      retentionDays > 0 && (await sweepHistories(deps, sweep, appId, before(retentionDays))),
      rejectedRetentionDays > 0 && (await sweepRejected(sweep, appId, before(rejectedRetentionDays))),
      await sweepFrames(sweep, appId, at, retentionDays > 0 ? before(retentionDays) : 0),
    ];
    if (removed.includes(true)) await deps.scrub(appId);
  };

  return async (onFailure) => {
    for (let after = ""; ; ) {
      const apps = await deps.apps.list(after, 100);
      for (const app of apps) {
        after = app.appId;
        await sweepApp(app).catch((error: unknown) => onFailure(app.appId, error));
      }
      if (apps.length < 100) return;
    }
  };
}

/** Removes the rows of a table that are `due`; true when there were any. */
type Sweep = <N extends CopiedTable>(
  appId: string,
  table: N,
  due: (rows: Rows<N>) => Promise<Rows<N>> | Rows<N>,
  remove: (tx: Transaction, row: CopiedRow<CopiedRecords[N]>) => void,
) => Promise<boolean>;

function createSweep({ copies, unitOfWork, metrics }: RetentionDependencies): Sweep {
  return async (appId, table, due, remove) => {
    let hadAny = false;
    for await (const rows of rowsOf(copies, appId, table)) {
      const found = await due(rows);
      if (found.length === 0) continue;
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() === undefined) return;
        for (const row of found) remove(tx, row);
        if (table === "interactions" || table === "orders") tx.markChanged();
      });
      metrics.count("retention_removed", { table }, found.length);
      hadAny = true;
    }
    return hadAny;
  };
}

/** Histories, orders, events, and visitors of whom nothing is left. */
async function sweepHistories(
  { copies, now }: RetentionDependencies,
  sweep: Sweep,
  appId: string,
  before: number,
): Promise<boolean> {
  // A cancellation that came before its order has no time but that of its receipt; earlier versions did not keep even that.
  const lastTime = ({ occurredAt, statusAt, receivedAt }: Order) => Math.max(occurredAt, statusAt) || receivedAt;
  const isOver = (order: Order) => lastTime(order) < before;
  const hasHistory = async (historyIds: readonly string[]): Promise<boolean> => {
    for (const historyId of historyIds) if ((await historyRows(copies, appId, historyId)).length > 0) return true;
    return false;
  };
  const removed = [
    await sweep(
      appId,
      "interactions",
      (rows) => rows.filter(({ value }) => value.at < before),
      (tx, { key, value }) => tx.deleteInteraction(ownerIn(key), value.at, value.ref),
    ),
    await sweep(
      appId,
      "orders",
      (rows) => rows.filter(({ value }) => isOver(value)),
      (tx, { value }) => {
        const order = tx.orders.get(value.orderId);
        if (order !== undefined && lastTime(order) === 0) tx.orders.put(order.orderId, { ...order, receivedAt: now() });
        else if (order !== undefined && isOver(order)) removeOrder(tx, { person: NOBODY, counts: {} }, order);
      },
    ),
    await sweep(
      appId,
      "events",
      (rows) => rows.filter(({ value }) => value.occurredAt < before),
      (tx, { value }) => tx.events.delete(value.eventId),
    ),
    await sweep(
      appId,
      "visitors",
      async (rows) => {
        const due = [];
        for (const row of rows) {
          const { contactId, createdAt, members } = row.value;
          if (contactId === "" && createdAt < before && !(await hasHistory(members))) due.push(row);
        }
        return due;
      },
      (tx, { value }) => {
        const visitor = tx.visitors.get(value.visitorId);
        if (visitor?.contactId === "") removeVisitor(tx, { person: NOBODY, counts: {} }, visitor);
      },
    ),
  ];
  return removed.includes(true);
}

function sweepRejected(sweep: Sweep, appId: string, before: number): Promise<boolean> {
  return sweep(
    appId,
    "rejectedEvents",
    (rows) => rows.filter(({ value }) => value.rejectedAt < before),
    (tx, { value }) => tx.rejectedEvents.remove(value.rejectedId),
  );
}

/** Exposures to frames, lists that rotation forgets, and counts of frames. True when exposures were removed: counts name nobody. */
async function sweepFrames(sweep: Sweep, appId: string, at: number, before: number): Promise<boolean> {
  const oldestReport = at - REPORT_MS;
  const isOver = (exposure: FrameExposure) => lastTimeOf(exposure) < Math.max(before, oldestReport);
  const hasOldLists = ({ shownLists }: FrameExposure) => shownLists.some((list) => at - list.at >= EXPOSURE_MS);
  const hadAny = await sweep(
    appId,
    "frameExposures",
    (rows) => rows.filter(({ value }) => isOver(value) || hasOldLists(value)),
    (tx, { key }) => {
      const found = tx.frameExposures.get(key);
      if (found === undefined) return;
      const left = { ...found, shownLists: found.shownLists.filter((list) => at - list.at < EXPOSURE_MS) };
      if (isOver(left)) forgetKey(tx, key);
      else if (hasOldLists(found)) tx.frameExposures.put(key, left);
    },
  );
  const oldest = dayOf(oldestReport);
  await sweep(
    appId,
    "frameTallies",
    (rows) => rows.filter(({ key }) => talliedOf(key).day < oldest),
    (tx, { key }) => tx.frameTallies.delete(key),
  );
  return hadAny;
}

/** The owner of a history row: the first part of its key, which never needs escaping. */
function ownerIn(key: string): string {
  return key.slice(0, key.indexOf("\0"));
}
