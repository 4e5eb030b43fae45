import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { check, checkAll, DomainError, InvalidArgument, NotFound, Unavailable } from "../domain/errors.js";
import { cleanId, type VisitorIds, visitorKeys } from "../domain/ids.js";
import { EventSchema } from "../gen/aisle/v1/event_pb.js";
import {
  EventService,
  type RecordEventsRequest,
  RecordEventsRequestSchema,
  type RecordedEventSchema,
} from "../gen/aisle/v1/event_service_pb.js";
import { normalise } from "../intake/normalise.js";
import type { RecordEvent } from "../intake/record-event.js";
import type { RecordEvents } from "../intake/record-events.js";
import type { SignedEvents } from "../intake/signed-events.js";
import type { EventStore } from "../store/ports/event-store.js";
import type { OrderStore } from "../store/ports/order-store.js";
import { visitorIdsOf } from "./common-messages.js";
import { guarded, guardedStream } from "./errors/errors.js";
import { eventMessage, keptEventId, sentEvent } from "./event-messages.js";
import { EventTails } from "./event-tails.js";
import { orderMessage } from "./order-messages.js";
import { readPage } from "./paging.js";
import { BulkHead, createRefusals, MAX_BATCH } from "./refused-items.js";
import { type RejectedEventsDependencies, rejectedEventHandlers } from "./rejected-event-handlers.js";
import { requireApp } from "./require-app.js";
import { watchEvents } from "./watch-events.js";
import type { WatchLimit } from "./watch-limit.js";

/** Maximum events that the answer of a bulk call lists. */
const MAX_RECORDED = 10_000;

interface Recording {
  readonly recordEvent: RecordEvent;
  readonly recordEvents: RecordEvents;
}

export interface EventServiceDependencies extends RejectedEventsDependencies, Recording {
  /** The same over works that are rolled back. */
  readonly tried: Recording & RejectedEventsDependencies["tried"];
  readonly verifySignature: SignedEvents["verify"];
  readonly events: EventStore;
  readonly orders: Pick<OrderStore, "get">;
  readonly watches: WatchLimit;
  readonly now: Now;
}

export function createEventService(deps: EventServiceDependencies): ServiceImpl<typeof EventService> {
  const { report } = deps;
  const watched = { ...deps, tails: new EventTails(deps) };
  return {
    recordEvent: guarded(report, async (request) => {
      if (request.appId === "")
        checkAll(
          check(false, "app_id", "missing"),
          () => void normalise(sentEvent(request.event), "", 0), // names the faults of the event, too
        );
      const isSigned = request.signature !== undefined;
      if (request.signature !== undefined) await deps.verifySignature(request.appId, request.signature);
      const { recordEvent } = request.validateOnly ? deps.tried : deps;
      const { eventId, deduplicated, visitorChanged, notes, allowance } = await recordEvent(
        request.appId,
        sentEvent(request.event, isSigned ? undefined : request.publicSender, request.sentDigest),
        request.signature?.id ?? request.idempotencyKey,
        !request.validateOnly,
        request.signals,
      );
      return {
        eventId: keptEventId(eventId, deduplicated, request.validateOnly),
        deduplicated,
        visitorChanged,
        notes: [...notes],
        senderAllowance: allowance && {
          limit: allowance.limit,
          window: durationFromMs(Math.ceil(allowance.windowMs)),
          remaining: allowance.remaining,
          resetDelay: durationFromMs(Math.ceil(allowance.resetMs)),
        },
      };
    }),

    ...rejectedEventHandlers(deps),

    recordEvents: guarded(report, async (requests) => recordAll(deps, requests)),

    batchRecordEvents: guarded(report, async ({ appId, events, idempotencyKeys, validateOnly }) => {
      checkAll(check(appId !== "", "app_id", "missing"), check(events.length > 0, "events", "missing"));
      const batch = create(RecordEventsRequestSchema, {
        appId,
        idempotencyKeys,
        listEvents: true,
        validateOnly,
      });
      const { recorded, refused } = await recordAll(deps, only({ ...batch, events }));
      return { recorded, refused };
    }),

    watchEvents: guardedStream(report, (request, context: HandlerContext) => watchEvents(watched, request, context)),

    getEvent: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.eventId === "") throw new InvalidArgument("event_id", "missing");
      const event = await deps.events.get(request.appId, request.eventId);
      if (event === undefined) throw new NotFound("event");
      return { event: eventMessage(event) };
    }),

    getOrder: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.orderId === "") throw new InvalidArgument("order_id", "missing");
      // The id of an order that is stored apart has a line break; senders' ids have none.
      const orderId = cleanId(request.orderId);
      const order = orderId === "" ? undefined : await deps.orders.get(request.appId, orderId);
      if (order === undefined) throw new NotFound("order");
      return { order: orderMessage(order) };
    }),

    listEvents: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const keys = new Set(visitorKeys(visitorIdsOf(request.visitor)));
      const { items, nextPageToken } = await readPage(EventService.method.listEvents, request, {
        schema: EventSchema,
        read: (from, limit) => deps.events.list(appId, from, limit, request.newestFirst),
        keyOf: ({ eventId }) => eventId,
        message: eventMessage,
        matches: keys.size === 0 ? undefined : (event) => hasKey(event.visitor, keys),
      });
      return { events: items, nextPageToken };
    }),
  };
}

/**
 * While one batch is on its way to the disk, the next one is read, and no further one. So the sender is as fast as the
 * store.
 */
async function recordAll(deps: EventServiceDependencies, requests: AsyncIterable<RecordEventsRequest>) {
  const refusals = createRefusals();
  const head = new BulkHead();
  let index = 0;
  let listed = 0;
  let accepted = 0;
  let deduplicated = 0;
  const recorded: MessageInitShape<typeof RecordedEventSchema>[] = [];
  const store = async (first: number, { events, idempotencyKeys, listEvents }: RecordEventsRequest) => {
    const { recordEvents } = head.isTried ? deps.tried : deps;
    const sent = (i: number) => ({ event: sentEvent(events[i]), idempotencyKey: idempotencyKeys[i] ?? "" });
    for (const [i, result] of (await recordEvents(head.appId, events.length, sent)).entries()) {
      if (result.status === "fulfilled") {
        const { eventId, deduplicated: isKnown } = result.value;
        if (isKnown) deduplicated++;
        else accepted++;
        if (!listEvents) continue;
        recorded.push({
          index: first + i,
          eventId: keptEventId(eventId, isKnown, head.isTried),
          deduplicated: isKnown,
        });
      } else if (concernsAll(result.reason)) {
        throw result.reason;
      } else {
        refusals.add(first + i, result.reason);
      }
    }
  };
  let underWay: Promise<void> = Promise.resolve();
  for await (const request of unlessFailed(requests, () => underWay)) {
    const { events, idempotencyKeys } = request;
    head.read(request);
    if (events.length > MAX_BATCH) throw new InvalidArgument("events", "invalid", `at most ${MAX_BATCH} a batch`);
    if (idempotencyKeys.length !== 0 && idempotencyKeys.length !== events.length)
      throw new InvalidArgument("idempotency_keys", "invalid", "one for each event, or none at all");
    if (request.listEvents) listed += events.length;
    if (listed > MAX_RECORDED)
      throw new InvalidArgument("list_events", "invalid", `at most ${MAX_RECORDED} events of a call can be listed`);
    await underWay;
    underWay = store(index, request);
    underWay.catch(() => undefined); // awaited with the next batch, or at the end
    index += events.length;
  }
  await underWay;
  head.mustHaveBatch();
  return { accepted, deduplicated, ...refusals.answer(), recorded };
}

async function* only<T>(request: T): AsyncGenerator<T> {
  yield request;
}

/** Yields the requests, or throws the error of the work under way if that fails first. */
async function* unlessFailed<T>(requests: AsyncIterable<T>, underWay: () => Promise<void>): AsyncGenerator<T> {
  const iterator = requests[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      const { done, value } = await Promise.race([next, underWay().then(() => next)]);
      if (done === true) return;
      yield value;
    }
  } finally {
    await Promise.allSettled([underWay()]); // everything that a call has begun is settled when it answers
    iterator.return?.().catch(() => undefined);
  }
}

/** True for errors that are not the fault of a single event. */
function concernsAll(error: unknown): boolean {
  return !(error instanceof DomainError) || error instanceof Unavailable || error instanceof NotFound;
}

function hasKey(visitor: VisitorIds, keys: ReadonlySet<string>): boolean {
  return visitorKeys(visitor).some((key) => keys.has(key));
}
