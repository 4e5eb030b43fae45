export const SUPPRESSION_SOURCES = ["erasure", "rpc"] as const;

/** An address that lists may not subscribe. It is kept as a keyed hash, so the record names nobody. */
export interface Suppression {
  readonly suppressedAt: number;
  /** `erasure`: its person was erased; `rpc`: the shop suppressed it. */
  readonly source: (typeof SUPPRESSION_SOURCES)[number];
}
