/**
 * What training reads, in columns: a session as an object takes 300 bytes, 20 million of them 6 GB, and a `Map` ends at 16.7
 * million. Rows are added visitor by visitor and taken in order of time.
 */
import { GrowingArray } from "../common/growing-array.js";
import type { Rows } from "../common/rows.js";
import type { Meetings } from "../sources/popularity/popularity.js";
import type { Dataset } from "./dataset.js";
import type { Session } from "./history-sessions.js";

const uint32 = () => new GrowingArray((length) => new Uint32Array(length));
const uint8 = () => new GrowingArray((length) => new Uint8Array(length));
const float64 = () => new GrowingArray((length) => new Float64Array(length));

/**
 * Most steps that a training learns from: those of the newest sessions. They take some 3 GB of memory, beside 22 bytes for
 * each of their sessions.
 */
const MOST_STEPS = 2 ** 27;
/** Room for more while reading, as a share: older sessions are dropped when it is used up. */
const SLACK = 0.25;

export class SessionTable {
  readonly #lengths = uint32();
  readonly #endedAt = float64();
  /** 1 for the first session of a visitor. */
  readonly #first = uint8();
  readonly #items = uint32();
  readonly #runs = uint32();
  readonly #marks = uint8();
  /** End of the last session that was dropped, ms. */
  #droppedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly mostSteps = MOST_STEPS) {}

  /** Sessions that ended earlier are not there. */
  get droppedUntil(): number {
    return this.#droppedUntil;
  }

  /** `isFirst`: the session before is another visitor's. */
  add({ at, items, runs, marks }: Session, isFirst: boolean): void {
    this.#lengths.push(items.length);
    this.#endedAt.push(at);
    this.#first.push(isFirst ? 1 : 0);
    for (let i = 0; i < items.length; i++) {
      this.#items.push(items[i]!);
      this.#runs.push(runs[i]!);
      this.#marks.push(marks[i]!);
    }
  }

  /** Between two visitors: drops the oldest sessions of too many. True when there were too many. */
  bound(slack = SLACK): boolean {
    if (this.#items.length <= this.mostSteps * (1 + slack)) return false;
    const lengths = this.#lengths.copy();
    const endedAt = this.#endedAt.copy();
    const order = orderOf(endedAt);
    /** By session: 1 for one that is kept, 0 for one that is dropped. */
    const kept = new Uint8Array(order.length);
    let newest = order.length;
    for (let left = this.mostSteps; newest > 0; newest--) {
      left -= lengths[order[newest - 1]!]!;
      if (left < 0) break;
      kept[order[newest - 1]!] = 1;
    }
    if (newest > 0) this.#droppedUntil = Math.max(this.#droppedUntil, endedAt[order[newest - 1]!]!);
    const isKept = (read: number) => kept[read] === 1;
    // A session whose visitor's one before is dropped becomes the first.
    let before = 1;
    this.#first.map((first, read) => {
      const is = before === 0 ? 1 : first;
      before = kept[read]!;
      return is;
    });
    for (const column of [this.#items, this.#runs, this.#marks]) {
      let read = 0;
      let left = lengths[0] ?? 0;
      column.keep(() => {
        while (left === 0) left = lengths[++read]!;
        left--;
        return isKept(read);
      });
    }
    for (const column of [this.#lengths, this.#endedAt, this.#first]) column.keep(isKept);
    return true;
  }

  byTime(): Pick<Dataset, "sessions" | "sessionRuns" | "sessionMarks" | "previousSession" | "sessionEndedAt"> {
    const endedAt = this.#endedAt.take();
    const order = orderOf(endedAt);
    const begins = beginsOf(this.#lengths.take());
    const offsets = offsetsBy(order, begins);
    const first = this.#first.take();
    const rowOf = new Uint32Array(order.length);
    for (let row = 0; row < order.length; row++) rowOf[order[row]!] = row;
    const previousSession = new Int32Array(order.length);
    const sessionEndedAt = new Float64Array(order.length);
    for (let row = 0; row < order.length; row++) {
      const read = order[row]!;
      previousSession[row] = first[read] === 1 ? -1 : rowOf[read - 1]!;
      sessionEndedAt[row] = endedAt[read]!;
    }
    return {
      sessions: { offsets, items: gather(this.#items.take(), new Uint32Array(offsets.at(-1)!), order, begins) },
      sessionRuns: gather(this.#runs.take(), new Uint32Array(offsets.at(-1)!), order, begins),
      sessionMarks: gather(this.#marks.take(), new Uint8Array(offsets.at(-1)!), order, begins),
      previousSession,
      sessionEndedAt,
    };
  }
}

/** Every interaction of a visitor with a product. */
export class MeetingTable {
  readonly #products = uint32();
  readonly #at = float64();
  readonly #weights = uint8();

  add(product: number, at: number, weight: number): void {
    this.#products.push(product);
    this.#at.push(at);
    this.#weights.push(weight);
  }

  /** Drops those of before a time, ms. */
  dropBefore(time: number): void {
    const at = this.#at.copy();
    for (const column of [this.#products, this.#at, this.#weights]) column.keep((place) => at[place]! >= time);
  }

  take(): Meetings {
    return { productIndices: this.#products.take(), at: this.#at.take(), weights: this.#weights.take() };
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
      basketAt: new Float64Array(at.length).map((_, row) => at[order[row]!]!),
      basketVisitors: new Uint32Array(at.length).map((_, row) => visitors[order[row]!]!),
    };
  }
}

/** Values of a digit of the sort below, and digits of a number. */
const DIGIT = 2 ** 16;
const DIGITS = 4;

/**
 * Rows by time; equal times keep the order of the visitors' ids, which is the order they are read in. The bits of numbers
 * from 0 rise with the numbers, so a radix sort serves: a comparison function takes 8 times as long for 20 million.
 */
export function orderOf(at: Float64Array): Uint32Array {
  let order = new Uint32Array(at.length);
  let sorted = new Uint32Array(at.length);
  let least = Number.POSITIVE_INFINITY;
  for (let row = 0; row < at.length; row++) {
    order[row] = row;
    least = Math.min(least, at[row]!);
  }
  const digits = new Uint16Array(at.map((time) => time - least).buffer);
  for (let digit = 0; digit < DIGITS; digit++) {
    const places = new Uint32Array(DIGIT + 1);
    for (let i = digit; i < digits.length; i += DIGITS) places[digits[i]! + 1]!++;
    if (places.includes(at.length)) continue; // all have the same digit
    for (let value = 0; value < DIGIT; value++) places[value + 1]! += places[value]!;
    for (let place = 0; place < order.length; place++) {
      const row = order[place]!;
      sorted[places[digits[DIGITS * row + digit]!]!++] = row;
    }
    [order, sorted] = [sorted, order];
  }
  return order;
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
