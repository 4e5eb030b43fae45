import type { Filter, Sort } from "mongodb";
import { keyOf, keysOf } from "../keys.js";
import type { EventStore, EventsAfter } from "../ports/event-store.js";
import { asked, type Connection } from "./connection.js";
import { decodePosition, type EventPosition, encodePosition, furthest, isPassed, type Orders } from "./event-order.js";
import type { StoredDocument } from "./table.js";
import type { Tables } from "./tables.js";
import { ordersOf } from "./writer-documents.js";

/** Ids of events in one query that counts them. */
const COUNTED_AT_ONCE = 1000;

export function createEventStore({ events }: Tables, connection: Connection): EventStore {
  const find = (filter: Filter<StoredDocument>, sort: Sort, limit: number): Promise<StoredDocument[]> =>
    asked(connection, () =>
      events.collection
        .find(filter, { batchSize: limit + 1 })
        .sort(sort)
        .limit(limit)
        .toArray(),
    );
  /** A page of `documents`; `behind` gives the position behind some of them, not of all. */
  const page = (
    documents: readonly StoredDocument[],
    isEnd: boolean,
    behindAll: EventPosition,
    behind: (passed: readonly StoredDocument[]) => EventPosition,
  ): EventsAfter => ({
    events: documents.map(({ v }) => events.decode(v)),
    isEnd,
    positionAfter: (count) =>
      encodePosition(count === documents.length ? behindAll : behind(documents.slice(0, count))),
  });

  /** The next of the events that were there before, in the order of their ids. */
  const historyAfter = async (appId: string, history: string, orders: Orders, limit: number): Promise<EventsAfter> => {
    const { start, end } = keysOf(appId, history);
    const read = await find({ _id: { $gte: events.idOf(start), $lt: events.idOf(end) } }, { _id: 1 }, limit);
    const behind = (passed: readonly StoredDocument[]) => {
      const last = passed.at(-1);
      return { orders, history: last === undefined ? history : idOf(appId, last) };
    };
    const behindAll = read.length < limit ? { orders, history: undefined } : behind(read);
    return page(
      read.filter((document) => isPassed(orders, document)),
      false,
      behindAll,
      behind,
    );
  };
  const idOf = (appId: string, { _id }: Pick<StoredDocument, "_id">) =>
    events.keyOf(_id).slice(keyOf(appId, "").length);

  return {
    get: (appId, eventId) => events.get(keyOf(appId, eventId)),
    list: async (appId, from, limit, newestFirst) => {
      const all = keysOf(appId);
      const entries = newestFirst
        ? await events.entries({ ...all, ...(from !== "" && { end: keyOf(appId, from) }), limit, backwards: true })
        : await events.list(appId, from, limit);
      return entries.map((entry) => entry.value);
    },
    count: async (appId, from, limit) => {
      let count = 0;
      let lastId = from;
      for (;;) {
        const most = Math.min(COUNTED_AT_ONCE, limit - count);
        if (most <= 0) return { count, lastId };
        const { start, end } = keysOf(appId, lastId);
        const found = await asked(connection, () =>
          events.collection
            .find({ _id: { $gte: events.idOf(start), $lt: events.idOf(end) } }, { batchSize: most + 1 })
            .project<Pick<StoredDocument, "_id">>({ _id: 1 })
            .sort({ _id: 1 })
            .limit(most)
            .toArray(),
        );
        count += found.length;
        const last = found.at(-1);
        if (last !== undefined) lastId = idOf(appId, last);
        if (found.length < most) return { count, lastId };
      }
    },
    position: async (appId, history) => encodePosition({ orders: await ordersOf(connection, appId), history }),
    after: async (appId, position, limit, upTo) => {
      const from = decodePosition(position);
      if (from.history !== undefined) return historyAfter(appId, from.history, from.orders, limit);
      const end = upTo === undefined ? await ordersOf(connection, appId) : decodePosition(upTo).orders;
      const ofSlots: StoredDocument[][] = [];
      for (const [slot, last] of end) {
        const passed = from.orders.get(slot) ?? 0;
        const order = { $gt: passed, $lte: last };
        if (last > passed) ofSlots.push(await find({ app: appId, slot, order }, { order: 1 }, limit));
      }
      const isEnd = ofSlots.reduce((sum, { length }) => sum + length, 0) < limit;
      const behind = (passed: readonly StoredDocument[]) => {
        const reached = new Map(passed.map(({ slot = 0, order = 0 }) => [slot, order] as const));
        return { orders: furthest(from.orders, reached), history: undefined };
      };
      const some = merged(ofSlots, limit);
      const behindAll = isEnd ? { orders: furthest(from.orders, end), history: undefined } : behind(some);
      return page(some, isEnd, behindAll, behind);
    },
  };
}

/** The first of several lists of documents, by their ids as far as each list's own order allows. */
function merged(lists: readonly StoredDocument[][], limit: number): StoredDocument[] {
  const all: StoredDocument[] = [];
  for (;;) {
    const [first] = lists.filter((list) => list.length > 0).sort((a, b) => (a[0]!._id < b[0]!._id ? -1 : 1));
    if (first === undefined || all.length === limit) return all;
    all.push(first.shift()!);
  }
}
