/**
 * Generic cell rate algorithm (ITU-T I.371): one timestamp a key, no window whose edge lets a double burst through.
 * In any span of t ms at most `burst + ratePerSecond * t / 1000` calls are admitted.
 */
export interface GcraLimits {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** The remaining quota. */
export interface Allowance {
  /** The burst: calls that may come at once when none came lately. */
  readonly limit: number;
  /** Milliseconds without a call after which the full burst is available again, whatever was used. */
  readonly windowMs: number;
  /** Calls that would be admitted now. */
  readonly remaining: number;
  /** Milliseconds until the full burst is available again. */
  readonly resetMs: number;
}

/** The remaining quota at `nowMs` of limits with the theoretical arrival time `theoreticalArrival`. */
export function allowanceAt(theoreticalArrival: number | undefined, nowMs: number, limits: GcraLimits): Allowance {
  const interval = 1000 / limits.ratePerSecond;
  const resetMs = Math.max(0, (theoreticalArrival ?? nowMs) - nowMs);
  const remaining = Math.max(0, Math.floor(limits.burst - resetMs / interval + 1e-9));
  return { limit: limits.burst, windowMs: limits.burst * interval, remaining, resetMs };
}

/** The theoretical arrival time after an admitted call, otherwise how long to wait. */
export function gcra(
  theoreticalArrival: number | undefined,
  nowMs: number,
  limits: GcraLimits,
): { readonly admitted: true; readonly next: number } | { readonly admitted: false; readonly waitMs: number } {
  const interval = 1000 / limits.ratePerSecond;
  const arrival = Math.max(theoreticalArrival ?? nowMs, nowMs);
  const waitMs = arrival - (limits.burst - 1) * interval - nowMs;
  return waitMs > 1e-9 ? { admitted: false, waitMs } : { admitted: true, next: arrival + interval };
}
