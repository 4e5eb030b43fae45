import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import { DomainError, Unavailable } from "../domain/errors.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";

/** Admits as many works as the store completes in time, and rejects the others at once. */
export interface Admission {
  /** Whether one more work would be refused now. */
  isFull(): boolean;
  /**
   * Runs a work on the store. Rejects with Unavailable, and does not run it, when too many are in flight. The work counts
   * as in flight until it has ended, though its sender may have been answered before. The latency of a work that is
   * refused for what it says does not count: the store had little to do with it.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface AdmissionDependencies {
  readonly limits: ConcurrencyLimits;
  readonly monotonicNow: Now;
  readonly metrics: Metrics;
}

/** Overload is logged at most this often: a log line costs more than a rejection. */
const WARN_EVERY_MS = 60_000;

/** Calls `warn` at the first rejection, and once a minute while rejections go on. */
export function createAdmission({
  limits,
  monotonicNow,
  metrics,
  warn,
}: AdmissionDependencies & { readonly warn?: ((line: string) => void) | undefined }): Admission {
  const limit = createConcurrencyLimit(monotonicNow, limits);
  metrics.watch?.("events_limit", () => limit.limit);
  metrics.watch?.("events_in_flight", () => limit.inFlight);
  let warnedAt = Number.NEGATIVE_INFINITY;
  const isFull = () => {
    if (limit.room() > 0) return false;
    if (monotonicNow() - warnedAt >= WARN_EVERY_MS) {
      warnedAt = monotonicNow();
      warn?.(`overload: events are rejected: ${limit.inFlight} are in flight, the current limit`);
    }
    return true;
  };
  return {
    isFull,
    async run(work) {
      if (isFull()) throw new Unavailable("Too many events are in flight", undefined, { shed: "calls" });
      const end = limit.begin(1);
      try {
        const result = await work();
        end();
        return result;
      } catch (error) {
        end(error instanceof Unavailable || !(error instanceof DomainError));
        throw error;
      }
    },
  };
}

/**
 * The works of bulk calls, in steps of as many as the store does in `limits.targetMs`, so that a live event waits for one
 * step at most. All bulk calls share the limit, and wait for room in the order in which they came.
 */
export function inSteps(
  unitOfWork: Pick<UnitOfWork, "runEach">,
  { limits, monotonicNow, metrics }: AdmissionDependencies,
): UnitOfWork["runEach"] {
  const limit = createConcurrencyLimit(monotonicNow, limits);
  metrics.watch?.("bulk_limit", () => limit.limit);
  metrics.watch?.("bulk_in_flight", () => limit.inFlight);
  const waiting: { readonly wanted: number; readonly take: (step: Step) => void }[] = [];
  const grant = () => {
    for (let room = limit.room(); room > 0 && waiting.length > 0; room = limit.room()) {
      const { wanted, take } = waiting.shift()!;
      const works = Math.min(wanted, room);
      const end = limit.begin(works);
      take({
        works,
        end() {
          end();
          grant();
        },
      });
    }
  };
  const next = (wanted: number) =>
    new Promise<Step>((take) => {
      waiting.push({ wanted, take });
      grant();
    });
  return async <T>(appId: string, works: readonly ((tx: Transaction) => T)[]) => {
    const outcomes: PromiseSettledResult<T>[] = [];
    while (outcomes.length < works.length) {
      const step = await next(works.length - outcomes.length);
      try {
        const some = works.slice(outcomes.length, outcomes.length + step.works);
        outcomes.push(...(await unitOfWork.runEach(appId, some)));
      } finally {
        step.end();
      }
    }
    return outcomes;
  };
}

interface Step {
  readonly works: number;
  end(): void;
}

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
