import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import { DomainError, Unavailable } from "../domain/errors.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { type ConcurrencyLimits, createConcurrencyLimit } from "./concurrency-limit.js";

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
