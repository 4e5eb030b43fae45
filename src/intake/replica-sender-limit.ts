/**
 * One limit of backend senders over processes that share a store and nothing else.
 *
 * Asking the store at each request would cost a round trip and need an atomic counter, which not every server has. Instead
 * each process applies the limit by itself and regularly exchanges its counts with the others:
 *
 * - All share one arrival time (`gcra.ts`) for each limit, from all exchanged counts.
 * - Between two exchanges a process uses its share of the limit: its part of all recent requests. It assumes that the
 *   others use theirs.
 * - Each exchange replaces the assumption by the counts. Later refusals make up for too many accepted requests, later
 *   requests for too few. So errors do not add up: over time the limit holds exactly, at any moment it is off by the
 *   requests since the last exchange.
 *
 * A process whose senders have just begun knows no counts of the others until its first exchange, which starts at once.
 * While the limit is far away no process is held to its share: a sender within the limit must not be refused because it
 * has just begun.
 */
import type { Now } from "../domain/clock.js";
import { RateLimited } from "../domain/errors.js";
import { type Allowance, allowanceAt, type GcraLimits, gcra } from "../domain/gcra.js";
import type { Tally, TallyBoard } from "../store/ports/tally-board.js";
import { type LimitKey, LimitTable, SERVER_SENDER_LIMITS, type SenderLimit } from "./sender-limit.js";

/** Milliseconds between two exchanges while requests come. */
export const EXCHANGE_MS = 250;

/** Requests count for who asked lately with the half of their weight after 0.7 of this time. */
const LATELY_MS = 1000;

/** The share of a process that knows of no others, or of a limit that is not nearly reached. */
const FREE_SHARE = 0.3;

/** Everybody is taken to have asked at least so often lately, so that a sender that begins is let in. */
const LEAST_WANTED = 5;

/** A limit that nobody asked for during this time is forgotten. */
const IDLE_MS = 10_000;

/** Networks of one process. Each stands on the board, which all processes read every `EXCHANGE_MS`. */
const MAX_SHOWN_NETWORKS = 256;

/** Longest `Retry-After` of a refusal. */
const LONGEST_WAIT_MS = 1000;

export interface ReplicaSenderLimitDeps {
  readonly board: TallyBoard;
  /** Of this process; a text that no other has. */
  readonly holder: string;
  /** A text not given before, in any process. */
  readonly newCount: () => string;
  /** Milliseconds that never go back. */
  readonly monotonicNow: Now;
  readonly limits?: GcraLimits;
  /** Called when an exchange should begin soon, not only at its time. */
  readonly wake?: () => void;
}

export interface ReplicaSenderLimit {
  readonly limit: SenderLimit;
  /**
   * Shows the others what was let in here, and takes in what they show; does nothing when nobody asked lately. When it
   * rejects, the process goes on with the share it has.
   */
  exchange(): Promise<void>;
}

export function createReplicaSenderLimit(deps: ReplicaSenderLimitDeps): ReplicaSenderLimit {
  const { board, holder, newCount, monotonicNow, limits = SERVER_SENDER_LIMITS, wake } = deps;
  const counts = new LimitTable<LimitCount>(MAX_SHOWN_NETWORKS);
  let isShown = false;
  return {
    limit(key) {
      const now = monotonicNow();
      const known = counts.get(key);
      const count = known ?? new LimitCount(key, newCount(), limits, now);
      counts.set(key, count);
      if (known === undefined) wake?.();
      const waitMs = count.ask(now);
      const allowance = count.allowance(now);
      if (waitMs > 0) throw new RateLimited(Math.min(waitMs, LONGEST_WAIT_MS), allowance);
      return allowance;
    },

    async exchange() {
      const now = monotonicNow();
      for (const count of counts.values()) if (count.isIdle(now)) counts.delete(count.key);
      if (counts.size === 0) {
        if (isShown) await board.leave(holder);
        isShown = false;
        return;
      }
      isShown = true;
      const asking = counts.values();
      const sheets = await board.exchange({ holder, tallies: asking.map((count) => count.tally(monotonicNow())) });
      const others = new Map<LimitKey, Tally[]>(asking.map(({ key }) => [key, []]));
      for (const { tallies } of sheets) for (const tally of tallies) others.get(tally.key)?.push(tally);
      for (const count of asking) count.learn(others.get(count.key) ?? [], monotonicNow());
    },
  };
}

/** What another process showed last. */
interface Shown {
  readonly tally: Tally;
  /** Since when it has shown just that. */
  readonly since: number;
}

/** The requests of one limit in this process, and what is known of the others. */
class LimitCount {
  private admitted = 0;
  private askedAt: number;
  /** Requests of late, weighed as of `askedAt`. */
  private wanted = 0;
  private share = FREE_SHARE;
  /** The limit's theoretical arrival time as of `learntAt`, when `admittedThen` of the requests here were in it. */
  private known: number;
  private learntAt: number;
  private admittedThen = 0;
  /** The same since then, as reckoned by this process. */
  private arrival: number | undefined;
  /** By their count; undefined before the first exchange. */
  private shown: ReadonlyMap<string, Shown> | undefined;

  constructor(
    readonly key: LimitKey,
    private readonly count: string,
    private readonly limits: GcraLimits,
    now: number,
  ) {
    this.askedAt = now;
    this.known = now;
    this.learntAt = now;
  }

  isIdle(now: number): boolean {
    return now - this.askedAt > IDLE_MS;
  }

  /** 0 when the request is let in, else the milliseconds after which one may be. */
  ask(now: number): number {
    this.wanted = this.wantedAt(now) + 1;
    this.askedAt = now;
    const verdict = gcra(this.arrival, now, this.own);
    if (!verdict.admitted) return verdict.waitMs;
    this.arrival = verdict.next;
    this.admitted++;
    return 0;
  }

  /** The rest of this process's share of the limit. */
  allowance(now: number): Allowance {
    const { limit, windowMs } = allowanceAt(undefined, now, this.limits);
    return { ...allowanceAt(this.arrival, now, this.own), limit, windowMs };
  }

  tally(now: number): Tally {
    const { key, count, admitted } = this;
    const debt = Math.max(0, this.arrivalOfAll(0) - now) / this.interval;
    return { key, count, admitted, wanted: this.wantedAt(now), debt };
  }

  /** Replaces what was reckoned of the others by what they counted. */
  learn(tallies: readonly Tally[], now: number): void {
    const before = this.shown;
    let letIn = 0;
    if (before === undefined) {
      // Their debt includes the requests they accepted before; they do not know this process yet.
      letIn = Math.max(0, ...tallies.map(({ debt }) => debt));
    } else {
      for (const { count, admitted } of tallies) letIn += admitted - (before.get(count)?.tally.admitted ?? 0);
    }
    this.known = this.arrivalOfAll(letIn);
    this.learntAt = now;
    this.admittedThen = this.admitted;
    this.arrival = this.known;
    this.shown = new Map(
      tallies.map((tally) => {
        const last = before?.get(tally.count);
        const isSame = last?.tally.admitted === tally.admitted && last.tally.wanted === tally.wanted;
        return [tally.count, { tally, since: isSame ? last.since : now }];
      }),
    );
    this.share = this.fairShare(now);
  }

  /** With `letIn` requests of other processes that were not known of yet. */
  private arrivalOfAll(letIn: number): number {
    return Math.max(this.known, this.learntAt) + (this.admitted - this.admittedThen + letIn) * this.interval;
  }

  private fairShare(now: number): number {
    const own = Math.max(LEAST_WANTED, this.wantedAt(now));
    let all = own;
    for (const { tally, since } of this.shown?.values() ?? [])
      all += Math.max(LEAST_WANTED, tally.wanted * fading(now - since));
    const share = own / all;
    const isFree = (this.known - now) / this.interval < this.limits.burst / 2;
    return isFree ? Math.max(share, FREE_SHARE) : share;
  }

  private wantedAt(now: number): number {
    return this.wanted * fading(now - this.askedAt);
  }

  /** The share of this process. */
  private get own(): GcraLimits {
    const { ratePerSecond, burst } = this.limits;
    return { ratePerSecond: ratePerSecond * this.share, burst: Math.max(1, burst * this.share) };
  }

  private get interval(): number {
    return 1000 / this.limits.ratePerSecond;
  }
}

/** The weight of a request after `ms`; 1 at first. */
function fading(ms: number): number {
  return Math.exp(-ms / LATELY_MS);
}
