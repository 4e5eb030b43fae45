import { MAX_STEP_MS } from "../domain/clock.js";
import type { Finding } from "../domain/finding.js";

/** The newest times in a store; 0 for a time that is missing. */
export interface NewestTimes {
  readonly eventAt: number;
  /** The time in the newest id. */
  readonly idAt: number;
  readonly commitAt: number;
}

/** Compares this machine's clock with the times that the store's servers wrote. */
export function clockFinding(now: number, { eventAt, idAt, commitAt }: NewestTimes): Finding {
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`;
  const ahead = (what: string, at: number): Finding => {
    const text = `it stands ${seconds(at - now)} before the newest ${what} of the store: one of them is wrong`;
    return { about: "clock", state: "problem", text };
  };
  if (eventAt - now > 1000) return ahead("event", eventAt);
  if (commitAt - now > 1000) return ahead("commit", commitAt);
  const writtenAt = Math.max(eventAt, commitAt);
  if (idAt - writtenAt > MAX_STEP_MS) {
    const text = `the newest id is ${seconds(idAt - writtenAt)} ahead of its commit: a clock was wrong. Ids go on from there, in order`;
    return { about: "clock", state: "note", text };
  }
  return { about: "clock", state: "ok", text: "it stands behind every event of the store" };
}

/** Milliseconds since 1970 in a UUIDv7; 0 for other text. */
export function idTime(id: string): number {
  const hex = id.slice(0, 8) + id.slice(9, 13);
  return /^[0-9a-f]{12}$/.test(hex) && id[14] === "7" ? Number.parseInt(hex, 16) : 0;
}
