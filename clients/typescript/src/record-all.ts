import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { backoffMs } from "./defaults.js";
import type { EventSchema, EventService, RefusedItem } from "./messages.js";
import { RETRY } from "./service-config.js";

type NewEvent = MessageInitShape<typeof EventSchema>;

export interface RecordAllOptions {
  /** The key under which an event is stored once, for example its order id. Default: a random one for this call. */
  readonly keyOf?: (event: NewEvent) => string;
  /** Events in a message, at most 1,000. Default: 500. */
  readonly batchSize?: number;
  /** Messages in a call; a call is what is repeated. Default: 20. */
  readonly batchesPerCall?: number;
  readonly signal?: AbortSignal;
}

export interface RecordedTotals {
  /** Events stored. */
  accepted: number;
  /** Events whose key was known. */
  deduplicated: number;
  /** Events not stored, with their position among all events; at most 1,000 of each call. */
  readonly refused: RefusedItem[];
  /** Number of all events not stored. */
  refusedTotal: number;
}

/** Records many events in batches. A call that finds the server unavailable is repeated; the keys store each event once. */
export async function recordAll(
  client: Client<typeof EventService>,
  appId: string,
  events: Iterable<NewEvent> | AsyncIterable<NewEvent>,
  options: RecordAllOptions = {},
): Promise<RecordedTotals> {
  const { keyOf = () => crypto.randomUUID(), batchSize = 500, batchesPerCall = 20, signal } = options;
  const totals: RecordedTotals = { accepted: 0, deduplicated: 0, refused: [], refusedTotal: 0 };
  let sent = 0;
  for await (const part of chunks(events, batchSize * batchesPerCall)) {
    const keys = part.map(keyOf);
    const answer = await record(client, appId, part, keys, batchSize, signal);
    totals.accepted += Number(answer.accepted);
    totals.deduplicated += Number(answer.deduplicated);
    totals.refusedTotal += Number(answer.refusedTotal);
    for (const item of answer.refused) totals.refused.push({ ...item, index: item.index + sent });
    sent += part.length;
  }
  return totals;
}

async function record(
  client: Client<typeof EventService>,
  appId: string,
  events: readonly NewEvent[],
  keys: readonly string[],
  batchSize: number,
  signal?: AbortSignal,
) {
  async function* batches() {
    for (let at = 0; at < events.length; at += batchSize)
      yield { appId, events: events.slice(at, at + batchSize), idempotencyKeys: keys.slice(at, at + batchSize) };
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.recordEvents(batches(), signal ? { signal } : {});
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unavailable || attempt === RETRY.maxAttempts) throw error;
      await new Promise((done) => setTimeout(done, backoffMs(attempt)));
    }
  }
}

async function* chunks<T>(items: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
