/**
 * Generic cell rate algorithm (ITU-T I.371): one timestamp a key, no window whose edge lets a double burst through.
 * In any span of t ms at most `burst + ratePerSecond * t / 1000` calls are admitted.
 */
export interface GcraLimits {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** The rest of a limit. */
export interface Allowance {
  /** Calls that may come at once when none came lately. */
  readonly limit: number;
  /** After so many milliseconds without a call the whole of it is there again, however much was used. */
  readonly windowMs: number;
  /** Calls that would be admitted now. */
  readonly remaining: number;
  /** Milliseconds until the whole limit is there again. */
  readonly resetMs: number;
}

/** What calls find left at `nowMs` of limits whose theoretical arrival time is `theoreticalArrival`. */
export function allowanceAt(theoreticalArrival: number | undefined, nowMs: number, limits: GcraLimits): Allowance {
  const interval = 1000 / limits.ratePerSecond;
  const resetMs = Math.max(0, (theoreticalArrival ?? nowMs) - nowMs);
  const remaining = Math.max(0, Math.floor(limits.burst - resetMs / interval + 1e-9));
  return { limit: limits.burst, windowMs: limits.burst * interval, remaining, resetMs };
}

/** The theoretical arrival time after this call when it is admitted, or how long to wait when it is not. */
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
