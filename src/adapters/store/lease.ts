import type { Lease } from "../../ports/lease.js";

/** The newest lease of an app. */
export interface KeptLease extends Lease {
  /** When it ends, in milliseconds since 1970 by the clock of its holder; 0 when it was given back. */
  readonly until: number;
}

/** Whether nobody has taken the lease after its holder did; `last` is the newest one of its app. */
export function isHeld(last: KeptLease | undefined, lease: Lease): boolean {
  return last !== undefined && last.token === lease.token && last.holder === lease.holder && last.until > 0;
}
