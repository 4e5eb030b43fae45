import { DataDamaged } from "../domain/errors.js";
import type { RejectedEvent, RejectedLog } from "../domain/rejected-event.js";
import { appKey, keyOf } from "./keys.js";
import { REJECTED_LOG_LIMITS } from "./ports/rejected-event-store.js";
import type { RejectedEvents } from "./ports/unit-of-work.js";
import type { StagedTable } from "./transaction.js";

const EMPTY: RejectedLog = { first: 0, next: 0, bytes: 0 };

/** Ids are padded to this many digits, so that they sort like the numbers. 10^12 events fit. */
const DIGITS = 12;

/**
 * The log of one app. Events are numbered, so that `add` finds the oldest one by its key: a unit of work cannot scan in
 * every store. Only `remove` leaves gaps.
 */
export class RejectedEventRecords implements RejectedEvents {
  constructor(
    private readonly appId: string,
    private readonly events: StagedTable<RejectedEvent>,
    private readonly logs: StagedTable<RejectedLog>,
  ) {}

  get(rejectedId: string): RejectedEvent | undefined {
    return this.events.get(keyOf(this.appId, rejectedId));
  }

  add(event: Omit<RejectedEvent, "rejectedId">): string {
    const log = this.logs.get(appKey(this.appId)) ?? EMPTY;
    const rejectedId = idOf(log.next);
    this.events.put(keyOf(this.appId, rejectedId), { ...event, rejectedId });
    let { first } = log;
    let bytes = log.bytes + event.bytes;
    const next = log.next + 1;
    while (first < next - 1 && (next - first > REJECTED_LOG_LIMITS.events || bytes > REJECTED_LOG_LIMITS.bytes)) {
      bytes -= this.bytesOf(first);
      this.events.delete(keyOf(this.appId, idOf(first)));
      first++;
    }
    this.logs.put(appKey(this.appId), { first, next, bytes });
    return rejectedId;
  }

  replace(event: RejectedEvent): void {
    const before = this.get(event.rejectedId);
    const log = this.logs.get(appKey(this.appId));
    if (before === undefined || log === undefined) return;
    this.events.put(keyOf(this.appId, event.rejectedId), event);
    this.logs.put(appKey(this.appId), { ...log, bytes: log.bytes + event.bytes - before.bytes });
  }

  remove(rejectedId: string): void {
    const before = this.get(rejectedId);
    const log = this.logs.get(appKey(this.appId));
    if (before === undefined || log === undefined) return;
    this.events.delete(keyOf(this.appId, rejectedId));
    this.logs.put(appKey(this.appId), { ...log, bytes: log.bytes - before.bytes });
  }

  private bytesOf(number: number): number {
    try {
      return this.get(idOf(number))?.bytes ?? 0;
    } catch (error) {
      if (error instanceof DataDamaged) return 0; // a damaged event is evicted like any other
      throw error;
    }
  }
}

function idOf(number: number): string {
  return String(number).padStart(DIGITS, "0");
}
