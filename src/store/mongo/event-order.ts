/**
 * The order in which an app's events become visible. A transaction that stores events also writes one of the app's writer
 * documents, its slot (`writer-documents.ts`). Of two with the same slot, one sees the other or fails. The document
 * holds the greatest `order` of its events, and the next transaction goes on from there: within a slot, events become
 * visible in the order of their numbers, whatever their ids and the clocks of the servers. A position of a watcher is
 * therefore one number for each slot.
 *
 * Events of earlier versions, and copied ones, have no order. A position before such events has an event id besides.
 */
import type { Now } from "../../domain/clock.js";
import { unknownPosition } from "../ports/event-store.js";
import type { StoredDocument } from "./table.js";

/** Orders by slot. */
export type Orders = ReadonlyMap<number, number>;

/** The order follows the clock besides: so it goes on beyond the tokens of an app that was removed or restored. */
const ORDERS_IN_A_MS = 1000;

/** Gives the events of a transaction their positions. */
export class EventOrder {
  /** The order of the last event; undefined before the first. */
  last: number | undefined;

  /** `before` is the greatest order of the slot. */
  constructor(
    private readonly slot: number,
    private readonly before: number | undefined,
    private readonly now: Now,
  ) {}

  placed(document: StoredDocument): StoredDocument {
    const least = this.last === undefined ? Math.floor(this.now()) * ORDERS_IN_A_MS : 0;
    this.last = Math.max(least, (this.last ?? this.before ?? 0) + 1);
    return { ...document, slot: this.slot, order: this.last };
  }
}

/** Behind the events whose orders are at most those of their slots; with `history` before those of them with greater ids. */
export interface EventPosition {
  readonly orders: Orders;
  readonly history: string | undefined;
}

/** Events without an order were there before. */
export function isPassed(orders: Orders, { slot, order }: Pick<StoredDocument, "slot" | "order">): boolean {
  return slot === undefined || order === undefined || order <= (orders.get(slot) ?? 0);
}

/** The greater order of each slot. */
export function furthest(one: Orders, other: Orders): Orders {
  const all = new Map(one);
  for (const [slot, order] of other) all.set(slot, Math.max(order, all.get(slot) ?? 0));
  return all;
}

export function encodePosition({ orders, history }: EventPosition): string {
  const pairs = [...orders].map(([slot, order]) => `${slot.toString(36)}${order.toString(36)}`);
  return `orders:${pairs.join(".")}${history === undefined ? "" : `;${history}`}`;
}

export function decodePosition(text: string): EventPosition {
  const { pairs, history } = /^orders:(?<pairs>[0-9a-z.]*)(?:;(?<history>.*))?$/s.exec(text)?.groups ?? {};
  if (pairs === undefined) throw unknownPosition();
  const orders = new Map<number, number>();
  for (const pair of pairs.split(".").filter((one) => one !== ""))
    orders.set(Number.parseInt(pair.slice(0, 1), 36), Number.parseInt(pair.slice(1), 36));
  return { orders, history };
}
