import { Conflict } from "../domain/errors.js";
import type { Lease } from "./ports/lease.js";

/** The newest lease of an app. */
export interface StoredLease extends Lease {
  /** Expiry in milliseconds since 1970 by the holder's clock; 0 once released. */
  readonly until: number;
  /** Duration of the last grant or renewal, ms. */
  readonly forMs: number;
}

/** True when `lease` is still the app's newest lease, `last`, and was not released. It may have expired. */
export function isHeld(last: StoredLease | undefined, lease: Lease): boolean {
  return last !== undefined && last.token === lease.token && last.holder === lease.holder && last.until > 0;
}

/** The error for a writer that has lost its `lease`; undefined when it still holds it, or has none. */
export function lostLease(last: StoredLease | undefined, lease: Lease | undefined): Conflict | undefined {
  if (lease === undefined || isHeld(last, lease)) return undefined;
  return new Conflict("training_running", "Another process trains this app now");
}
