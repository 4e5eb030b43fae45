import type { Metrics } from "../adapters/metrics.js";
import type { ConcurrencyLimits } from "../intake/admission.js";
import { type Admission, createAdmission, inSteps } from "../intake/admission.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";

/** A local store takes what one processor can send it; half a second is the longest wait of senders. */
const NEAR: ConcurrencyLimits = { first: 1000, least: 1000, most: 10_000, targetMs: 500 };

/** A remote store may be slow, and others use it as well. It admits a burst when idle; later rounds follow latency. */
const FAR = { first: 128, least: 8, most: 5000 };

/** Share of a sender's waiting time: the mean duration of a work, so that few take longer than all of it. */
const TARGET_SHARE = 2 / 3;

/** A live event may wait for one step of a bulk call and then for its own commit. */
const STEP_SHARE = 0.25;
const FIRST_STEP = 32;

interface Deps {
  readonly monotonicNow: () => number;
  readonly metrics: Metrics;
  readonly warn?: ((line: string) => void) | undefined;
  /** Maximum works in flight in the store. Default: by its distance. */
  readonly inFlight?: ConcurrencyLimits | undefined;
}

/** Limits the events that a facade has sent to services in other processes, which have limits of their own. */
export function admissionToServices(deps: Deps): Admission {
  return createAdmission({ ...deps, limits: NEAR });
}

/**
 * Limits the works in flight in the store. `answerMs`: how long senders wait for a remote store; undefined for one in
 * this process.
 */
export function admissionTo(unitOfWork: UnitOfWork, answerMs: number | undefined, deps: Deps) {
  const targetMs = (share: number) => ({ targetMs: (answerMs ?? 0) * share });
  const byDistance = answerMs === undefined ? NEAR : { ...FAR, ...targetMs(TARGET_SHARE) };
  const bulk = { ...FAR, first: FIRST_STEP, ...targetMs(STEP_SHARE) };
  return {
    admission: createAdmission({ ...deps, limits: deps.inFlight ?? byDistance }),
    // An embedded store interleaves bulk works with others itself.
    unitOfWork:
      answerMs === undefined
        ? unitOfWork
        : { run: unitOfWork.run, runEach: inSteps(unitOfWork, { ...deps, limits: bulk }) },
  };
}
