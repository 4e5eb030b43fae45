/** The right to train an app for a limited time. */
export interface Lease {
  /** A text unique to the holder. */
  readonly holder: string;
  /** Fencing token: greater than the token of every earlier lease of the app. */
  readonly token: number;
}

/**
 * Of all processes that share the store, at most one holds an app's lease. A holder that stalls until its lease expires
 * does not notice. Its token then keeps it from publishing a model (`ModelStore.setPointer`).
 */
export interface Leases {
  /** A lease for `forMs` from now; undefined while another process holds one. */
  acquire(appId: string, holder: string, forMs: number): Promise<Lease | undefined>;
  /** Extends the lease to `forMs` from now; false when it has been lost. */
  renew(appId: string, lease: Lease, forMs: number): Promise<boolean>;
  /** Releases the lease if it is still held. The next lease still gets a greater token. */
  release(appId: string, lease: Lease): Promise<void>;
}
