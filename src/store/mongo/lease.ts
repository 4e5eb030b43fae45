import type { Now } from "../../domain/clock.js";
import { DataDamaged } from "../../domain/errors.js";
import { appKey } from "../keys.js";
import type { Leases } from "../ports/lease.js";
import { isHeld, type StoredLease } from "../stored-lease.js";
import type { StagedTable } from "../transaction.js";
import { asked, type Connection } from "./connection.js";
import type { Tables } from "./tables.js";

/** Leases that are held, by app. */
export type HeldLeases = ReadonlyMap<string, StoredLease>;

export interface ObservedLeases extends Leases {
  /** Takes note of the leases that are held. Every few seconds, so that one nobody renews is over when it is wanted. */
  observe(): Promise<void>;
}

export interface LeasesDeps {
  /** Runs a piece of work over the leases of an app, as `Writer.run`. */
  readonly run: <T>(appId: string, work: (leases: StagedTable<StoredLease>) => T) => Promise<T>;
  readonly held: () => Promise<HeldLeases>;
  readonly now: Now;
  /** Milliseconds by a clock that is never set. */
  readonly elapsed: Now;
}

/**
 * Leases as records: two servers that take one at the same time conflict, and one of them runs again.
 *
 * The clocks of servers may be apart, so none is compared with another's: a lease is over for a server that has seen
 * its record unchanged for as long as it was given. Each renewal changes the record. A server that has just started
 * therefore waits the whole time once more.
 */
export function createLeases({ run, held, now, elapsed }: LeasesDeps): ObservedLeases {
  let seen = new Map<string, Sight>();

  /** To be called after the record was read: a change may have come until then. */
  const note = (into: Map<string, Sight>, appId: string, lease: StoredLease): void => {
    const before = seen.get(appId);
    into.set(appId, before !== undefined && isSame(before.lease, lease) ? before : { lease, at: elapsed() });
  };

  return {
    acquire: async (appId, holder, forMs) => {
      const sight = seen.get(appId);
      const waited = sight === undefined ? 0 : elapsed() - sight.at;
      const { lease, given } = await run(appId, (leases) => {
        const last = leases.get(appKey(appId));
        const isOver =
          last === undefined ||
          last.until === 0 ||
          (sight !== undefined && isSame(sight.lease, last) && waited >= last.forMs);
        if (!isOver) return { lease: last, given: false };
        const next = { holder, token: (last?.token ?? 0) + 1, until: now() + forMs, forMs };
        leases.put(appKey(appId), next);
        return { lease: next, given: true };
      });
      note(seen, appId, lease);
      return given ? { holder, token: lease.token } : undefined;
    },

    // An expired lease that nobody else took still belongs to its holder.
    renew: async (appId, { holder, token }, forMs) => {
      const renewed = await run(appId, (leases) => {
        const last = leases.get(appKey(appId));
        if (last === undefined || !isHeld(last, { holder, token })) return undefined;
        const next = { holder, token, until: Math.max(now() + forMs, last.until + 1), forMs };
        leases.put(appKey(appId), next);
        return next;
      });
      if (renewed !== undefined) note(seen, appId, renewed);
      return renewed !== undefined;
    },

    release: (appId, { holder, token }) =>
      run(appId, (leases) => {
        const last = leases.get(appKey(appId));
        if (last !== undefined && isHeld(last, { holder, token })) leases.put(appKey(appId), { ...last, until: 0 });
      }),

    observe: async () => {
      const leases = await held();
      const next = new Map<string, Sight>();
      for (const [appId, lease] of leases) note(next, appId, lease);
      seen = next;
    },
  };
}

/** A lease as a server saw it, and since when by `elapsed`. */
interface Sight {
  readonly lease: StoredLease;
  readonly at: number;
}

/** Whether it has not been renewed or taken in between. */
function isSame(a: StoredLease, b: StoredLease): boolean {
  return a.token === b.token && a.holder === b.holder && a.until === b.until;
}

/** Asks for the leases that are held. One that is damaged is left out: its app waits for it as for one never seen. */
export async function heldLeases(connection: Connection, { leases }: Tables): Promise<HeldLeases> {
  const documents = await asked(connection, () =>
    leases.collection.find({ across: leases.name, "v.until": { $gt: new Date(0) } }).toArray(),
  );
  const found = new Map<string, StoredLease>();
  for (const { app, v } of documents) {
    try {
      found.set(app, leases.decode(v));
    } catch (error) {
      if (!(error instanceof DataDamaged)) throw error;
    }
  }
  return found;
}
