import type { Now } from "../../domain/clock.js";
import type { Lease, Leases } from "../../ports/lease.js";
import { appKey } from "./keys.js";
import type { StagedTables } from "./staged.js";
import type { Writer } from "./writer.js";

/** The newest lease of an app; `until` 0 when it was given back. */
export interface KeptLease extends Lease {
  /** Ends at this time, in milliseconds since 1970 by this machine's clock, which all its processes share. */
  readonly until: number;
}

/** Leases as records: LMDB has one writer at a time over all processes, so that two cannot take one. */
export function createLeases(writer: Writer, now: Now): Leases {
  return {
    acquire: (appId, holder, forMs) =>
      writer.run((tables) => {
        const last = tables.leases.get(appKey(appId));
        if (last !== undefined && last.until > now()) return undefined;
        const lease = { holder, token: (last?.token ?? 0) + 1 };
        tables.leases.put(appKey(appId), { ...lease, until: now() + forMs });
        return lease;
      }),

    // A lease past its time that nobody else took is still its holder's.
    renew: (appId, lease, forMs) =>
      writer.run((tables) => {
        if (!isHeld(tables, appId, lease)) return false;
        tables.leases.put(appKey(appId), { ...lease, until: now() + forMs });
        return true;
      }),

    release: (appId, lease) =>
      writer.run((tables) => {
        if (isHeld(tables, appId, lease)) tables.leases.put(appKey(appId), { ...lease, until: 0 });
      }),
  };
}

/** Whether nobody has taken the lease after its holder did. */
export function isHeld(tables: Pick<StagedTables, "leases">, appId: string, lease: Lease): boolean {
  const last = tables.leases.get(appKey(appId));
  return last !== undefined && last.token === lease.token && last.holder === lease.holder && last.until > 0;
}
