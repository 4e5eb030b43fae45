import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import { AlreadyExists, InvalidArgument } from "../domain/errors.js";
import type { Event } from "../domain/event.js";
import { cleanId } from "../domain/ids.js";
import type { RejectedEvent } from "../domain/rejected-event.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import { ownedKey } from "./idempotency-key.js";
import type { SentEvent } from "./normalise.js";

/** A larger event is not kept: what senders get wrong in it is wrong in smaller ones, too. */
const MAX_BYTES = 64 * 1024;
/** Each is reckoned to take so much at least. */
const LEAST_BYTES = 1024;
/** Of one app: what may be kept at once, and what comes back each second. */
const APP_BUDGET = { bytes: 2 * 2 ** 20, perSecond: 64 * 1024 };
/** Of all apps together, those that do not exist included. */
const BUDGET = { bytes: 8 * 2 ** 20, perSecond: 256 * 1024 };
/** Written in one work at most. */
const WORK_BYTES = 256 * 1024;
const WORK_EVENTS = 64;

const YEAR_10000 = Date.UTC(10000, 0, 1);

type Kept = Omit<RejectedEvent, "rejectedId">;

export interface RejectedEventsDeps {
  readonly apps: Pick<AppStore, "get">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  /** Milliseconds that never go back. */
  readonly monotonicNow: Now;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}

/** Keeps refused events, as far as that costs accepted ones nothing. */
export interface RejectedEvents {
  /**
   * Keeps an event that was refused with InvalidArgument or AlreadyExists, later and beside everything else. One that
   * is too large, or one too many at a time, or that the store does not take now, is dropped and counted. Never throws.
   */
  keep(appId: string, sent: SentEvent, idempotencyKey: string, error: unknown): void;
  /** Resolves when those kept before are in the log, or dropped. */
  settled(): Promise<void>;
}

/**
 * Garbage must fill neither the disk nor the store's queue. So an app's log is bounded, as are the bytes written to it in
 * a second. One work at a time writes a small part of the events that wait in memory.
 */
export function createRejectedEvents(deps: RejectedEventsDeps): RejectedEvents {
  const { apps, unitOfWork, now, monotonicNow, metrics } = deps;
  const budget = new Budget(BUDGET, monotonicNow);
  const budgets = new Map<string, Budget>();
  const waiting = new Map<string, Kept[]>();
  let writing: Promise<void> | undefined;

  const drop = (reason: "size" | "rate" | "store", count = 1) => {
    metrics.count("rejected_events_dropped", { reason }, count);
  };

  /** Writes the first of an app's events and answers those that are left. */
  const writeSome = async (appId: string, all: readonly Kept[]): Promise<readonly Kept[]> => {
    const some = firstOf(all);
    try {
      if ((await apps.get(appId)) === undefined) return []; // refused because of that, too
      const own = budgets.get(appId) ?? new Budget(APP_BUDGET, monotonicNow);
      budgets.set(appId, own);
      const paid = some.filter(({ bytes }) => own.spend(bytes));
      if (paid.length < some.length) drop("rate", some.length - paid.length);
      if (paid.length === 0) return all.slice(some.length);
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() !== undefined) for (const event of paid) tx.rejectedEvents.add(event);
      });
      metrics.count("rejected_events_kept", undefined, paid.length);
    } catch (error) {
      drop("store", some.length);
      deps.reportFailure("rejected_events", error);
    }
    return all.slice(some.length);
  };

  const writeAll = async () => {
    for (const [appId, all] of waiting) {
      waiting.delete(appId);
      for (let left: readonly Kept[] = all; left.length > 0; ) left = await writeSome(appId, left);
    }
  };

  const start = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (waiting.size > 0) start(); // refused in the moment in which the last one was written
    });
  };

  return {
    keep(appId, sent, idempotencyKey, error) {
      const reason = reasonOf(error);
      if (reason === undefined || appId === "") return;
      if (!budget.has(LEAST_BYTES)) return drop("rate");
      const rejectedAt = now();
      const event = eventOf(sent, rejectedAt);
      const bytes = Math.max(LEAST_BYTES, Buffer.byteLength(JSON.stringify(event)));
      const isTaken = budget.spend(Math.min(bytes, MAX_BYTES));
      if (bytes > MAX_BYTES) return drop("size");
      if (!isTaken) return drop("rate");
      const key = cleanId(idempotencyKey) && ownedKey(appId, sent, idempotencyKey);
      const kept = { ...reason, rejectedAt, idempotencyKey: key, event, bytes, replayedAs: "" };
      const own = waiting.get(appId);
      if (own === undefined) waiting.set(appId, [kept]);
      else own.push(kept);
      start();
    },

    async settled() {
      while (writing !== undefined) await writing;
    },
  };
}

function firstOf(all: readonly Kept[]): readonly Kept[] {
  let bytes = 0;
  let count = 0;
  for (const event of all) {
    bytes += event.bytes;
    if (count > 0 && (count === WORK_EVENTS || bytes > WORK_BYTES)) break;
    count++;
  }
  return all.slice(0, count);
}

/** Undefined for what is no fault of the event. */
function reasonOf(error: unknown): Pick<RejectedEvent, "fault" | "field" | "accepted"> | undefined {
  if (error instanceof InvalidArgument) return { fault: error.fault, field: error.field, accepted: error.accepted };
  if (error instanceof AlreadyExists) return { fault: "reused", field: "idempotency_key", accepted: "" };
  return undefined;
}

function eventOf(sent: SentEvent, rejectedAt: number): Event {
  const at = sent.occurredAt;
  const occurredAt = at > 0 && at < YEAR_10000 ? Math.floor(at) : 0;
  return { ...sent, eventId: "", occurredAt, receivedAt: rejectedAt, notes: [] };
}

/** A budget of bytes that refills each second, up to a bound. */
class Budget {
  private left: number;
  private at: number;

  constructor(
    private readonly size: { readonly bytes: number; readonly perSecond: number },
    private readonly now: Now,
  ) {
    this.left = size.bytes;
    this.at = now();
  }

  has(bytes: number): boolean {
    const now = this.now();
    this.left = Math.min(this.size.bytes, this.left + ((now - this.at) / 1000) * this.size.perSecond);
    this.at = now;
    return this.left >= bytes;
  }

  /** False, and nothing spent, when there is not enough. */
  spend(bytes: number): boolean {
    if (!this.has(bytes)) return false;
    this.left -= bytes;
    return true;
  }
}
