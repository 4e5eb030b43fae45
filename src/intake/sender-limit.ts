import type { Now } from "../domain/clock.js";
import { RateLimited } from "../domain/errors.js";
import { type Allowance, allowanceAt, type GcraLimits, gcra } from "../domain/gcra.js";

/** The documented limit of backend senders: 100 requests a second for each app. */
export const SERVER_SENDER_LIMITS: GcraLimits = { ratePerSecond: 100, burst: 100 };

/** What is left to the app's backend senders. Throws RateLimited when they are too fast, at once or by its promise. */
export type SenderLimit = (appId: string) => Promise<Allowance> | Allowance;

/**
 * A limit kept in this process. Only apps that exist may be asked for, so that the table stays as small as their number.
 * `monotonicNow` must never go back.
 */
export function createSenderLimit(
  monotonicNow: Now,
  limits: GcraLimits = SERVER_SENDER_LIMITS,
): (appId: string) => Allowance {
  const arrivals = new Map<string, number>();
  return (appId) => {
    const now = monotonicNow();
    const verdict = gcra(arrivals.get(appId), now, limits);
    if (!verdict.admitted) throw new RateLimited(verdict.waitMs, allowanceAt(arrivals.get(appId), now, limits));
    arrivals.set(appId, verdict.next);
    return allowanceAt(verdict.next, now, limits);
  };
}
