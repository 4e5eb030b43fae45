import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ImportItem, Source } from "../../catalog/feed/rows.js";
import { type Event, EventSchema, SenderType } from "../../gen/aisle/v1/event_pb.js";
import type { EventLine } from "./event-row.js";

/** Limits of the window in which lines of one order are joined. */
export interface OrderWindow {
  /** Orders open at once. */
  readonly orders: number;
  /** Lines held by all open orders together. */
  readonly lines: number;
  /** How many lines of the file an order stays open after its last one. */
  readonly distance: number;
}

export const ORDER_WINDOW: OrderWindow = { orders: 1000, lines: 50_000, distance: 50_000 };

/** Makes events of lines: one of each line, but one of all lines of an order. */
export interface EventAssembler {
  /** Events that are now complete, in order. `key` is the idempotency key of the content up to here. */
  push(line: EventLine, source: Source, key: string): ImportItem<Event>[];
  /** The orders still open. */
  end(): ImportItem<Event>[];
}

interface OpenOrder {
  readonly first: EventLine;
  /** By product and price. */
  readonly lines: Map<string, EventLine>;
  readonly sources: Source[];
  key: string;
  /** Number of lines at its last one. */
  touched: number;
}

/**
 * Lines are of one order when type, order id and visitor agree. They need not follow each other: an order stays open
 * until `window.orders` others were touched after it or `window.distance` lines have passed. Lines that come later still make a second event of that order;
 * the server's order book then keeps the fuller of the two.
 */
export function createEventAssembler(window: OrderWindow = ORDER_WINDOW): EventAssembler {
  // A Map iterates in order of insertion; an order that is touched is put in again, so the first is the stalest.
  const open = new Map<string, OpenOrder>();
  let held = 0;
  let lines = 0;

  const close = (id: string, order: OpenOrder): ImportItem<Event> => {
    open.delete(id);
    held -= order.sources.length;
    return { message: eventOf(order.first, [...order.lines.values()]), sources: order.sources, key: order.key };
  };

  const add = (line: EventLine, source: Source, key: string) => {
    const id = JSON.stringify([line.type, line.orderId, line.visitor, line.userId, line.fingerprintId, line.email]);
    const order: OpenOrder = open.get(id) ?? { first: line, lines: new Map(), sources: [], key, touched: lines };
    addLine(order.lines, line);
    order.sources.push(source);
    order.key = key;
    order.touched = lines;
    held += 1;
    open.delete(id);
    open.set(id, order);
  };

  return {
    push(line, source, key) {
      lines += 1;
      const complete: ImportItem<Event>[] = [];
      if (line.orderId === "") complete.push({ message: eventOf(line, [line]), sources: [source], key });
      else add(line, source, key);
      for (const [id, order] of open) {
        const stale = lines - order.touched > window.distance;
        if (!stale && open.size <= window.orders && held <= window.lines) break;
        complete.push(close(id, order));
      }
      return complete;
    },
    end: () => [...open].map(([id, order]) => close(id, order)),
  };
}

/** Two lines of one product at one price are one with the sum of their quantities. */
function addLine(lines: Map<string, EventLine>, line: EventLine): void {
  const id = JSON.stringify([line.productId, line.sku, line.price.amount]);
  const same = lines.get(id);
  lines.set(id, same ? { ...same, quantity: Math.min(same.quantity + line.quantity, 0xffff_ffff) } : line);
}

function eventOf(first: EventLine, lines: readonly EventLine[]): Event {
  return create(EventSchema, {
    actionType: first.type,
    senderType: SenderType.SERVER,
    visitor: { clientId: first.visitor, userId: first.userId, fingerprintId: first.fingerprintId },
    ...(first.email !== "" && { contact: { email: first.email } }),
    ...(first.occurredAtMs !== null && { eventTime: timestampFromMs(first.occurredAtMs) }),
    ...(first.orderId !== "" && { order: { orderId: first.orderId } }),
    categories: first.type === "category_view" && first.categoryId ? [{ categoryId: first.categoryId }] : [],
    products: lines
      .filter((line) => line.productId !== "" || line.sku !== "")
      .map((line) => ({
        productId: line.productId,
        sku: line.sku,
        quantity: line.quantity,
        ...(line.price.amount !== "" && { price: line.price }),
      })),
  });
}
