import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { ActListener } from "../ports/act-listener.js";
import type { AppStore } from "../ports/app-store.js";
import type { Metrics } from "../ports/metrics.js";
import type { Transaction, UnitOfWork } from "../ports/unit-of-work.js";
import { actOf } from "./act-of.js";
import { countTaken } from "./count-taken.js";
import { type EventDraft, normalise } from "./normalise.js";
import { mustBeKey, type TakeEvent } from "./record-event.js";
import type { RejectedEvents } from "./rejected-events.js";

/** An event of a batch, as its sender gave it. */
export interface Sent {
  readonly draft: EventDraft;
  /** "" for none. */
  readonly idempotencyKey: string;
}

export interface Taken {
  /** Of the event that was stored now, or under its key before. */
  readonly eventId: string;
  readonly actionType: string;
  readonly bot: boolean;
  readonly deduplicated: boolean;
}

/** What came of one of them: it was taken, or the error `RecordEvent` would reject with. */
export type TakenOrNot = PromiseSettledResult<Taken>;

/**
 * Stores a batch of events, each as `RecordEvent` does and refused by itself, in their order; durable when it resolves.
 * No sender limit applies, and a store that has much to do is waited for. `sent` is asked for an event, by its index,
 * when the store gets to it, so that what is made of it is gone before the next one is looked at: objects that live as
 * long as a batch cost more in the collector of garbage than all that is done with them. It answers the same each time.
 *
 * Rejects with NotFound("app"), InvalidArgument("app_id"), and with what the store failed with.
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
  readonly acts?: ActListener | undefined;
  readonly take: TakeEvent;
  readonly rejectedEvents: Pick<RejectedEvents, "keep">;
  readonly now: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newEventId: () => string;
  readonly metrics: Metrics;
}

export function createRecordEvents(deps: RecordEventsDependencies): RecordEvents {
  const { apps, unitOfWork, take, rejectedEvents, now, newEventId, metrics } = deps;
  return async (appId, count, sent) => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    if ((await apps.get(appId)) === undefined) throw new NotFound("app");
    const receivedAt = now();
    const works = Array.from({ length: count }, (_, index) => {
      const eventId = newEventId();
      return (tx: Transaction): Taken => {
        if (tx.app() === undefined) throw new NotFound("app");
        const { draft, idempotencyKey } = sent(index);
        mustBeKey(idempotencyKey);
        const event = normalise(draft, eventId, receivedAt);
        const { deduplicated, eventId: takenAs } = take(tx, event, draft, idempotencyKey);
        return { eventId: takenAs, actionType: event.actionType, bot: event.bot, deduplicated };
      };
    });
    const outcomes = await unitOfWork.runEach(appId, works);
    const wanted = deps.acts?.wants(appId) ?? false;
    let acknowledged = 0;
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") {
        countTaken(metrics, outcome.value, outcome.value);
        if (wanted && !outcome.value.deduplicated)
          deps.acts?.took(appId, actOf(normalise(sent(index).draft, outcome.value.eventId, receivedAt)));
        acknowledged++;
      } else {
        const { draft, idempotencyKey } = sent(index);
        rejectedEvents.keep(appId, draft, idempotencyKey, outcome.reason);
      }
    }
    if (acknowledged > 0) metrics.count("events_acknowledged", undefined, acknowledged);
    return outcomes;
  };
}
