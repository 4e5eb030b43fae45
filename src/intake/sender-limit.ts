import type { Now } from "../domain/clock.js";
import { RateLimited } from "../domain/errors.js";
import { type Allowance, allowanceAt, type GcraLimits, gcra } from "../domain/gcra.js";
import { networkTag, type PublicSender } from "../domain/public-sender.js";

/** The documented limit of backend senders: 100 requests a second for each app. */
export const SERVER_SENDER_LIMITS: GcraLimits = { ratePerSecond: 100, burst: 100 };

/** Networks remembered by a limit; the one that has not asked for longest is forgotten first. */
const MAX_NETWORKS = 4096;

/**
 * Names a limit. An app's own systems share one (`appId`). Each network that is not known to be the shop's has its own
 * (`appId`, a space and the network's tag), so that nobody uses up the limit of somebody else.
 */
export type LimitKey = string;

export function limitKey(appId: string, sender: PublicSender | undefined): LimitKey {
  return sender === undefined ? appId : `${appId} ${networkTag(appId, sender)}`;
}

/** Counts a request and gives the rest of the limit. Throws, or rejects with, RateLimited beyond it. */
export type SenderLimit = (key: LimitKey) => Promise<Allowance> | Allowance;

/**
 * Values by limit. Those of the shops' own systems stay, one for each app; of networks only the latest stay. A network
 * that is forgotten begins anew: an outsider with many networks can neither fill the table nor hold back a shop.
 */
export class LimitTable<V> {
  private readonly shops = new Map<LimitKey, V>();
  private readonly networks = new Map<LimitKey, V>();

  constructor(private readonly maxNetworks = MAX_NETWORKS) {}

  get size(): number {
    return this.shops.size + this.networks.size;
  }

  get(key: LimitKey): V | undefined {
    return this.of(key).get(key);
  }

  /** Makes it the newest. */
  set(key: LimitKey, value: V): void {
    const values = this.of(key);
    values.delete(key);
    values.set(key, value);
    if (this.networks.size <= this.maxNetworks) return;
    for (const oldest of this.networks.keys()) {
      this.networks.delete(oldest);
      return;
    }
  }

  delete(key: LimitKey): void {
    this.of(key).delete(key);
  }

  values(): V[] {
    return [...this.shops.values(), ...this.networks.values()];
  }

  private of(key: LimitKey): Map<LimitKey, V> {
    return key.includes(" ") ? this.networks : this.shops;
  }
}

/**
 * A limit kept in this process. Only apps that exist may be asked for, so that the table stays small.
 * `monotonicNow` must never go back.
 */
export function createSenderLimit(
  monotonicNow: Now,
  limits: GcraLimits = SERVER_SENDER_LIMITS,
): (key: LimitKey) => Allowance {
  const arrivals = new LimitTable<number>();
  return (key) => {
    const now = monotonicNow();
    const verdict = gcra(arrivals.get(key), now, limits);
    if (!verdict.admitted) throw new RateLimited(verdict.waitMs, allowanceAt(arrivals.get(key), now, limits));
    arrivals.set(key, verdict.next);
    return allowanceAt(verdict.next, now, limits);
  };
}
