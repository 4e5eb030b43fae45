import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { Clock, ClockMark } from "../../domain/clock.js";
import type { Environment } from "./environment.js";
import { newestEvents } from "./event-store.js";
import type { SavedClock } from "./records.js";

/** Minimum time between two saves of the clock; a save is part of a commit. */
export const SAVE_EVERY_MS = 1000;

/** How long a machine has run. */
export type Machine = Pick<SavedClock, "boot" | "uptimeMs" | "monotonicMs">;

/** Starts the clock no earlier than the store's newest commit. */
export function resumeClock(environment: Environment, clock: Clock, machine: Machine): void {
  const kept = environment.clock();
  if (kept !== undefined) clock.resume(kept, timesByMachine(kept, machine), 2 * SAVE_EVERY_MS);
  const newest = kept === undefined ? newestEventAt(environment) : 0;
  if (newest > 0) clock.resume({ at: newest, goodAt: newest, livedAt: newest, idAt: newest });
}

/** The time by the machine's uptime since the commit, with and without time asleep. Empty after a reboot. */
function timesByMachine(kept: SavedClock, machine: Machine): number[] {
  if (kept.boot === "" || kept.boot !== machine.boot) return [];
  return [machine.uptimeMs - kept.uptimeMs, machine.monotonicMs - kept.monotonicMs]
    .filter((passedMs) => passedMs >= 0)
    .map((passedMs) => kept.at + passedMs);
}

export function thisMachine(): Machine {
  return { boot: bootId, uptimeMs: uptime() * 1000, monotonicMs: Number(process.hrtime.bigint() / 1_000_000n) };
}

const bootId = readBootId();

/** "" where the system has none. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return ""; // only Linux has one; the clock then begins with the store's mark alone
  }
}

/** For a store without a saved clock: the time of its newest event; 0 when it has no events. */
function newestEventAt(environment: Environment): ClockMark["goodAt"] {
  return newestEvents(environment).reduce((newest, { value }) => Math.max(newest, value.receivedAt), 0);
}
