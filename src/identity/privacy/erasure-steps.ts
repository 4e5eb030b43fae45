import { type Erasure, type ErasureStep, NOBODY } from "../../domain/erasure.js";
import { endsWithContact } from "../../domain/hook.js";
import type { Visitor } from "../../domain/visitor.js";
import type { CopiedRecords, CopiedRow, CopiedTable } from "../../store/ports/copies.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";
import { announceErasure } from "../hooks/announce.js";
import { eraseChange } from "../ledger/ledger.js";
import type { Suppressions } from "../suppressions.js";
import { ERASED_NOTE } from "../visitors.js";
import { createProgress, type ProgressDependencies } from "./erasure-progress.js";
import { KEYED_MS, type PersonStores } from "./export.js";
import { createMatcher, isEmailKey } from "./matcher.js";
import { joined } from "./person.js";
import {
  awaitedBy,
  dropping,
  eraseOrder,
  ofContacts,
  plus,
  type Removed,
  removeEvent,
  removeExposures,
  removeIdentity,
  removeVisitor,
  withoutClaims,
} from "./remove-person.js";
import { historyRows, rowsOf } from "./scan.js";

export interface ErasureStepsDependencies extends PersonStores, ProgressDependencies {
  /** See `Store.scrub`. */
  readonly scrub: (appId: string) => Promise<void>;
  /** Resolves when rejected events in memory are stored, and results of frames are counted. */
  readonly settled: (appId: string) => Promise<void>;
  /** Throws when this process stops working on erasures. Called between two batches. */
  readonly checkStopped: () => void;
  readonly newId: () => string;
  /** Returns 64 random hex digits. */
  readonly newKey: () => string;
  readonly suppressions?: Suppressions | undefined;
}

/** Does one step of an erasure, or a part of it; returns the updated erasure. */
export type Step = (appId: string, erasure: Erasure) => Promise<Erasure>;

type Steps = Readonly<Partial<Record<Exclude<ErasureStep, "done">, Step>>>;

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
    identity: async (appId, erasure) => {
      // What the person did counts before the person is forgotten.
      await deps.settled(appId);
      const part = createParting(deps);
      return step(appId, erasure, (tx, one) => ({
        ...part(tx, one, one.person.contactKeys, one.startedAt),
        step: "visitors",
      }));
    },

    visitors: async (appId, erasure) => {
      const { contactIds, contactKeys } = erasure.person;
      if (contactIds.length === 0 && !contactKeys.some(isEmailKey)) return goOn(appId, erasure);
      // Those named by their ids went with the first transaction; what has these ids now is new.
      const isTheirs = ({ person, startedAt }: Erasure) => {
        const contacts = new Set(person.contactIds);
        const keys = new Set(person.visitorKeys);
        const { addressKeys } = createMatcher(person);
        const hasAddress = (visitor: CopiedRecords["visitors"]) =>
          visitor.createdAt <= startedAt && addressKeys(visitor).some((key) => !keys.has(key));
        return (visitor: CopiedRecords["visitors"]) => contacts.has(visitor.contactId) || hasAddress(visitor);
      };
      const theirs = (rows: Rows<"visitors">, one: Erasure) => {
        const isOne = isTheirs(one);
        return rows.filter(({ value }) => isOne(value));
      };
      const remove = (tx: Transaction, rows: Rows<"visitors">, one: Erasure) => {
        const isOne = isTheirs(one);
        return rows.reduce<Removed>((removed, { value }) => {
          const visitor = tx.visitors.get(value.visitorId);
          return visitor !== undefined && isOne(visitor) ? removeVisitor(tx, removed, visitor) : removed;
        }, one);
      };
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
        rows.reduce<Removed>((removed, { value }) => eraseOrder(tx, removed, value.orderId, matches(one)), one);
      const theirs = (rows: Rows<"orders">, one: Erasure) =>
        rows.filter(({ value }) => matches(one)(value) || withoutClaims(value, one.person) !== value);
      return sift(appId, erasure, "orders", theirs, remove);
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
      const remove = (tx: Transaction, rows: Rows<"events">, one: Erasure): Removed => {
        const { person, counts, startedAt } = one;
        for (const { value } of rows) removeEvent(tx, value);
        const waited = rows.filter(({ value }) => value.notes.includes(ERASED_NOTE));
        // A visitor has the id of the event that made it.
        const made = waited.flatMap(({ value }) => tx.visitors.get(value.eventId)?.keys ?? []);
        const youngest = Math.min(startedAt, deps.now()) - KEYED_MS;
        const young = rows.filter(({ value }) => value.receivedAt > youngest);
        const eventIds = joined(
          person.eventIds,
          young.map(({ value }) => value.eventId),
        );
        const known = joined(person.visitorKeys, made);
        return { person: { ...person, visitorKeys: known, eventIds }, counts: plus(counts, "events", rows.length) };
      };
      return sift(appId, erasure, "events", theirs, remove);
    },

    rejectedEvents: async (appId, erasure) => {
      await deps.settled(appId);
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

    outbox: (appId, erasure) => {
      const theirs = (rows: Rows<"outbox">, one: Erasure) =>
        ofContacts(rows, one).filter(({ value }) => endsWithContact(value));
      return sift(appId, erasure, "outbox", theirs, dropping("outbox"));
    },

    deadHooks: (appId, erasure) => sift(appId, erasure, "deadHooks", ofContacts, dropping("deadHooks")),
  } satisfies Steps;
}

function createLastSteps(deps: ErasureStepsDependencies) {
  const { step } = createProgress(deps);
  return {
    // Records received before the erasure began, and written since.
    recheck: async (appId, erasure) => {
      const idle = erasure.isSecond ? await idleVisitors(deps, appId, erasure) : [];
      return step(appId, erasure, (tx, one) => {
        const seen = removeExposures(tx, one, one.startedAt);
        if (!one.isSecond) return { ...seen, step: "visitors", isSecond: true };
        const removed = idle.reduce<Removed>((before, visitorId) => {
          const visitor = tx.visitors.get(visitorId);
          return visitor !== undefined && isIdle(one, visitor) ? removeVisitor(tx, before, visitor) : before;
        }, seen);
        if (Object.keys(removed.counts).length > 0) tx.markChanged();
        const { erasureId, person } = one;
        announceErasure(tx, { erasureId, contactIds: person.contactIds, at: deps.now() }, deps.newId);
        return { person: NOBODY, counts: removed.counts, step: "scrub" };
      });
    },

    scrub: async (appId, erasure) => {
      await deps.scrub(appId);
      return step(appId, erasure, () => ({ step: "done", finishedAt: deps.now() }));
    },
  } satisfies Steps;
}

/**
 * Makes the part of a work that removes the person's contacts and visitors. It suppresses the addresses that it finds, but none of the
 * `known` ones: the person may have subscribed since.
 *
 * @param upTo Contacts and visitors that were made later stay.
 */
export function createParting({ suppressions, newKey }: Pick<ErasureStepsDependencies, "suppressions" | "newKey">) {
  const key = newKey();
  return (tx: Transaction, erasure: Erasure, known: readonly string[], upTo = Number.POSITIVE_INFINITY): Removed => {
    const removed = removeIdentity(tx, erasure, upTo);
    const found = removed.person.contactKeys.filter((one) => !one.startsWith("i:") && !known.includes(one));
    suppressions?.add(tx, found, { suppressedAt: erasure.startedAt, source: "erasure" }, key);
    return removed;
  };
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

/**
 * Ids of visitors that events under way have made while their person was erased, and of whom nothing is kept that came later. The
 * erasure removes them at its end.
 */
async function idleVisitors(
  { visitors, copies }: Pick<PersonStores, "visitors" | "copies">,
  appId: string,
  erasure: Erasure,
): Promise<readonly string[]> {
  const found = await visitors.find(appId, erasure.person.visitorKeys);
  const idle: string[] = [];
  for (const visitor of found.filter((one) => isIdle(erasure, one))) {
    const histories = await Promise.all(visitor.members.map((member) => historyRows(copies, appId, member)));
    if (histories.every((rows) => rows.length === 0)) idle.push(visitor.visitorId);
  }
  return idle;
}

/** Whether a visitor was made before the call, has no contact and no ids but the person's. */
function isIdle({ person, startedAt }: Erasure, { createdAt, contactId, keys }: Visitor): boolean {
  return createdAt <= startedAt && contactId === "" && keys.every((key) => person.visitorKeys.includes(key));
}
