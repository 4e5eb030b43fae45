import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { RejectedEvent } from "../domain/rejected-event.js";
import { EventService, type RefusedReplaySchema, type ReplayedEventSchema } from "../gen/aisle/v1/event_service_pb.js";
import { RejectedEventSchema } from "../gen/aisle/v1/rejected_event_pb.js";
import { sentKey } from "../intake/idempotency-key.js";
import type { RejectedEvents } from "../intake/rejected-events.js";
import type { ReplayRejectedEvent } from "../intake/replay-rejected-event.js";
import type { AppStore } from "../store/ports/app-store.js";
import { REJECTED_LOG_LIMITS, type RejectedEventStore } from "../store/ports/rejected-event-store.js";
import { timestampOf } from "./common-messages.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { eventMessage, keptEventId, sentEvent } from "./event-messages.js";
import type { Mutation } from "./mutations.js";
import { readPage } from "./paging.js";
import { reasonText, refusalOf } from "./refused-items.js";
import { requireApp } from "./require-app.js";

export interface RejectedEventsDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly rejectedEvents: RejectedEventStore;
  /** Events of this process on their way into the log. */
  readonly rejecting: Pick<RejectedEvents, "settled">;
  readonly replayRejectedEvent: ReplayRejectedEvent;
  /** The same over works that are rolled back. */
  readonly tried: { readonly replayRejectedEvent: ReplayRejectedEvent };
  readonly mutation: Mutation;
  readonly report: ReportInternal;
}

type Handlers = Pick<ServiceImpl<typeof EventService>, "listRejectedEvents" | "replayRejectedEvents">;

/** The methods of EventService for rejected events. */
export function rejectedEventHandlers(deps: RejectedEventsDependencies): Handlers {
  const { apps, rejectedEvents, rejecting, mutation, report } = deps;
  return {
    listRejectedEvents: guarded(report, async (request) => {
      const { appId } = await requireApp(apps, request.appId);
      await rejecting.settled();
      const { items, nextPageToken } = await readPage(EventService.method.listRejectedEvents, request, {
        schema: RejectedEventSchema,
        read: (before, limit) => rejectedEvents.list(appId, before, limit),
        keyOf: ({ rejectedId }) => rejectedId,
        message: rejectedEventMessage,
      });
      return { rejectedEvents: items, nextPageToken };
    }),

    replayRejectedEvents: mutation(EventService.method.replayRejectedEvents, async (request, once) => {
      const { appId, rejectedEventIds, correctedEvent } = request;
      await requireApp(apps, appId);
      if (rejectedEventIds.length > REJECTED_LOG_LIMITS.events)
        throw new InvalidArgument("rejected_event_ids", "invalid", `at most ${REJECTED_LOG_LIMITS.events}`);
      if (correctedEvent !== undefined && rejectedEventIds.length !== 1)
        throw new InvalidArgument("corrected_event", "invalid", "with exactly one of rejected_event_ids");
      const correction = correctedEvent && sentEvent(correctedEvent);
      const replay = async ({ replayRejectedEvent }: Pick<RejectedEventsDependencies, "replayRejectedEvent">) => {
        await rejecting.settled();
        const ids = rejectedEventIds.length > 0 ? rejectedEventIds : await idsToReplay(rejectedEvents, appId);
        const replayed: MessageInitShape<typeof ReplayedEventSchema>[] = [];
        const refused: MessageInitShape<typeof RefusedReplaySchema>[] = [];
        for (const rejectedEventId of ids) {
          try {
            const { eventId, deduplicated, notes } = await replayRejectedEvent(appId, rejectedEventId, correction);
            const keptId = keptEventId(eventId, deduplicated, request.validateOnly);
            replayed.push({ rejectedEventId, eventId: keptId, deduplicated, notes: [...notes] });
          } catch (error) {
            refused.push({ rejectedEventId, ...refusalOfReplay(error) });
          }
        }
        return { replayed, refused };
      };
      return once.steps(
        appId,
        () => replay(deps),
        () => replay(deps.tried),
      );
    }),
  };
}

/** Events that were not replayed, the oldest first. */
async function idsToReplay(store: RejectedEventStore, appId: string): Promise<string[]> {
  const found = await store.list(appId, "", REJECTED_LOG_LIMITS.events);
  return found
    .filter(({ event }) => event !== null)
    .map(({ rejectedId }) => rejectedId)
    .reverse();
}

function refusalOfReplay(error: unknown): { readonly field: string; readonly reason: string } {
  if (error instanceof NotFound && error.resource === "rejected_event")
    return { field: "rejected_event_ids", reason: "is not in the log" };
  return refusalOf(error);
}

export function rejectedEventMessage(rejected: RejectedEvent): MessageInitShape<typeof RejectedEventSchema> {
  const { rejectedId, rejectedAt, event, idempotencyKey, field, fault, accepted, replayedAs } = rejected;
  return {
    rejectedEventId: rejectedId,
    rejectTime: timestampOf(rejectedAt),
    event: event === null ? undefined : { ...eventMessage(event), receiveTime: undefined },
    idempotencyKey: sentKey(idempotencyKey),
    field,
    reason: reasonText(fault, accepted),
    replayedEventId: replayedAs,
  };
}
