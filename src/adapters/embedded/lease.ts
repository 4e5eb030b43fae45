import type { Now } from "../../domain/clock.js";
import type { Leases } from "../../ports/lease.js";
import { isHeld } from "../store/lease.js";
import { appKey } from "./keys.js";
import type { Writer } from "./writer.js";

/**
 * Leases as records: LMDB has one writer at a time over all processes, so that two cannot take one. They end by the
 * machine's clock, which all processes share that can share the store.
 */
export function createLeases(writer: Writer, now: Now): Leases {
  return {
    acquire: (appId, holder, forMs) =>
      writer.run(({ leases }) => {
        const last = leases.get(appKey(appId));
        if (last !== undefined && last.until > now()) return undefined;
        const lease = { holder, token: (last?.token ?? 0) + 1 };
        leases.put(appKey(appId), { ...lease, until: now() + forMs });
        return lease;
      }),

    // A lease past its time that nobody else took is still its holder's.
    renew: (appId, lease, forMs) =>
      writer.run(({ leases }) => {
        if (!isHeld(leases.get(appKey(appId)), lease)) return false;
        leases.put(appKey(appId), { ...lease, until: now() + forMs });
        return true;
      }),

    release: (appId, lease) =>
      writer.run(({ leases }) => {
        if (isHeld(leases.get(appKey(appId)), lease)) leases.put(appKey(appId), { ...lease, until: 0 });
      }),
  };
}
