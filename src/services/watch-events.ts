import { create, type MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { InvalidArgument } from "../domain/errors.js";
import type { Event } from "../domain/event.js";
import { idAt, visitorKeys } from "../domain/ids.js";
import { EventService, type WatchEventsRequest, WatchEventsResponseSchema } from "../gen/aisle/v1/event_service_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { EventStore } from "../store/ports/event-store.js";
import { endOfWatch } from "./calls/draining.js";
import { msOf, visitorIdsOf } from "./common-messages.js";
import { batchesOf, type EventBatch, emptyBatch, messageOf, type WatchedRequest } from "./event-batch.js";
import { type EventTail, READ } from "./event-tail.js";
import type { EventTails } from "./event-tails.js";
import { requireApp } from "./require-app.js";
import { tokensOf } from "./tokens.js";

/** Interval of messages without events. */
const HEARTBEAT_MS = 30_000;
const MAX_PAST = 1000;
/** Events that are read for past ones, and at a time. */
const MAX_LOOKED_AT = 20_000;
const PAST_READ = 500;

interface WatchDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly events: EventStore;
  readonly tails: EventTails;
  readonly now: Now;
}

type Watched = MessageShape<typeof WatchEventsResponseSchema>;
type Context = Pick<HandlerContext, "signal" | "values" | "requestHeader">;

/** Sends an app's events as they are stored, until the caller leaves, its deadline passes or the server stops. */
export async function* watchEvents(
  deps: WatchDependencies,
  request: WatchEventsRequest,
  context: Context,
): AsyncGenerator<Watched> {
  const { appId } = await requireApp(deps.apps, request.appId);
  const { tail, leave } = deps.tails.join(appId);
  try {
    yield* follow(deps, tail, request, context);
  } finally {
    leave();
  }
}

/** Sends past events, then follows the tail. While the tail is not within reach, it reads the store by itself. */
async function* follow(
  deps: WatchDependencies,
  tail: EventTail,
  request: WatchEventsRequest,
  context: Context,
): AsyncGenerator<Watched> {
  const { tails, now } = deps;
  const watched = watchedOf(request, context);
  const ended = endOfWatch(context);
  const { past, ...begun } = await begin(deps, tail, request, watched);
  const at: Progress = { ...begun, saidAt: now() };
  const send = function* (batch: EventBatch): Generator<Watched> {
    at.position = batch.position;
    const message = messageOf(batch, watched);
    if (message !== undefined || now() - at.saidAt >= HEARTBEAT_MS) {
      at.saidAt = now();
      yield message ?? create(WatchEventsResponseSchema, { resumeToken: watched.seal(at.position) });
    }
  };
  for (const batch of batchesOf({ events: past, isEnd: true, positionAfter: () => at.position })) yield* send(batch);
  at.saidAt = Number.NEGATIVE_INFINITY; // the first message without events comes at once
  yield* send(emptyBatch(at.position));
  while (!ended.aborted) {
    if (at.next === undefined || tail.isGone(at.next)) {
      yield* catchUp(deps, tail, request.appId, at, send, ended);
      continue;
    }
    await tail.news(at.next, ended, at.saidAt + HEARTBEAT_MS - now());
    await tails.slices.take();
    const batch = tail.batch(at.next);
    if (batch !== undefined) at.next++;
    yield* send(batch ?? emptyBatch(at.position));
  }
  throw ended.reason;
}

/** Where a watch is. */
interface Progress {
  position: string;
  /** The next batch of the tail; undefined while the position is before the tail. */
  next: number | undefined;
  saidAt: number;
}

/** Reads the store up to its end, then up to the tail's head, which is behind that: from there on the tail has everything. */
async function* catchUp(
  { events, tails }: WatchDependencies,
  tail: EventTail,
  appId: string,
  at: Progress,
  send: (batch: EventBatch) => Generator<Watched>,
  ended: AbortSignal,
): AsyncGenerator<Watched> {
  const readTo = async function* (end: string | undefined): AsyncGenerator<Watched> {
    for (let isEnd = false; !isEnd && !ended.aborted; ) {
      await tails.slices.take();
      const page = await events.after(appId, at.position, READ, end);
      for (const batch of batchesOf(page)) yield* send(batch);
      yield* send(emptyBatch(page.positionAfter(page.events.length)));
      isEnd = page.isEnd;
    }
  };
  yield* readTo(undefined);
  await tail.advance();
  const { number, position } = tail.head;
  yield* readTo(position);
  at.position = position;
  at.next = number;
}

function watchedOf(request: WatchEventsRequest, { requestHeader }: Context): WatchedRequest {
  const asked: WatchEventsRequest = { ...request, resumeToken: "", start: { case: undefined } };
  const { seal, open } = tokensOf("resume_token", EventService.method.watchEvents, asked);
  const keys = new Set(visitorKeys(visitorIdsOf(request.visitor)));
  const isBinary = BINARY.test(requestHeader.get("content-type") ?? "");
  return {
    key: `${isBinary} ${seal("")}`,
    isBinary,
    matches: keys.size === 0 ? undefined : ({ visitor }) => visitorKeys(visitor).some((key) => keys.has(key)),
    seal,
    open,
  };
}

/** Content types of messages in binary form. */
const BINARY = /^application\/(grpc(-web)?(\+proto)?|connect\+proto)(;|$)/i;

/** Where a watch begins, and the events before it that are sent first. */
async function begin(
  { events, now }: Pick<WatchDependencies, "events" | "now">,
  tail: EventTail,
  { appId, start, resumeToken }: WatchEventsRequest,
  { matches, open }: WatchedRequest,
): Promise<Pick<Progress, "position" | "next"> & { readonly past: readonly Event[] }> {
  if (resumeToken !== "") return { position: open(resumeToken), next: undefined, past: [] };
  if (start.case === "startTime") {
    const from = idAt(Math.min(msOf(start.value) ?? 0, now()));
    return { position: await events.position(appId, from), next: undefined, past: [] };
  }
  const wanted = start.case === "pastEventCount" ? start.value : 0;
  if (wanted < 0 || wanted > MAX_PAST) throw new InvalidArgument("past_event_count", "invalid", `0 to ${MAX_PAST}`);
  await tail.advance();
  const { number: next, position } = tail.head;
  const past: Event[] = [];
  let before = "";
  for (let lookedAt = 0; past.length < wanted && lookedAt < MAX_LOOKED_AT; lookedAt += PAST_READ) {
    const read = await events.list(appId, before, PAST_READ, true);
    for (const event of read) if (past.length < wanted && matches?.(event) !== false) past.push(event);
    before = read.at(-1)?.eventId ?? before;
    if (read.length < PAST_READ) break;
  }
  // Events that were stored meanwhile are behind the position: they follow later.
  const since = new Set<string>();
  const end = past.length === 0 ? position : await events.position(appId);
  for (let at = position; at !== end; ) {
    const page = await events.after(appId, at, READ, end);
    for (const { eventId } of page.events) since.add(eventId);
    at = page.isEnd ? end : page.positionAfter(page.events.length);
  }
  return { position, next, past: past.filter(({ eventId }) => !since.has(eventId)).reverse() };
}
