/** The right to train an app, for a time. */
export interface Lease {
  /** Who holds it; a text that no other holder has. */
  readonly holder: string;
  /** Fencing token: greater than that of every earlier lease of the same app. */
  readonly token: number;
}

/**
 * Leases of apps, held by at most one process of all that share the store. A holder that stalls past its time loses the
 * lease without noticing; what it then publishes is refused by its token (`ModelStore.setPointer`).
 */
export interface Leases {
  /** A lease for `forMs` from now; undefined while somebody else holds one. */
  acquire(appId: string, holder: string, forMs: number): Promise<Lease | undefined>;
  /** Gives the lease `forMs` from now; false when it is held no more. */
  renew(appId: string, lease: Lease, forMs: number): Promise<boolean>;
  /** Gives the lease back, if it is still held. The next one has a greater token all the same. */
  release(appId: string, lease: Lease): Promise<void>;
}
