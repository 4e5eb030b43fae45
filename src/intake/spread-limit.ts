/**
 * One limit of backend senders over processes that share a store and nothing else.
 *
 * Asking the store at each request would cost its round trip, and needs a counter that is updated atomically, which not
 * every server can do. Instead each process keeps the limit by itself and tells the others now and then what it let in:
 *
 * - All know one arrival time (`gcra.ts`) of the app, from what all have let in as far as they have told.
 * - Between two exchanges a process takes the share of the limit that its senders have of all who asked lately, and
 *   reckons that the others take theirs.
 * - With each exchange the reckoning is replaced by what was counted. What was let in too much is made up for by the
 *   next refusals and what was too little by the next requests, so that errors do not add up: over a longer time the
 *   limit holds exactly, at any moment it is off by what was let in since the last exchange.
 *
 * A process whose senders begin to ask knows nothing of the others until its first exchange, which begins at once, and
 * as long as the app is far below its limit nobody is held to a small share: a sender that keeps to the limit must not
 * be refused because it has just begun.
 */
import type { Now } from "../domain/clock.js";
import { RateLimited } from "../domain/errors.js";
import { type Allowance, allowanceAt, type GcraLimits, gcra } from "../domain/gcra.js";
import type { Tally, TallyBoard, TallySheet } from "../ports/tally-board.js";
import { SERVER_SENDER_LIMITS, type SenderLimit } from "./sender-limit.js";

/** Milliseconds between two exchanges while somebody asks. */
export const EXCHANGE_MS = 250;

/** Requests count for who asked lately with the half of their weight after 0.7 of this time. */
const LATELY_MS = 1000;

/** The share of a process that knows of no others, or of an app that is not near its limit. */
const FREE_SHARE = 0.3;

/** Everybody is taken to have asked at least so often lately, so that a sender that begins is let in. */
const LEAST_WANTED = 5;

/** An app that nobody asked for during this time is forgotten. */
const IDLE_MS = 10_000;

/** Senders are told to come again after a second at the latest. */
const LONGEST_WAIT_MS = 1000;

export interface SpreadLimitDeps {
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

export interface SpreadLimit {
  readonly limit: SenderLimit;
  /**
   * Shows the others what was let in here, and takes in what they show; does nothing when nobody asked lately. When it
   * rejects, the process goes on with the share it has.
   */
  exchange(): Promise<void>;
}

export function createSpreadLimit(deps: SpreadLimitDeps): SpreadLimit {
  const { board, holder, newCount, monotonicNow, limits = SERVER_SENDER_LIMITS, wake } = deps;
  const apps = new Map<string, AppCount>();
  let isShown = false;
  return {
    limit(appId) {
      const now = monotonicNow();
      let app = apps.get(appId);
      if (app === undefined) {
        app = new AppCount(appId, newCount(), limits, now);
        apps.set(appId, app);
        wake?.();
      }
      const waitMs = app.ask(now);
      const allowance = app.allowance(now);
      if (waitMs > 0) throw new RateLimited(Math.min(waitMs, LONGEST_WAIT_MS), allowance);
      return allowance;
    },

    async exchange() {
      const now = monotonicNow();
      for (const [appId, app] of apps) if (app.isIdle(now)) apps.delete(appId);
      if (apps.size === 0) {
        if (isShown) await board.leave(holder);
        isShown = false;
        return;
      }
      isShown = true;
      const asking = [...apps.values()];
      const others = await board.exchange({ holder, tallies: asking.map((app) => app.tally(monotonicNow())) });
      for (const app of asking) app.learn(others, monotonicNow());
    },
  };
}

/** What another process showed last. */
interface Shown {
  readonly tally: Tally;
  /** Since when it has shown just that. */
  readonly since: number;
}

/** One app's requests in this process, and what is known of the others. */
class AppCount {
  private admitted = 0;
  private askedAt: number;
  /** Requests of late, weighed as of `askedAt`. */
  private wanted = 0;
  private share = FREE_SHARE;
  /** The app's theoretical arrival time as of `learntAt`, when `admittedThen` of the requests here were in it. */
  private known: number;
  private learntAt: number;
  private admittedThen = 0;
  /** The same since then, as reckoned by this process. */
  private arrival: number | undefined;
  /** By their count; undefined before the first exchange. */
  private shown: ReadonlyMap<string, Shown> | undefined;

  constructor(
    readonly appId: string,
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

  /** What is left of this process's share of the limit. */
  allowance(now: number): Allowance {
    const { limit, windowMs } = allowanceAt(undefined, now, this.limits);
    return { ...allowanceAt(this.arrival, now, this.own), limit, windowMs };
  }

  tally(now: number): Tally {
    const { appId, count, admitted } = this;
    const debt = Math.max(0, this.arrivalOfAll(0) - now) / this.interval;
    return { appId, count, admitted, wanted: this.wantedAt(now), debt };
  }

  /** Replaces what was reckoned of the others by what they counted. */
  learn(sheets: readonly TallySheet[], now: number): void {
    const tallies = sheets.flatMap((sheet) => sheet.tallies.filter((tally) => tally.appId === this.appId));
    const before = this.shown;
    let letIn = 0;
    if (before === undefined) {
      // What they let in before is in their debt, and nobody knows of this process yet.
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

/** What is left of the weight of a request after so many milliseconds. */
function fading(ms: number): number {
  return Math.exp(-ms / LATELY_MS);
}
