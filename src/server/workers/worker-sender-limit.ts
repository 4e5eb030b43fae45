/**
 * One limit of backend senders over several processes: a keeper holds the arrival times, the others ask it. Questions of
 * one turn of the event loop go out together. After a refusal no process asks again before the time it names: so a sender
 * far above the limit costs no messages.
 */
import type { Now } from "../../domain/clock.js";
import { RateLimited } from "../../domain/errors.js";
import { type Allowance, allowanceAt, type GcraLimits, gcra } from "../../domain/gcra.js";
import {
  createSenderLimit,
  type LimitKey,
  LimitTable,
  SERVER_SENDER_LIMITS,
  type SenderLimit,
} from "../../intake/sender-limit.js";

/** So many requests under one limit ask for admission. */
export interface LimitQuestion {
  readonly key: LimitKey;
  readonly count: number;
}

/** The first `admitted` of them are admitted; the others may retry after `waitMs`. `left` is the remaining quota. */
export interface LimitVerdict {
  readonly key: LimitKey;
  readonly admitted: number;
  readonly waitMs: number;
  readonly left: Allowance;
}

/** The keeper's side. Only apps that exist may be asked for, so that the table stays small. */
export function createLimitKeeper(monotonicNow: Now, limits: GcraLimits = SERVER_SENDER_LIMITS) {
  const arrivals = new LimitTable<number>();
  return ({ key, count }: LimitQuestion): LimitVerdict => {
    const now = monotonicNow();
    for (let admitted = 0; ; admitted++) {
      const arrival = arrivals.get(key);
      const left = allowanceAt(arrival, now, limits);
      if (admitted === count) return { key, admitted, waitMs: 0, left };
      const verdict = gcra(arrival, now, limits);
      if (!verdict.admitted) return { key, admitted, waitMs: verdict.waitMs, left };
      arrivals.set(key, verdict.next);
    }
  };
}

/** Maximum wait for the keeper. */
const ANSWER_MS = 250;

export interface WorkerSenderLimit {
  readonly limit: SenderLimit;
  /** Handles the keeper's answer to the questions of this number. */
  readonly answered: (round: number, verdicts: readonly LimitVerdict[]) => void;
}

interface Waiting {
  resolve(left: Allowance): void;
  reject(error: unknown): void;
}

/**
 * The side of a process that asks. Without an answer in time the process applies a limit of its own: the limit is a
 * courtesy among callers, and events must not wait for it.
 */
export function createWorkerSenderLimit(deps: {
  readonly ask: (round: number, questions: readonly LimitQuestion[]) => void;
  readonly monotonicNow: Now;
}): WorkerSenderLimit {
  const ownLimit = createSenderLimit(deps.monotonicNow);
  const refused = new LimitTable<{ readonly until: number; readonly left: Allowance }>();
  const rounds = new Map<number, ReadonlyMap<LimitKey, readonly Waiting[]>>();
  let gathering = new Map<LimitKey, Waiting[]>();
  let round = 0;

  const goByOwn = (number: number) => {
    for (const [key, all] of rounds.get(number) ?? []) {
      for (const waiting of all) {
        try {
          waiting.resolve(ownLimit(key));
        } catch (error) {
          waiting.reject(error);
        }
      }
    }
    rounds.delete(number);
  };

  const ask = () => {
    const number = ++round;
    rounds.set(number, gathering);
    const questions = [...gathering].map(([key, all]) => ({ key, count: all.length }));
    gathering = new Map();
    setTimeout(() => goByOwn(number), ANSWER_MS).unref();
    deps.ask(number, questions);
  };

  return {
    limit(key) {
      const refusal = refused.get(key);
      const wait = (refusal?.until ?? 0) - deps.monotonicNow();
      if (refusal !== undefined && wait > 0) throw new RateLimited(wait, refusal.left);
      return new Promise((resolve, reject) => {
        if (gathering.size === 0) setImmediate(ask);
        const all = gathering.get(key);
        if (all === undefined) gathering.set(key, [{ resolve, reject }]);
        else all.push({ resolve, reject });
      });
    },

    answered(number, verdicts) {
      const asked = rounds.get(number);
      rounds.delete(number);
      for (const { key, admitted, waitMs, left } of verdicts) {
        const all = asked?.get(key) ?? [];
        for (const waiting of all.slice(0, admitted)) waiting.resolve(left);
        if (admitted < all.length) refused.set(key, { until: deps.monotonicNow() + waitMs, left });
        else refused.delete(key);
        for (const waiting of all.slice(admitted)) waiting.reject(new RateLimited(waitMs, left));
      }
    },
  };
}
