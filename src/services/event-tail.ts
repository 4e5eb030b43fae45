import { setTimeout as pause } from "node:timers/promises";
import type { EventStore } from "../store/ports/event-store.js";
import { batchesOf, type EventBatch, joined, MESSAGE_BYTES } from "./event-batch.js";
import type { TimeSlices } from "./time-slices.js";

/** Time between two looks for new events. Each finds few, so that none takes long. */
const READ_EVERY_MS = 50;
/** Time between two messages: longer for more watches, which then get fewer and larger ones. */
const sendEveryMs = (watches: number) => Math.min(600, 300 + 2 * watches);
/** Events of one read: a millisecond of work. */
export const READ = 8;

/** What a tail keeps of the past, for watches that take a little longer. */
const MAX_EVENTS = 5000;
const MAX_BYTES = 4 * 2 ** 20;

interface EventTailDependencies {
  readonly events: Pick<EventStore, "position" | "after">;
  /** Rejects when the app does not exist any more. */
  readonly mustExist: () => Promise<unknown>;
  readonly slices: TimeSlices;
}

/**
 * The newest events of an app, read once for all its watches in this process while there is any. Batches are numbered. A watch
 * that comes for a batch too late reads by itself (`watch-events.ts`) until it has caught up.
 */
export class EventTail {
  private readonly batches: EventBatch[] = [];
  /** The number of the first batch that is kept. */
  private first = 0;
  private bytes = 0;
  private count = 0;
  /** The position behind the last batch. */
  private position = "";
  private begun = false;
  /** What was read behind that and is not sent yet, and the position behind it. */
  private found: EventBatch[] = [];
  private foundTo = "";
  private reading: Promise<void> = Promise.resolve();
  private nextReading: Promise<void> | undefined;
  private readonly waiting = new Set<(error?: unknown) => void>();
  private readonly closing = new AbortController();

  constructor(
    private readonly appId: string,
    private readonly deps: EventTailDependencies,
  ) {
    void this.follow();
  }

  /** The number of the next batch, and the position behind the last one. */
  get head(): { readonly number: number; readonly position: string } {
    return { number: this.first + this.batches.length, position: this.position };
  }

  /** A batch; undefined when it is not there yet, or not any more. */
  batch(number: number): EventBatch | undefined {
    return this.batches[number - this.first];
  }

  isGone(number: number): boolean {
    return number < this.first;
  }

  /** Has all events that are visible now. */
  async advance(): Promise<void> {
    await this.look();
    this.send();
  }

  /** Resolves when there is a batch of this number, when `signal` fires, or after `ms`; rejects when reading fails. */
  news(number: number, signal: AbortSignal, ms: number): Promise<void> {
    if (signal.aborted || number < this.head.number) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = (error?: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.waiting.delete(end);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => end();
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", onAbort);
      this.waiting.add(end);
    });
  }

  close(): void {
    this.closing.abort();
  }

  private async follow(): Promise<void> {
    const { signal } = this.closing;
    for (let sentAt = performance.now(); ; ) {
      await pause(READ_EVERY_MS, undefined, { signal }).catch(() => undefined); // the loop ends
      if (signal.aborted) return;
      const isDue = performance.now() - sentAt >= sendEveryMs(this.waiting.size);
      try {
        await this.look();
        if (isDue) await this.deps.mustExist();
        if (isDue) this.send();
      } catch (error) {
        this.wake(error);
      }
      if (isDue) sentAt = performance.now();
    }
  }

  /** Reads up to the end, after a look that is under way. */
  private look(): Promise<void> {
    this.nextReading ??= this.reading
      .catch(() => undefined) // told to those who waited for it
      .then(() => {
        this.nextReading = undefined;
        this.reading = this.read();
        return this.reading;
      });
    return this.nextReading;
  }

  private async read(): Promise<void> {
    const { events, slices } = this.deps;
    const end = await events.position(this.appId);
    if (!this.begun) this.position = this.foundTo = end;
    this.begun = true;
    while (this.foundTo !== end) {
      await slices.take();
      const page = await events.after(this.appId, this.foundTo, READ, end);
      this.found.push(...batchesOf(page));
      this.foundTo = page.isEnd ? end : page.positionAfter(page.events.length);
      if (this.found.reduce((sum, { bytes }) => sum + bytes, 0) > MESSAGE_BYTES) this.send();
    }
  }

  /** Makes messages of what was found, and wakes the watches. */
  private send(): void {
    for (const batch of joined(this.found)) this.add(batch);
    this.found = [];
    this.position = this.foundTo;
    this.wake();
  }

  private add(batch: EventBatch): void {
    this.batches.push(batch);
    this.bytes += batch.bytes;
    this.count += batch.events.length;
    while (this.batches.length > 1 && (this.bytes > MAX_BYTES || this.count > MAX_EVENTS)) {
      const oldest = this.batches.shift();
      this.first++;
      this.bytes -= oldest?.bytes ?? 0;
      this.count -= oldest?.events.length ?? 0;
    }
  }

  private wake(error?: unknown): void {
    for (const end of [...this.waiting]) end(error);
  }
}
