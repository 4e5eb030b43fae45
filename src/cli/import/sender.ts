import type { BadRow, ImportItem } from "../../catalog/feed/rows.js";
import type { RefusedItem } from "../../gen/aisle/v1/refused_item_pb.js";
import { isLate, isOutOfReach, isPassing } from "../call-errors.js";
import type { SentCounts } from "./totals.js";

/** The answer of a bulk call, of either kind. */
export interface BulkAnswer {
  readonly accepted: number;
  readonly deduplicated: number;
  /** Left out because an address is suppressed. */
  readonly suppressed?: number;
  readonly refused: readonly Pick<RefusedItem, "index" | "field" | "reason">[];
}

/** One bulk call: sends the batches as one client stream. */
export type BulkCall<Message> = (batches: readonly (readonly ImportItem<Message>[])[]) => Promise<BulkAnswer>;

export interface SendLimits {
  /** Items in one message. The contract allows 1,000. */
  readonly batchItems: number;
  /** Characters of input in one message: long descriptions must not exceed the server's message limit. */
  readonly batchChars: number;
  /** Items in one call. An answer lists at most 1,000 rejected items, so larger calls could not be resolved fully. */
  readonly callItems: number;
}

const SEND_LIMITS: SendLimits = { batchItems: 500, batchChars: 262_144, callItems: 1000 };

/** A call that takes longer is followed by calls of half as many items, a shorter one by calls of twice as many. */
const SLOW_CALL_MS = 10_000;
const QUICK_CALL_MS = 2000;

/** Waits between retries of a repeatable call, in milliseconds: about half a minute in all. */
const RETRY_WAITS_MS = [500, 1000, 2000, 4000, 8000, 16_000];

export interface SenderOptions<Message> {
  readonly call: BulkCall<Message>;
  readonly onRefused: (row: BadRow) => void;
  /** True when sending an item twice does no harm. */
  readonly repeatable: boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** Milliseconds of a clock. */
  readonly now: () => number;
  /** Called when a slow server makes the next calls smaller. */
  readonly onSlow: (items: number) => void;
  /** Called before each wait for a server that could not accept a call. */
  readonly onWait: (ms: number) => void;
  /** Updated with each answer, so that it also shows how far a failed import came. */
  readonly counts: SentCounts;
  readonly limits?: SendLimits;
}

/**
 * Sends items in the order given, one call at a time, while the next call's items are being read. Holds at most
 * two calls and what one `add` brought.
 */
export interface Sender<Message> {
  add(items: readonly ImportItem<Message>[]): void;
  /** Sends full calls; waits while one is under way. @throws the call's error */
  drain(): Promise<void>;
  /** Sends the rest and waits for the answers. @throws a call's error */
  end(): Promise<void>;
}

export function createSender<Message>(options: SenderOptions<Message>): Sender<Message> {
  const { call, onRefused, repeatable, sleep, now, onSlow, onWait, counts, limits = SEND_LIMITS } = options;
  let waiting: ImportItem<Message>[] = [];
  let underWay: Promise<void> = Promise.resolve();
  let callItems = limits.callItems;

  const halve = () => {
    callItems = Math.max(1, Math.floor(callItems / 2));
    onSlow(callItems);
  };

  /** Sends the items in calls as large as the server is quick. */
  const send = async (items: readonly ImportItem<Message>[]) => {
    for (let from = 0; from < items.length; ) {
      const size = Math.min(callItems, items.length - from);
      try {
        const startedAt = now();
        await sendAtOnce(items.slice(from, from + size));
        const took = now() - startedAt;
        if (took > SLOW_CALL_MS && size > 1) halve();
        else if (took < QUICK_CALL_MS) callItems = Math.min(limits.callItems, callItems * 2);
        from += size;
      } catch (error) {
        if (!repeatable || size === 1 || !isLate(error)) throw error;
        halve();
      }
    }
  };

  const sendAtOnce = async (items: readonly ImportItem<Message>[]) => {
    const answer = await withRetries(() => call(batchesOf(items, limits)));
    counts.accepted += Number(answer.accepted);
    counts.deduplicated += Number(answer.deduplicated);
    counts.suppressed += answer.suppressed ?? 0;
    for (const { index, field, reason } of answer.refused) {
      const text = field !== "" && !reason.includes(field) ? `${field}: ${reason}` : reason;
      for (const source of items[Number(index)]?.sources ?? []) {
        onRefused({ ...source, reason: `refused by the server: ${text}` });
      }
    }
  };

  /** Fails at once if no server ever answered. Waits for one that has, even if only to say that it is busy. */
  const withRetries = async (attempt: () => Promise<BulkAnswer>): Promise<BulkAnswer> => {
    for (const wait of repeatable ? RETRY_WAITS_MS : []) {
      try {
        return await attempt();
      } catch (error) {
        const wasReached = counts.accepted + counts.deduplicated > 0;
        if (!isPassing(error) || (!wasReached && isOutOfReach(error))) throw error;
        onWait(wait);
        await sleep(wait);
      }
    }
    return attempt();
  };

  const start = async (items: readonly ImportItem<Message>[]) => {
    await underWay;
    underWay = send(items);
    // Awaited by the next drain or end; until then a failure must not count as unhandled.
    underWay.catch(() => {});
  };

  const drain = async () => {
    let from = 0;
    for (; waiting.length - from >= limits.callItems; from += limits.callItems) {
      await start(waiting.slice(from, from + limits.callItems));
    }
    if (from > 0) waiting = waiting.slice(from);
  };

  return {
    add(items) {
      for (const item of items) waiting.push(item);
    },
    drain,
    async end() {
      await drain();
      if (waiting.length > 0) await start(waiting);
      waiting = [];
      await underWay;
    },
  };
}

function batchesOf<Message>(items: readonly ImportItem<Message>[], limits: SendLimits): ImportItem<Message>[][] {
  const batches: ImportItem<Message>[][] = [];
  let batch: ImportItem<Message>[] = [];
  let chars = 0;
  for (const item of items) {
    const size = item.sources.reduce((sum, source) => sum + source.raw.length, 0);
    if (batch.length > 0 && (batch.length >= limits.batchItems || chars + size > limits.batchChars)) {
      batches.push(batch);
      batch = [];
      chars = 0;
    }
    batch.push(item);
    chars += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
