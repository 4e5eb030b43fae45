/**
 * What training reads, in columns: a session as an object takes 300 bytes, 20 million of them 6 GB, and a `Map` ends at 16.7
 * million. Rows are added visitor by visitor and taken in order of time.
 */
import { GrowingArray } from "../common/growing-array.js";
import type { Rows } from "../common/rows.js";
import type { Session } from "../model/history-sessions.js";
import type { Dataset } from "./dataset.js";

const uint32 = () => new GrowingArray((length) => new Uint32Array(length));
const float64 = () => new GrowingArray((length) => new Float64Array(length));

export class SessionTable {
  readonly #lengths = uint32();
  readonly #endedAt = float64();
  /** 1 for the first session of a visitor. */
  readonly #first = new GrowingArray((length) => new Uint8Array(length));
  readonly #items = uint32();
  readonly #runs = uint32();
  readonly #marks = new GrowingArray((length) => new Uint8Array(length));
  #count = 0;
  /** Sessions that may go on, by their number in order of reading. */
  readonly #open: { readonly read: number; readonly historyId: string }[] = [];

  /** `isFirst`: the session before is another visitor's. */
  add({ at, items, runs, marks }: Session, isFirst: boolean): void {
    this.#count++;
    this.#lengths.push(items.length);
    this.#endedAt.push(at);
    this.#first.push(isFirst ? 1 : 0);
    for (let i = 0; i < items.length; i++) {
      this.#items.push(items[i]!);
      this.#runs.push(runs[i]!);
      this.#marks.push(marks[i]!);
    }
  }

  /** The session added last may go on. */
  keepOpen(historyId: string): void {
    this.#open.push({ read: this.#count - 1, historyId });
  }

  byTime(): Pick<
    Dataset,
    "sessions" | "sessionRuns" | "sessionMarks" | "previousSession" | "sessionEndedAt" | "openSessions"
  > {
    const endedAt = this.#endedAt.take();
    const order = orderOf(endedAt);
    const begins = beginsOf(this.#lengths.take());
    const offsets = offsetsBy(order, begins);
    const first = this.#first.take();
    const rowOf = new Uint32Array(order.length);
    for (let row = 0; row < order.length; row++) rowOf[order[row]!] = row;
    return {
      sessions: { offsets, items: gather(this.#items.take(), new Uint32Array(offsets.at(-1)!), order, begins) },
      sessionRuns: gather(this.#runs.take(), new Uint32Array(offsets.at(-1)!), order, begins),
      sessionMarks: gather(this.#marks.take(), new Uint8Array(offsets.at(-1)!), order, begins),
      previousSession: Int32Array.from(order, (read) => (first[read] === 1 ? -1 : rowOf[read - 1]!)),
      sessionEndedAt: Float64Array.from(order, (read) => endedAt[read]!),
      openSessions: this.#open.map(({ read, historyId }) => ({ row: rowOf[read]!, historyId })),
    };
  }
}

export class BasketTable {
  readonly #lengths = uint32();
  readonly #at = float64();
  readonly #visitors = uint32();
  readonly #items = uint32();

  /** Nothing is added of an order without a known product. */
  add(products: ReadonlySet<number>, at: number, visitor: number): void {
    if (products.size === 0) return;
    this.#lengths.push(products.size);
    this.#at.push(at);
    this.#visitors.push(visitor);
    for (const product of products) this.#items.push(product);
  }

  byTime(): { baskets: Rows; basketAt: Float64Array; basketVisitors: Uint32Array } {
    const at = this.#at.take();
    const order = orderOf(at);
    const begins = beginsOf(this.#lengths.take());
    const offsets = offsetsBy(order, begins);
    const visitors = this.#visitors.take();
    return {
      baskets: { offsets, items: gather(this.#items.take(), new Uint32Array(offsets.at(-1)!), order, begins) },
      basketAt: Float64Array.from(order, (read) => at[read]!),
      basketVisitors: Uint32Array.from(order, (read) => visitors[read]!),
    };
  }
}

/** Rows by time; equal times keep the order of the visitors' ids, which is the order they are read in. */
function orderOf(at: Float64Array): Uint32Array {
  const order = new Uint32Array(at.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  return order.sort((a, b) => at[a]! - at[b]! || a - b);
}

/** Where each row begins, and where the last one ends. */
function beginsOf(lengths: Uint32Array): Uint32Array {
  const begins = new Uint32Array(lengths.length + 1);
  for (let row = 0; row < lengths.length; row++) begins[row + 1] = begins[row]! + lengths[row]!;
  return begins;
}

function offsetsBy(order: Uint32Array, begins: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(order.length + 1);
  for (let row = 0; row < order.length; row++)
    offsets[row + 1] = offsets[row]! + begins[order[row]! + 1]! - begins[order[row]!]!;
  return offsets;
}

/** The rows of `from` in that order. */
function gather<T extends Uint32Array | Uint8Array>(from: T, to: T, order: Uint32Array, begins: Uint32Array): T {
  let at = 0;
  for (let row = 0; row < order.length; row++)
    for (let i = begins[order[row]!]!; i < begins[order[row]! + 1]!; i++) to[at++] = from[i]!;
  return to;
}
