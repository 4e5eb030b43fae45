import type { Now } from "../../domain/clock.js";
import type { Leases } from "../ports/lease.js";
import { isHeld } from "../stored-lease.js";
import { appKey } from "./keys.js";
import type { Writer } from "./writer.js";

/**
 * Leases as records. Of two works that take the same lease the first one gets it. A lease outlives the process that took it, until
 * it expires.
 */
export function createLeases(writer: Writer, now: Now): Leases {
  return {
    acquire: (appId, holder, forMs) =>
      writer.run(({ leases }) => {
        const last = leases.get(appKey(appId));
        const leftMs = (last?.until ?? 0) - now();
        // A lease with more time left than its duration comes from a clock that was ahead.
        if (last !== undefined && leftMs > 0 && leftMs <= last.forMs) return undefined;
        const lease = { holder, token: (last?.token ?? 0) + 1 };
        leases.put(appKey(appId), { ...lease, until: now() + forMs, forMs });
        return lease;
      }),

    // An expired lease that nobody else took still belongs to its holder.
    renew: (appId, lease, forMs) =>
      writer.run(({ leases }) => {
        if (!isHeld(leases.get(appKey(appId)), lease)) return false;
        leases.put(appKey(appId), { ...lease, until: now() + forMs, forMs });
        return true;
      }),

    release: (appId, lease) =>
      writer.run(({ leases }) => {
        if (isHeld(leases.get(appKey(appId)), lease)) leases.put(appKey(appId), { ...lease, until: 0, forMs: 0 });
      }),
  };
}
