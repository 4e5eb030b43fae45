import { type ConcurrencyLimits, createConcurrencyLimit } from "../../src/intake/admission.js";
import { createRandom } from "../../src/learning/common/random.js";

/** A store whose commits take `baseMs + workMs * works`, times a random factor of a log-normal distribution. */
export interface StoreModel {
  readonly baseMs: number;
  readonly workMs: (ms: number) => number;
  /** Standard deviation of the logarithm of the factor; 0 for none. */
  readonly noise: number;
}

/** Calls in simulated time. */
export interface Calls {
  /** Open loop, with exponential gaps: so many a second. */
  readonly perSecond?: number;
  /** Closed loop: so many callers, each with its next call when it has its answer. */
  readonly callers?: number;
  readonly seconds: number;
  /** A call that is not answered by then is refused, and its work is dropped when it has not begun. */
  readonly deadlineMs: number;
}

interface Job {
  readonly at: number;
  readonly end: () => void;
}

const MAX_BATCH = 500;
/** What comes before this share of the time is not counted. */
const WARM_UP = 0.25;

/** Simulates the calls on the store; without `limits` all are let in. */
export function simulate(store: StoreModel, calls: Calls, limits?: ConcurrencyLimits, seed = 1) {
  const random = createRandom(seed);
  const endAt = calls.seconds * 1000;
  let ms = 0;
  const limit = limits && createConcurrencyLimit(() => ms, limits);
  let waiting: Job[] = [];
  let committing: Job[] = [];
  let committedAt = Number.POSITIVE_INFINITY;
  let arrivesAt = calls.perSecond === undefined ? Number.POSITIVE_INFINITY : 0;
  const latencies: number[] = [];
  const inFlight: number[] = [];

  const factor = () => {
    const gauss = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.exp(store.noise * gauss - store.noise ** 2 / 2);
  };
  const ended = (jobs: readonly Job[]) => {
    for (const job of jobs) job.end();
    if (calls.callers !== undefined) for (const _ of jobs) arrive();
  };
  const commit = () => {
    while (committing.length === 0 && waiting.length > 0) {
      const jobs = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      const isWanted = ({ at }: Job) => ms - at < calls.deadlineMs;
      committing = jobs.filter(isWanted);
      committedAt = ms + (store.baseMs + store.workMs(ms) * committing.length) * factor();
      ended(jobs.filter((job) => !isWanted(job)));
    }
  };
  const arrive = () => {
    if (limit?.room() === 0) return;
    waiting.push({ at: ms, end: limit?.begin(1) ?? (() => {}) });
    inFlight.push(waiting.length + committing.length);
  };

  for (let n = 0; n < (calls.callers ?? 0); n++) arrive();
  for (commit(); ; commit()) {
    ms = Math.min(arrivesAt, committedAt);
    if (ms >= endAt) break;
    if (ms === committedAt) {
      const done = committing;
      committing = [];
      committedAt = Number.POSITIVE_INFINITY;
      for (const { at } of done) if (ms - at <= calls.deadlineMs && ms > WARM_UP * endAt) latencies.push(ms - at);
      ended(done);
    } else {
      arrivesAt = ms - (Math.log(1 - random()) * 1000) / (calls.perSecond ?? 1);
      arrive();
    }
  }
  latencies.sort((a, b) => a - b);
  return {
    /** Calls answered in time, a second. */
    goodput: latencies.length / (calls.seconds * (1 - WARM_UP)),
    p50Ms: latencies[Math.floor(latencies.length / 2)] ?? 0,
    mostInFlight: inFlight.reduce((most, one) => Math.max(most, one), 0),
    limit: limit?.limit ?? Number.POSITIVE_INFINITY,
  };
}

/** The best rate of closed loops. */
export function bestRate(store: StoreModel, deadlineMs: number): number {
  return Math.max(...[4, 16, 64, 256].map((callers) => simulate(store, { callers, seconds: 20, deadlineMs }).goodput));
}
