/**
 * Follows an app's events in the store, which several processes may write. Ids grow with time, but an event may become
 * visible after one with a greater id. So events are read twice: at once, and again when those before them have settled;
 * one that was seen is not returned again. The second reading also returns older events, where the tail began behind.
 */
import type { Event } from "../domain/event.js";
import { idAt, timeOfId } from "../domain/ids.js";
import type { EventStore } from "../store/ports/event-store.js";

/** Events read at once: half a millisecond. */
const PAGE = 16;
/** The newest events at the beginning. */
const NEWEST = 100;
/** An event is visible so long after its id was given, nearly always. */
const SETTLED_MS = 5000;
const MOST_SEEN = 20_000;

export class EventTail {
  /** The newest event that was read; undefined before the beginning. */
  #head: string | undefined;
  /** All events up to here were read when they had settled. */
  #settled: string;
  readonly #seen = new Set<string>();
  #isBehind = false;

  /** @param from Events received later, ms, are returned; only the newest events when absent. */
  constructor(
    private readonly appId: string,
    private readonly events: Pick<EventStore, "list">,
    from: number | undefined,
  ) {
    this.#settled = from === undefined ? "" : idAt(from);
  }

  /** Whether all that is stored was read, and has settled. */
  get isQuiet(): boolean {
    return this.#head !== undefined && this.#settled >= this.#head;
  }

  /** Age of the newest event that was read, while there are newer ones; else 0. */
  lag(now: number): number {
    return this.#isBehind && this.#head !== undefined ? Math.max(0, now - timeOfId(this.#head)) : 0;
  }

  /** The next of the newest events, oldest first; empty when there are none. */
  async next(): Promise<readonly Event[]> {
    if (this.#head === undefined) {
      const newest = (await this.events.list(this.appId, "", NEWEST, true)).toReversed();
      this.#head = newest.at(-1)?.eventId ?? "";
      if (this.#settled === "") this.#settled = this.#head;
      return this.#unseen(newest);
    }
    const read = await this.events.list(this.appId, this.#head, PAGE, false);
    this.#head = read.at(-1)?.eventId ?? this.#head;
    this.#isBehind = read.length === PAGE;
    return this.#unseen(read);
  }

  /** Events that were not seen before, of the next that have settled; undefined when all of these were read. */
  async settled(now: number): Promise<readonly Event[] | undefined> {
    const until = idAt(now - SETTLED_MS);
    if (this.isQuiet || this.#settled >= until) return undefined;
    const read = await this.events.list(this.appId, this.#settled, PAGE, false);
    const ready = read.filter(({ eventId }) => eventId < until);
    const isAll = ready.length < PAGE;
    this.#settled = isAll ? until : ready.at(-1)!.eventId;
    const unseen = this.#unseen(ready);
    for (const eventId of this.#seen) {
      if (eventId > this.#settled) break;
      this.#seen.delete(eventId);
    }
    return isAll && unseen.length === 0 ? undefined : unseen;
  }

  /** Goes on with the newest events; the ones between come with those that have settled. */
  async skip(): Promise<void> {
    const [newest] = await this.events.list(this.appId, "", 1, true);
    this.#head = newest?.eventId ?? this.#head;
    this.#isBehind = false;
  }

  /** Returns events that were seen once more, when they have settled. */
  readAgain(): void {
    this.#seen.clear();
  }

  #unseen(read: readonly Event[]): readonly Event[] {
    const unseen = read.filter(({ eventId }) => !this.#seen.has(eventId));
    for (const { eventId } of unseen) this.#seen.add(eventId);
    for (const eventId of this.#seen) {
      if (this.#seen.size <= MOST_SEEN) break;
      this.#seen.delete(eventId);
    }
    return unseen;
  }
}
