import { create, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Event } from "../domain/event.js";
import { EventSchema } from "../gen/aisle/v1/event_pb.js";
import { WatchEventsResponseSchema } from "../gen/aisle/v1/event_service_pb.js";
import type { EventsAfter } from "../store/ports/event-store.js";
import { eventMessage } from "./event-messages.js";
import { TOKEN_BYTES, type Tokens } from "./tokens.js";

/** One message. A reader that is slow keeps one waiting in memory, of each of its watches. */
export const MESSAGE_BYTES = 64 * 1024;
const EVENTS_BYTES = MESSAGE_BYTES - TOKEN_BYTES;

/** Events of one message, encoded once for all watches that get them. */
export interface EventBatch {
  readonly events: readonly EncodedEvent[];
  readonly bytes: number;
  /** The position behind them. */
  readonly position: string;
  /** Messages that were made of them. */
  readonly messages: Map<string, MessageShape<typeof WatchEventsResponseSchema>>;
}

/** A batch without events, to go on to a position. */
export function emptyBatch(position: string): EventBatch {
  return { events: [], bytes: 0, position, messages: new Map() };
}

interface EncodedEvent {
  readonly event: Event;
  /** The field `events` with this event: tag, length and message. */
  readonly field: Uint8Array;
}

/** The events of a page in batches. The last one is behind all of them. */
export function batchesOf({ events, positionAfter }: EventsAfter): EventBatch[] {
  const batches: EventBatch[] = [];
  let some: EncodedEvent[] = [];
  let bytes = 0;
  const end = (count: number) => {
    batches.push({ events: some, bytes, position: positionAfter(count), messages: new Map() });
    some = [];
    bytes = 0;
  };
  for (const [n, event] of events.entries()) {
    const one = encoded(event);
    if (some.length > 0 && bytes + one.field.length > EVENTS_BYTES) end(n);
    some.push(one);
    bytes += one.field.length;
  }
  if (some.length > 0) end(events.length);
  return batches;
}

/** Neighbours put together, as far as a message goes. */
export function joined(batches: readonly EventBatch[]): EventBatch[] {
  const all: EventBatch[] = [];
  for (const batch of batches) {
    const before = all.at(-1);
    const bytes = (before?.bytes ?? 0) + batch.bytes;
    if (before === undefined || bytes > EVENTS_BYTES) all.push(batch);
    else all[all.length - 1] = { ...batch, events: [...before.events, ...batch.events], bytes };
  }
  return all;
}

const EVENTS_FIELD = WatchEventsResponseSchema.field.events.number;
const TAG_BYTES = 1;

function encoded(event: Event): EncodedEvent {
  const message = toBinary(EventSchema, create(EventSchema, eventMessage(event)));
  return { event, field: new BinaryWriter().tag(EVENTS_FIELD, WireType.LengthDelimited).bytes(message).finish() };
}

/** Events in the form of one field that the message's type does not know: so each watch copies them and does not encode them. */
function asUnknown(events: readonly EncodedEvent[]) {
  const data = Buffer.concat(events.map(({ field }) => field)).subarray(TAG_BYTES); // the first tag is written with the field
  return [{ no: EVENTS_FIELD, wireType: WireType.LengthDelimited, data }];
}

/** What a watch makes of batches. */
export interface WatchedRequest {
  /** The same for watches that get the same messages. */
  readonly key: string;
  readonly isBinary: boolean;
  readonly matches: ((event: Event) => boolean) | undefined;
  readonly seal: Tokens["seal"];
  readonly open: Tokens["open"];
}

/** The message of a batch; undefined when none of its events is wanted. */
export function messageOf(batch: EventBatch, request: WatchedRequest) {
  const { key, isBinary, matches, seal } = request;
  const known = batch.messages.get(key);
  if (known !== undefined) return known;
  const wanted = matches === undefined ? batch.events : batch.events.filter(({ event }) => matches(event));
  if (wanted.length === 0) return undefined;
  const events = isBinary ? [] : wanted.map(({ event }) => eventMessage(event));
  const message = create(WatchEventsResponseSchema, { events, resumeToken: seal(batch.position) });
  if (isBinary) message.$unknown = asUnknown(wanted);
  batch.messages.set(key, message);
  return message;
}
