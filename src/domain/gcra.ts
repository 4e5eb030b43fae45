/**
 * Generic cell rate algorithm (ITU-T I.371): one timestamp a key, no window whose edge lets a double burst through.
 * In any span of t ms at most `burst + ratePerSecond * t / 1000` calls are admitted.
 */
export interface GcraLimits {
  readonly ratePerSecond: number;
  readonly burst: number;
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
