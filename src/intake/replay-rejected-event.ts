import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import { NotFound } from "../domain/errors.js";
import type { RejectedEvent } from "../domain/rejected-event.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import { normalise, type SentEvent } from "./normalise.js";
import { countRecorded, type Recorded, type TakeEvent } from "./record-event.js";

/** What a replayed event is still reckoned to take in the log. */
const REPLAYED_BYTES = 256;

/**
 * Takes a rejected event after all, as it is kept or as `correction` has it, and notes in the log that it was taken: a
 * second replay answers the same event. Without a time of its own it happened when it was rejected, and never later. A key
 * that it came with still counts, unless it was refused for that: then whoever replays it has decided that it is another
 * event.
 *
 * Rejects with NotFound, and with InvalidArgument or AlreadyExists as recording does; then nothing has changed.
 */
export type ReplayRejectedEvent = (
  appId: string,
  rejectedId: string,
  correction: SentEvent | undefined,
) => Promise<Recorded>;

export function createReplayRejectedEvent(deps: {
  readonly unitOfWork: UnitOfWork;
  readonly take: TakeEvent;
  readonly now: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newEventId: () => string;
  readonly metrics: Metrics;
}): ReplayRejectedEvent {
  const { unitOfWork, take, now, newEventId, metrics } = deps;
  return async (appId, rejectedId, correction) => {
    const [eventId, receivedAt] = [newEventId(), now()];
    let actionType = "";
    const recorded = await unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const rejected = tx.rejectedEvents.get(rejectedId);
      if (rejected === undefined) throw new NotFound("rejected_event");
      if (rejected.event === null)
        return { eventId: rejected.replayedAs, deduplicated: true, visitorChanged: false, notes: [] };
      const sent = withTime(correction ?? rejected.event, rejected);
      const key = rejected.fault === "reused" ? "" : rejected.idempotencyKey;
      // A sender's clock that was ahead must not make it later than what was said since.
      const occurredAt = Math.min(sent.occurredAt, rejected.rejectedAt);
      const event = normalise({ ...sent, occurredAt }, eventId, receivedAt);
      actionType = event.actionType;
      const taken = take(tx, event, sent, key);
      const replayed = { ...rejected, event: null, bytes: REPLAYED_BYTES, replayedAs: taken.eventId };
      tx.rejectedEvents.replace(replayed);
      return taken;
    });
    countRecorded(metrics, { actionType, bot: false }, recorded);
    metrics.count("events_acknowledged");
    return recorded;
  };
}

function withTime(sent: SentEvent, { rejectedAt }: RejectedEvent): SentEvent {
  // Who posted it is not known any more: it proves nothing.
  return { ...sent, sentBy: { network: "" }, occurredAt: sent.occurredAt || rejectedAt };
}
