import type { Now } from "../../domain/clock.js";
import { ERASURE_STEPS, type Erasure, type ErasureStep, NOBODY } from "../../domain/erasure.js";
import { NotFound } from "../../domain/errors.js";
import { idAt } from "../../domain/ids.js";
import type { Operation } from "../../domain/operation.js";
import type { CopiedRecords, CopiedRow, CopiedTable } from "../../store/ports/copies.js";
import type { Transaction, UnitOfWork } from "../../store/ports/unit-of-work.js";
import { eraseChange } from "../ledger/ledger.js";
import { KEYED_MS, type PersonStores } from "./export.js";
import { createMatcher } from "./matcher.js";
import { joined } from "./person.js";
import {
  awaitedBy,
  dropping,
  ofContacts,
  plus,
  type Removed,
  removeEvent,
  removeExposures,
  removeIdentity,
  removeOrder,
  removeVisitor,
} from "./remove-person.js";
import { historyRows, rowsOf } from "./scan.js";

export interface ErasureStepsDependencies extends PersonStores {
  readonly unitOfWork: UnitOfWork;
  /** See `Store.scrub`. */
  readonly scrub: (appId: string) => Promise<void>;
  /** Resolves when rejected events and frame counts in memory are stored. */
  readonly settled: () => Promise<void>;
  /** Throws when this process stops working on erasures. Called between two batches. */
  readonly checkStopped: () => void;
  /** A finished erasure as its operation shows it. */
  readonly resultOf: (erasure: Erasure) => string;
  readonly now: Now;
}

/** Does one step of an erasure, or a part of it; returns the updated erasure. */
export type Step = (appId: string, erasure: Erasure) => Promise<Erasure>;

type Steps = Readonly<Partial<Record<Exclude<ErasureStep, "done">, Step>>>;

/** An event that was received so long before an erasure is stored by the time of its second look. */
const UNDER_WAY_MS = 600_000;

/** Batches without a record of the person after which progress is written. */
const NOTED_EVERY = 20;

type Rows<N extends CopiedTable> = readonly CopiedRow<CopiedRecords[N]>[];

/**
 * The steps of an erasure, in the order of `ERASURE_STEPS`. Each can be repeated: one transaction holds a step's removals and
 * its progress. Steps scan all records, some 10 µs each, so that storing an event needs no index by person.
 */
export function createErasureSteps(deps: ErasureStepsDependencies): Required<Steps> {
  return {
    ...createIdentitySteps(deps),
    ...createHistorySteps(deps),
    ...createEventSteps(deps),
    ...createMessageSteps(deps),
    ...createLastSteps(deps),
  };
}

/** Whom the person's ids and addresses lead to. */
function createIdentitySteps(deps: ErasureStepsDependencies) {
  const { contacts } = deps;
  const { step, goOn } = createProgress(deps);
  const sift = createSifter(deps);
  return {
    identity: (appId, erasure) =>
      step(appId, erasure, (tx, one) => ({ ...removeIdentity(tx, one, one.startedAt), step: "visitors" })),

    visitors: async (appId, erasure) => {
      if (erasure.person.contactIds.length === 0) return goOn(appId, erasure);
      // Those named by their ids went with the first transaction; what has these ids now is new.
      const theirs = (rows: Rows<"visitors">, { person }: Erasure) => {
        const contactIds = new Set(person.contactIds);
        return rows.filter(({ value }) => contactIds.has(value.contactId));
      };
      const remove = (tx: Transaction, rows: Rows<"visitors">, one: Erasure) =>
        rows.reduce<Removed>((removed, { value }) => {
          const visitor = tx.visitors.get(value.visitorId);
          if (visitor === undefined || !one.person.contactIds.includes(visitor.contactId)) return removed;
          return removeVisitor(tx, removed, visitor);
        }, one);
      return sift(appId, erasure, "visitors", theirs, remove);
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
  } satisfies Steps;
}

/** What the person looked at and ordered. */
function createHistorySteps(deps: ErasureStepsDependencies) {
  const { copies, checkStopped } = deps;
  const { step, goOn } = createProgress(deps);
  const sift = createSifter(deps);
  return {
    interactions: async (appId, erasure) => {
      for (const historyId of erasure.person.historyIds) {
        for (;;) {
          const rows = await historyRows(copies, appId, historyId);
          if (rows.length === 0) break;
          checkStopped();
          const at = await step(appId, erasure, (tx, { counts }) => {
            for (const { value } of rows) tx.deleteInteraction(historyId, value.at, value.ref);
            return { counts: plus(counts, "interactions", rows.length) };
          });
          if (at.step !== "interactions") return at;
        }
      }
      return goOn(appId, erasure);
    },

    orders: (appId, erasure) => {
      const matches = ({ person, startedAt }: Erasure) => {
        const { order } = createMatcher(person);
        return (value: CopiedRecords["orders"]) => value.receivedAt <= startedAt && order(value);
      };
      const remove = (tx: Transaction, rows: Rows<"orders">, one: Erasure) =>
        rows.reduce<Removed>((removed, { value }) => {
          const order = tx.orders.get(value.orderId);
          return order !== undefined && matches(one)(order) ? removeOrder(tx, removed, order) : removed;
        }, one);
      return sift(appId, erasure, "orders", (rows, one) => rows.filter(({ value }) => matches(one)(value)), remove);
    },
  } satisfies Steps;
}

function createEventSteps(deps: ErasureStepsDependencies) {
  const { goOn } = createProgress(deps);
  const sift = createSifter(deps);
  return {
    events: (appId, erasure) => {
      const theirs = (rows: Rows<"events">, { person, startedAt }: Erasure) => {
        const { event } = createMatcher(person);
        return rows.filter(({ value }) => value.receivedAt <= startedAt && event(value));
      };
      const remove = (tx: Transaction, rows: Rows<"events">, { person, counts, startedAt }: Erasure): Removed => {
        for (const { value } of rows) removeEvent(tx, value);
        const youngest = Math.min(startedAt, deps.now()) - KEYED_MS;
        const young = rows.filter(({ value }) => value.receivedAt > youngest);
        const eventIds = joined(
          person.eventIds,
          young.map(({ value }) => value.eventId),
        );
        return { person: { ...person, eventIds }, counts: plus(counts, "events", rows.length) };
      };
      return sift(appId, erasure, "events", theirs, remove);
    },

    rejectedEvents: async (appId, erasure) => {
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
      return sift(appId, erasure, "rejectedEvents", theirs, remove);
    },

    idempotency: async (appId, erasure) => {
      const eventIds = new Set(erasure.person.eventIds);
      if (eventIds.size === 0) return goOn(appId, erasure);
      const theirs = (rows: Rows<"idempotency">) => rows.filter(({ value }) => eventIds.has(value.eventId));
      return sift(appId, erasure, "idempotency", theirs, dropping("idempotency"));
    },
  } satisfies Steps;
}

/** Confirmations that wait, and messages to the shop's hook. */
function createMessageSteps(deps: ErasureStepsDependencies) {
  const sift = createSifter(deps);
  return {
    confirmations: (appId, erasure) => sift(appId, erasure, "confirmations", awaitedBy, dropping("confirmations")),

    outbox: (appId, erasure) => sift(appId, erasure, "outbox", ofContacts, dropping("outbox")),

    deadHooks: (appId, erasure) => sift(appId, erasure, "deadHooks", ofContacts, dropping("deadHooks")),
  } satisfies Steps;
}

function createLastSteps(deps: ErasureStepsDependencies) {
  const { step } = createProgress(deps);
  return {
    // Records received before the erasure began, and written since.
    recheck: (appId, erasure) =>
      step(appId, erasure, (tx, one) => {
        const removed = removeExposures(tx, one, one.startedAt);
        if (!one.isSecond) return { ...removed, step: "visitors", isSecond: true };
        if (Object.keys(removed.counts).length > 0) tx.markChanged();
        return { person: NOBODY, counts: removed.counts, step: "scrub" };
      }),

    scrub: async (appId, erasure) => {
      await deps.scrub(appId);
      return step(appId, erasure, () => ({ step: "done", finishedAt: deps.now() }));
    },
  } satisfies Steps;
}

/** Stores the progress of an erasure, and of its operation with it. */
function createProgress({
  unitOfWork,
  now,
  resultOf,
}: Pick<ErasureStepsDependencies, "unitOfWork" | "now" | "resultOf">) {
  /** Applies `work` unless another process has advanced the erasure; returns the updated erasure. */
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
      const operation = tx.operations.get(after.erasureId);
      if (operation !== undefined) tx.operations.put(after.erasureId, progressed(operation, after, resultOf));
      return after;
    });

  const goOn = (appId: string, erasure: Erasure): Promise<Erasure> =>
    step(appId, erasure, (_tx, { step: at, isSecond, startedAt }) => {
      const next = following(at);
      return { step: next, upTo: isSecond && next === "events" ? idAt(startedAt - UNDER_WAY_MS) : "" };
    });

  return { step, goOn };
}

/** Scans a table and passes the rows chosen by `theirs` to `remove`. */
function createSifter(deps: ErasureStepsDependencies) {
  const { checkStopped } = deps;
  const { step, goOn } = createProgress(deps);
  return async <N extends CopiedTable>(
    appId: string,
    erasure: Erasure,
    table: N,
    theirs: (rows: Rows<N>, erasure: Erasure) => Rows<N>,
    remove: (tx: Transaction, rows: Rows<N>, erasure: Erasure) => Removed,
  ): Promise<Erasure> => {
    let at = erasure;
    let batches = 0;
    for await (const rows of rowsOf(deps.copies, appId, table, erasure.upTo)) {
      checkStopped();
      const found = theirs(rows, at);
      const upTo = rows.at(-1)?.key ?? "";
      if (found.length === 0 && ++batches % NOTED_EVERY !== 0) continue;
      const noted = await step(appId, at, (tx, one) => ({ ...remove(tx, found, one), upTo }));
      if (noted.step !== at.step || noted.upTo !== upTo) return noted; // another process was faster
      at = noted;
    }
    return goOn(appId, at);
  };
}

function following(step: ErasureStep): ErasureStep {
  return ERASURE_STEPS[ERASURE_STEPS.indexOf(step) + 1] ?? "done";
}

/** The operation of an erasure that has come so far. */
export function progressed(
  operation: Operation,
  erasure: Erasure,
  resultOf: ErasureStepsDependencies["resultOf"],
): Operation {
  const { step, workedAt, finishedAt } = erasure;
  if (step === "done")
    return { ...operation, state: "succeeded", share: 1, workedAt, endedAt: finishedAt, result: resultOf(erasure) };
  // `recheck` may lead back to an earlier step.
  const share = Math.max(operation.share, ERASURE_STEPS.indexOf(step) / (ERASURE_STEPS.length - 1));
  return { ...operation, stage: step.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`), share, workedAt };
}
