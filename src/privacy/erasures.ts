import type { Now } from "../domain/clock.js";
import { ERASURE_STEPS, type Erasure, type ErasureStep, NOBODY } from "../domain/erasure.js";
import { NotFound } from "../domain/errors.js";
import type { AppStore } from "../ports/app-store.js";
import type { CopiedRecords, CopiedRow, CopiedTable } from "../ports/copies.js";
import type { Metrics } from "../ports/metrics.js";
import type { Transaction, UnitOfWork } from "../ports/unit-of-work.js";
import { eraseChange } from "../subscription/ledger.js";
import { createMatcher } from "./matcher.js";
import { findPerson, joined, type PersonNames } from "./person.js";
import { KEYED_MS, type PersonStores } from "./read-person.js";
import {
  awaitedBy,
  dropping,
  ofContacts,
  plus,
  type Removed,
  removeEvent,
  removeIdentity,
  removeOrder,
  removeVisitor,
} from "./remove-person.js";
import { historyRows, rowsOf } from "./scan.js";

export interface ErasuresDependencies extends PersonStores {
  readonly apps: Pick<AppStore, "list">;
  readonly unitOfWork: UnitOfWork;
  /** See `Store.scrub`. */
  readonly scrub: (appId: string) => Promise<void>;
  /** Resolves when refused events and what was counted of frames, on their way into the store, are there. */
  readonly settled: () => Promise<void>;
  readonly now: Now;
  readonly newId: () => string;
  readonly metrics: Metrics;
}

/** What an erasure is at, and how many records were looked at since it was last said. */
export type OnProgress = (step: ErasureStep, lookedAt: number) => void;

export interface Erasures {
  /** Notes durably who is to be erased, and who of the contacts stays. From then on it is done, come what may. */
  begin(appId: string, names: PersonNames): Promise<{ readonly erasure: Erasure; readonly contactsKept: number }>;
  /** Goes through with an erasure that was begun. Rejects with NotFound("app") when the app goes meanwhile. */
  finish(appId: string, erasure: Erasure, onProgress: OnProgress): Promise<Erasure>;
  /** Finishes, in all apps, what was begun and nobody works on. */
  resume(onFailure: (appId: string, error: unknown) => void): Promise<void>;
}

/** An erasure that nobody has moved on for so long was left by its process. */
const LEFT_MS = 60_000;

/** Batches without anything of the person after which it is noted how far it has come. */
const NOTED_EVERY = 20;

type Rows<N extends CopiedTable> = readonly CopiedRow<CopiedRecords[N]>[];

/**
 * Erases persons in steps, each of which can be done again: what a step removes and how far it has come are written in one
 * transaction. Two processes that work on one erasure do not harm each other, since a step counts only when it goes on
 * from where the record stands. Records are looked through, rather than indexed by person, so that events cost nothing
 * for it: some 10 µs a record.
 */
export function createErasures(deps: ErasuresDependencies): Erasures {
  const { copies, contacts, unitOfWork, now, metrics } = deps;

  /** Makes a step unless the erasure has moved on meanwhile. Answers it as it is now. */
  const step = (
    appId: string,
    before: Erasure,
    work: (tx: Transaction, erasure: Erasure) => Partial<Erasure>,
  ): Promise<Erasure> =>
    unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const erasure = tx.erasures.get(before.erasureId);
      if (erasure === undefined) throw new NotFound("app");
      if (erasure.step !== before.step || erasure.upTo !== before.upTo) return erasure;
      const after = { ...erasure, ...work(tx, erasure), workedAt: now() };
      tx.erasures.put(after.erasureId, after);
      return after;
    });

  const goOn = (appId: string, erasure: Erasure): Promise<Erasure> =>
    step(appId, erasure, (_tx, { step: at }) => ({ step: following(at), upTo: "" }));

  /** Goes through a table, and hands those rows that may be the person's to `remove`. */
  const sift = async <N extends CopiedTable>(
    appId: string,
    erasure: Erasure,
    table: N,
    theirs: (rows: Rows<N>, erasure: Erasure) => Rows<N>,
    remove: (tx: Transaction, rows: Rows<N>, erasure: Erasure) => Removed,
    onProgress: OnProgress,
  ): Promise<Erasure> => {
    let at = erasure;
    let batches = 0;
    for await (const rows of rowsOf(copies, appId, table, erasure.upTo)) {
      onProgress(at.step, rows.length);
      const found = theirs(rows, at);
      const upTo = rows.at(-1)?.key ?? "";
      if (found.length === 0 && ++batches % NOTED_EVERY !== 0) continue;
      const noted = await step(appId, at, (tx, one) => ({ ...remove(tx, found, one), upTo }));
      if (noted.step !== at.step || noted.upTo !== upTo) return noted; // another process was faster
      at = noted;
    }
    return goOn(appId, at);
  };

  type Step = (appId: string, erasure: Erasure, onProgress: OnProgress) => Promise<Erasure>;

  const steps: Readonly<Record<Exclude<ErasureStep, "done">, Step>> = {
    identity: (appId, erasure) =>
      step(appId, erasure, (tx, one) => ({ ...removeIdentity(tx, one, one.startedAt), step: "visitors" })),

    visitors: async (appId, erasure, onProgress) => {
      if (erasure.person.contactIds.length === 0) return goOn(appId, erasure);
      const theirs = (rows: Rows<"visitors">, { person, startedAt }: Erasure) => {
        const { visitor } = createMatcher(person);
        return rows.filter(({ value }) => value.createdAt <= startedAt && visitor(value));
      };
      const remove = (tx: Transaction, rows: Rows<"visitors">, one: Erasure) =>
        rows.reduce<Removed>((removed, { value }) => {
          const visitor = tx.visitors.get(value.visitorId);
          if (visitor === undefined || !createMatcher(one.person).visitor(visitor)) return removed;
          return removeVisitor(tx, removed, visitor);
        }, one);
      return sift(appId, erasure, "visitors", theirs, remove, onProgress);
    },

    changes: async (appId, erasure) => {
      for (const contactId of erasure.person.contactIds) {
        for (let at = erasure; ; ) {
          const found = await contacts.changes(appId, contactId, "", 1000);
          if (found.length === 0) break;
          at = await step(appId, at, (tx, { counts }) => {
            for (const { changeId } of found) eraseChange(tx, changeId);
            return { counts: plus(counts, "changes", found.length) };
          });
          if (at.step !== "changes") return at;
        }
      }
      return goOn(appId, erasure);
    },

    interactions: async (appId, erasure, onProgress) => {
      for (const historyId of erasure.person.historyIds) {
        for (;;) {
          const rows = await historyRows(copies, appId, historyId);
          if (rows.length === 0) break;
          onProgress("interactions", rows.length);
          const at = await step(appId, erasure, (tx, { counts }) => {
            for (const { value } of rows) tx.deleteInteraction(historyId, value.at, value.ref);
            return { counts: plus(counts, "interactions", rows.length) };
          });
          if (at.step !== "interactions") return at;
        }
      }
      return goOn(appId, erasure);
    },

    orders: (appId, erasure, onProgress) => {
      const matches = ({ person, startedAt }: Erasure) => {
        const { order } = createMatcher(person);
        return (value: CopiedRecords["orders"]) => value.occurredAt <= startedAt && order(value);
      };
      const remove = (tx: Transaction, rows: Rows<"orders">, one: Erasure) =>
        rows.reduce<Removed>((removed, { value }) => {
          const order = tx.orders.get(value.orderId);
          return order !== undefined && matches(one)(order) ? removeOrder(tx, removed, order) : removed;
        }, one);
      return sift(
        appId,
        erasure,
        "orders",
        (rows, one) => rows.filter(({ value }) => matches(one)(value)),
        remove,
        onProgress,
      );
    },

    events: (appId, erasure, onProgress) => {
      const theirs = (rows: Rows<"events">, { person, startedAt }: Erasure) => {
        const { event } = createMatcher(person);
        return rows.filter(({ value }) => value.receivedAt <= startedAt && event(value));
      };
      const remove = (tx: Transaction, rows: Rows<"events">, { person, counts, startedAt }: Erasure): Removed => {
        for (const { value } of rows) removeEvent(tx, value);
        const young = rows.filter(({ value }) => value.receivedAt > startedAt - KEYED_MS);
        const eventIds = joined(
          person.eventIds,
          young.map(({ value }) => value.eventId),
        );
        return { person: { ...person, eventIds }, counts: plus(counts, "events", rows.length) };
      };
      return sift(appId, erasure, "events", theirs, remove, onProgress);
    },

    rejectedEvents: async (appId, erasure, onProgress) => {
      await deps.settled();
      const eventIds = new Set(erasure.person.eventIds);
      const theirs = (rows: Rows<"rejectedEvents">, { person, startedAt }: Erasure) => {
        const { rejectedEvent } = createMatcher(person);
        return rows.filter(
          ({ value }) => value.rejectedAt <= startedAt && (eventIds.has(value.replayedAs) || rejectedEvent(value)),
        );
      };
      const remove = (tx: Transaction, rows: Rows<"rejectedEvents">, { person, counts }: Erasure): Removed => {
        for (const { value } of rows) tx.rejectedEvents.remove(value.rejectedId);
        return { person, counts: plus(counts, "rejectedEvents", rows.length) };
      };
      return sift(appId, erasure, "rejectedEvents", theirs, remove, onProgress);
    },

    idempotency: async (appId, erasure, onProgress) => {
      const eventIds = new Set(erasure.person.eventIds);
      if (eventIds.size === 0) return goOn(appId, erasure);
      const theirs = (rows: Rows<"idempotency">) => rows.filter(({ value }) => eventIds.has(value.eventId));
      return sift(appId, erasure, "idempotency", theirs, dropping("idempotency"), onProgress);
    },

    confirmations: (appId, erasure, onProgress) =>
      sift(appId, erasure, "confirmations", awaitedBy, dropping("confirmations"), onProgress),

    outbox: (appId, erasure, onProgress) => sift(appId, erasure, "outbox", ofContacts, dropping("outbox"), onProgress),

    deadHooks: (appId, erasure, onProgress) =>
      sift(appId, erasure, "deadHooks", ofContacts, dropping("deadHooks"), onProgress),

    // What was received before the erasure began, and written after its first step.
    recheck: (appId, erasure) =>
      step(appId, erasure, (tx, one) => {
        const removed = removeIdentity(tx, one, one.startedAt);
        if (removed.counts !== one.counts) return { ...removed, step: "changes" };
        if (Object.keys(one.counts).length > 0) tx.markChanged();
        return { person: NOBODY, step: "scrub" };
      }),

    scrub: async (appId, erasure) => {
      await deps.scrub(appId);
      return step(appId, erasure, () => ({ step: "done", finishedAt: now() }));
    },
  };

  const finish: Erasures["finish"] = async (appId, begun, onProgress) => {
    let erasure = begun;
    while (erasure.step !== "done") {
      onProgress(erasure.step, 0);
      erasure = await steps[erasure.step](appId, erasure, onProgress);
    }
    return erasure;
  };

  return {
    async begin(appId, names) {
      const { person, contactsKept } = await findPerson(deps, appId, names);
      const at = now();
      const erasure: Erasure = {
        erasureId: deps.newId(),
        startedAt: at,
        finishedAt: 0,
        workedAt: at,
        step: "identity",
        upTo: "",
        person,
        counts: {},
      };
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        tx.erasures.put(erasure.erasureId, erasure);
      });
      metrics.count("erasures_begun");
      return { erasure, contactsKept };
    },

    finish,

    async resume(onFailure) {
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, 100);
        for (const { appId } of apps) {
          after = appId;
          try {
            for await (const rows of rowsOf(copies, appId, "erasures"))
              for (const { value } of rows)
                if (value.step !== "done" && now() - value.workedAt >= LEFT_MS) await finish(appId, value, () => {});
          } catch (error) {
            onFailure(appId, error);
          }
        }
        if (apps.length < 100) return;
      }
    },
  };
}

function following(step: ErasureStep): ErasureStep {
  return ERASURE_STEPS[ERASURE_STEPS.indexOf(step) + 1] ?? "done";
}
