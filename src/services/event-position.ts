/**
 * The place of a watch in an app's events. Events become visible in the order of their ids, nearly: a server may store one
 * up to `LATE_MS` after it gave it an id. A position is therefore an id up to which everything was looked at, and the
 * later events that were.
 */
import { InvalidArgument } from "../domain/errors.js";
import { idAt, timeOfId } from "../domain/ids.js";

/** Longest time between the id of an event and its commit: that of a bulk call that waits for a busy store. */
export const LATE_MS = 60_000;

/** Maximum events that a position remembers; older ones count as settled. */
const MAX_REMEMBERED = 20_000;

/** The random end of an id, in hex digits. */
const MARK_DIGITS = 12;
const MARK_BYTES = MARK_DIGITS / 2;

export class EventPosition {
  /** Everything up to this id was looked at; "" for nothing. */
  private settled: string;
  /** Times of later events that were looked at, by the ends of their ids. */
  private readonly looked = new Map<string, number>();
  /** The ends of the ids of later events that were looked at before a resumption and not yet seen again. */
  private readonly resumed = new Set<string>();

  constructor(settled = "") {
    this.settled = settled;
  }

  /** @throws InvalidArgument for bytes that are no position */
  static decode(bytes: Buffer): EventPosition {
    const length = bytes[0] ?? 0;
    const marks = bytes.subarray(1 + length);
    if (bytes.length < 1 + length || marks.length % MARK_BYTES !== 0)
      throw new InvalidArgument("resume_token", "invalid", "the resume_token of an earlier message");
    const position = new EventPosition(bytes.subarray(1, 1 + length).toString("utf8"));
    for (let at = 0; at < marks.length; at += MARK_BYTES)
      position.resumed.add(marks.toString("hex", at, at + MARK_BYTES));
    return position;
  }

  encode(): Buffer {
    const settled = Buffer.from(this.settled, "utf8");
    const marks = Buffer.from([...this.looked.keys(), ...this.resumed].join(""), "hex");
    return Buffer.concat([Buffer.of(settled.length), settled, marks]);
  }

  /** The id from which to look: that of `sinceMs`, or where everything before was looked at. */
  from(sinceMs: number): string {
    return later(idAt(sinceMs), this.settled);
  }

  /** Notes an event; false for one that was looked at before. */
  look(eventId: string): boolean {
    const mark = markOf(eventId);
    if (eventId <= this.settled || this.looked.has(mark)) return false;
    this.looked.set(mark, timeOfId(eventId));
    return !this.resumed.delete(mark);
  }

  /** Everything up to this id was looked at, from where everything before was. */
  reached(eventId: string, now: number): void {
    if (timeOfId(eventId) >= now - LATE_MS) return;
    this.settled = later(eventId, this.settled);
    this.forget(timeOfId(eventId));
  }

  /** Everything was looked at, from where everything before was. */
  completed(now: number): void {
    this.resumed.clear();
    for (const time of this.forget(now - LATE_MS)) this.settled = later(this.settled, idAt(time + 1));
    for (const [mark, time] of this.looked) {
      if (this.looked.size <= MAX_REMEMBERED) break;
      this.looked.delete(mark);
      this.settled = later(this.settled, idAt(time + 1));
    }
  }

  /** Forgets events before `ms` and returns their times. */
  private forget(ms: number): number[] {
    const times: number[] = [];
    for (const [mark, time] of this.looked) {
      if (time >= ms) continue;
      this.looked.delete(mark);
      times.push(time);
    }
    return times;
  }
}

function markOf(eventId: string): string {
  return eventId.replaceAll("-", "").slice(-MARK_DIGITS).toLowerCase().padStart(MARK_DIGITS, "0");
}

function later(id: string, other: string): string {
  return [id, other].sort().at(-1) ?? "";
}
