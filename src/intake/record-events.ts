import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Event, StoredEventListener } from "../domain/event.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import type { LearnedCounts } from "./effect.js";
import { ownedKey } from "./idempotency-key.js";
import { normalise, type SentEvent } from "./normalise.js";
import { countRecorded, type TakeEvent } from "./record-event.js";
import type { RejectedEvents } from "./rejected-events.js";

/** An event of a batch, as its sender gave it. */
export interface Sent {
  readonly event: SentEvent;
  /** "" for none. */
  readonly idempotencyKey: string;
}

export interface Taken {
  /** Of the event that was stored now, or under its key before. */
  readonly eventId: string;
  readonly actionType: string;
  readonly bot: boolean;
  readonly deduplicated: boolean;
  /** What the event taught of products, if anything. */
  readonly learned?: LearnedCounts | undefined;
  /** The event itself, if it was stored now and a listener wants it: others would outlive their turn for nothing. */
  readonly wanted?: Event | undefined;
}

/** What came of one of them: it was taken, or the error `RecordEvent` would reject with. */
export type TakenOrNot = PromiseSettledResult<Taken>;

/**
 * Stores a batch of events in order, each as `RecordEvent` does; the refusal of one leaves the others. Durable when it
 * resolves. No sender limit applies, and it waits for a busy store. `sent` gives the event of an index, the same one each
 * time. The store asks for an event when its turn comes: objects that live as long as the batch cost more in garbage
 * collection than all work on them.
 *
 * Rejects with NotFound("app"), InvalidArgument("app_id"), and the store's own errors.
 */
export type RecordEvents = (
  appId: string,
  count: number,
  sent: (index: number) => Sent,
) => Promise<readonly TakenOrNot[]>;

export interface RecordEventsDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly unitOfWork: Pick<UnitOfWork, "runEach">;
  /** Told of what was stored. */
  readonly listeners?: readonly StoredEventListener[];
  readonly take: TakeEvent;
  readonly rejectedEvents: Pick<RejectedEvents, "keep">;
  readonly now: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newEventId: () => string;
  readonly metrics: Metrics;
}

export function createRecordEvents(deps: RecordEventsDependencies): RecordEvents {
  const { apps, unitOfWork, listeners = [], take, rejectedEvents, now, newEventId, metrics } = deps;
  return async (appId, count, sent) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if ((await apps.get(appId)) === undefined) throw new NotFound("app");
    const receivedAt = now();
    const works = Array.from({ length: count }, (_, index) => {
      const eventId = newEventId();
      return (tx: Transaction): Taken => {
        if (tx.app() === undefined) throw new NotFound("app");
        const { event: given, idempotencyKey } = sent(index);
        const owned = ownedKey(appId, given, idempotencyKey);
        const event = normalise(given, eventId, receivedAt);
        const { deduplicated, learned, eventId: takenAs } = take(tx, event, given, owned);
        const isWanted = !deduplicated && listeners.some((listener) => listener.wants(appId, event));
        const { actionType, bot } = event;
        return {
          eventId: takenAs,
          actionType,
          bot,
          deduplicated,
          learned,
          wanted: isWanted ? { ...event, eventId: takenAs } : undefined,
        };
      };
    });
    const outcomes = await unitOfWork.runEach(appId, works);
    let acknowledged = 0;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") {
        countRecorded(metrics, outcome.value, outcome.value);
        const { wanted } = outcome.value;
        if (wanted !== undefined)
          for (const listener of listeners) if (listener.wants(appId, wanted)) listener.took(appId, wanted);
        acknowledged++;
      } else {
        const { event, idempotencyKey } = sent(index);
        rejectedEvents.keep(appId, event, idempotencyKey, outcome.reason);
      }
    }
    if (acknowledged > 0) metrics.count("events_acknowledged", undefined, acknowledged);
    return outcomes;
  };
}
