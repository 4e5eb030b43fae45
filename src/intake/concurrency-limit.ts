import type { Now } from "../domain/clock.js";

export interface ConcurrencyLimits {
  /** Works that may be in flight before any latency is known. */
  readonly first: number;
  readonly least: number;
  readonly most: number;
  /** The mean latency to aim for, ms. */
  readonly targetMs: number;
}

/** How many works may be in flight in the store. */
export interface ConcurrencyLimit {
  /** Works that may be in flight now, at least 1. */
  readonly limit: number;
  readonly inFlight: number;
  /** Works that may still begin. Asking when there is no room tells the limit that more are wanted. */
  room(): number;
  /** Counts so many works as in flight until `End` is called. */
  begin(works: number): End;
}

/** Works have ended. Their latency counts, unless they ended before the store had anything to do with them. */
export type End = (counts?: boolean) => void;

/** A round of measuring changes the limit by these factors at most: a commit that is far too large wastes all of its works. */
const MOST_DOWN = 0.1;
const MOST_UP = 1.5;
/** A limit of which less was used says nothing about what more would do. */
const USED = 0.9;

/**
 * An adaptive concurrency limit: it moves towards the number of works whose mean latency is `targetMs`.
 *
 * A store with group commit gets faster with more callers until their works no longer fit into the time that senders wait;
 * from then on every work comes too late and nothing is acknowledged. So the limit follows latency instead of a fixed
 * number: with `n` works in flight and a mean latency of `l`, about `n * targetMs / l` works meet the target (Little's
 * law). Gradients to the lowest latency, as Netflix's concurrency-limits has them, would keep commits small and slow.
 *
 * The limit changes once a round, by the works that began after its last change. It grows only while it is used up.
 * A store that stands still holds its works in flight, so nothing more begins and the limit stays as it is.
 */
export function createConcurrencyLimit(now: Now, limits: ConcurrencyLimits): ConcurrencyLimit {
  const { first, least, most, targetMs } = limits;
  let limit = first;
  let inFlight = 0;
  let round = { count: 0, sumMs: 0, isUsedUp: false };

  const look = () => {
    if (inFlight >= limit * USED) round.isUsedUp = true;
  };
  const change = () => {
    const factor = (targetMs * round.count) / Math.max(1, round.sumMs);
    if (factor < 1) limit = Math.max(least, limit * Math.max(MOST_DOWN, factor));
    // The root, because the works of the round before were still waiting while these were measured.
    else if (round.isUsedUp) limit = Math.min(most, limit * Math.min(MOST_UP, Math.sqrt(factor)));
    round = { count: 0, sumMs: 0, isUsedUp: false };
    look();
  };

  return {
    get limit() {
      return Math.floor(limit);
    },
    get inFlight() {
      return inFlight;
    },
    room() {
      const room = Math.floor(limit) - inFlight;
      if (room <= 0) round.isUsedUp = true;
      return Math.max(0, room);
    },
    begin(works) {
      const begunAt = now();
      const begunIn = round;
      inFlight += works;
      look();
      return (counts = true) => {
        inFlight -= works;
        if (begunIn !== round || !counts) return;
        round.count += works;
        round.sumMs += works * (now() - begunAt);
        if (round.count >= limit / 2) change();
      };
    },
  };
}
