import { setTimeout as pause } from "node:timers/promises";
import { create, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { InvalidArgument } from "../domain/errors.js";
import type { Event } from "../domain/event.js";
import { idAt, timeOfId, visitorKeys } from "../domain/ids.js";
import { EventSchema } from "../gen/aisle/v1/event_pb.js";
import { EventService, type WatchEventsRequest } from "../gen/aisle/v1/event_service_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { EventStore } from "../store/ports/event-store.js";
import { msOf, visitorIdsOf } from "./common-messages.js";
import { eventMessage } from "./event-messages.js";
import { EventPosition, LATE_MS } from "./event-position.js";
import { DIGEST_BYTES, PAGE_BYTES, requestDigest } from "./paging.js";
import { requireApp } from "./require-app.js";
import { endOfWatch } from "./wire/draining.js";

const EVERY_MS = 500;
/** Rounds of which one looks as far back as an event may be late, the others `SOON_MS`. */
const ROUNDS = 20;
const SOON_MS = 5000;
/** Interval of messages without events. */
const HEARTBEAT_MS = 30_000;
const READ = 500;
const MAX_PAST = 1000;
/** Events that are read for past ones. */
const MAX_LOOKED_AT = 20_000;

interface WatchDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly events: EventStore;
  readonly now: Now;
}

interface Watched {
  readonly events: MessageShape<typeof EventSchema>[];
  readonly resumeToken: string;
}

/** Sends an app's events as they are stored, until the caller leaves, its deadline passes or the server stops. */
export async function* watchEvents(
  deps: WatchDependencies,
  request: WatchEventsRequest,
  context: Pick<HandlerContext, "signal" | "values">,
): AsyncGenerator<Watched> {
  const { events, now } = deps;
  const { appId } = await requireApp(deps.apps, request.appId);
  const watched: WatchEventsRequest = { ...request, resumeToken: "", start: { case: undefined } };
  const digest = requestDigest(EventService.method.watchEvents, watched);
  const keys = new Set(visitorKeys(visitorIdsOf(request.visitor)));
  const matches = ({ visitor }: Event) => keys.size === 0 || visitorKeys(visitor).some((key) => keys.has(key));
  const { position, past } = await begin(deps, request, digest, matches);
  const message = (found: MessageShape<typeof EventSchema>[]): Watched => ({
    events: found,
    resumeToken: Buffer.concat([digest, position.encode()]).toString("base64url"),
  });
  const ended = endOfWatch(context);
  yield* inPages(past, () => undefined, message);
  yield message([]);
  let saidAt = now();
  for (let round = 0; !ended.aborted; round++) {
    const isFull = round % ROUNDS === 0;
    let from = position.from(isFull ? 0 : now() - SOON_MS);
    for (let isMore = true; isMore && !ended.aborted; ) {
      const read = await events.list(appId, from, READ, false);
      isMore = read.length === READ;
      from = read.at(-1)?.eventId ?? from;
      for await (const one of inPages(read, (event) => position.look(event.eventId) && matches(event), message)) {
        saidAt = now();
        yield one;
      }
      if (isFull && isMore) position.reached(from, now());
    }
    if (isFull && !ended.aborted) position.completed(now());
    if (now() - saidAt >= HEARTBEAT_MS) {
      saidAt = now();
      yield message([]);
    }
    await pause(EVERY_MS, undefined, { signal: ended }).catch(() => undefined); // the loop ends
    await requireApp(deps.apps, appId);
  }
  throw ended.reason;
}

/** Messages of at most `PAGE_BYTES` with the events that are wanted. */
async function* inPages(
  events: readonly Event[],
  isWanted: (event: Event) => boolean | undefined,
  message: (found: MessageShape<typeof EventSchema>[]) => Watched,
): AsyncGenerator<Watched> {
  let found: MessageShape<typeof EventSchema>[] = [];
  let bytes = 0;
  for (const event of events) {
    if (isWanted(event) === false) continue;
    const one = create(EventSchema, eventMessage(event));
    const size = toBinary(EventSchema, one).byteLength;
    if (found.length > 0 && bytes + size > PAGE_BYTES) {
      yield message(found);
      found = [];
      bytes = 0;
    }
    found.push(one);
    bytes += size;
  }
  if (found.length > 0) yield message(found);
}

/** Where a watch begins, and the events before it that are sent first. */
async function begin(
  { events, now }: WatchDependencies,
  { appId, start, resumeToken }: WatchEventsRequest,
  digest: Buffer,
  matches: (event: Event) => boolean,
): Promise<{ readonly position: EventPosition; readonly past: readonly Event[] }> {
  if (resumeToken !== "") {
    const token = Buffer.from(resumeToken, "base64url");
    if (!token.subarray(0, DIGEST_BYTES).equals(digest))
      throw new InvalidArgument("resume_token", "invalid", "the resume_token of a message to the same request");
    return { position: EventPosition.decode(token.subarray(DIGEST_BYTES)), past: [] };
  }
  if (start.case === "startTime") return { position: new EventPosition(idAt(msOf(start.value) ?? 0)), past: [] };
  const wanted = start.case === "pastEventCount" ? start.value : 0;
  if (wanted < 0 || wanted > MAX_PAST) throw new InvalidArgument("past_event_count", "invalid", `0 to ${MAX_PAST}`);
  const past: Event[] = [];
  const recent: string[] = [];
  let settled = "";
  let before = "";
  for (let lookedAt = 0; settled === "" || past.length < wanted; lookedAt += READ) {
    const read = await events.list(appId, before, READ, true);
    for (const event of read) {
      if (past.length < wanted && matches(event)) past.push(event);
      if (settled === "" && timeOfId(event.eventId) < now() - LATE_MS) settled = event.eventId;
      if (settled === "") recent.push(event.eventId);
    }
    before = read.at(-1)?.eventId ?? before;
    if (read.length < READ) break;
    if (lookedAt >= MAX_LOOKED_AT) {
      settled ||= before;
      break;
    }
  }
  const position = new EventPosition(settled);
  for (const eventId of recent.reverse()) position.look(eventId);
  return { position, past: past.reverse() };
}
