import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import { Unavailable } from "../../domain/errors.js";
import { AppQueue, type AppQueueDeps } from "./app-queue.js";
import type { Commits } from "./commits.js";
import { PendingWork } from "./job.js";
import type { Work, Write } from "./staged-tables.js";
import type { Tables } from "./tables.js";

export interface WriterLimits {
  /** Works that may wait; one more is refused at once. */
  readonly maxWaiting: number;
  /** Works of one commit at most. */
  readonly maxBatch: number;
  /** A work, and any other operation, that takes longer than this many milliseconds is rejected with Unavailable. */
  readonly answerMs: number;
  /** Records remembered of one app; twice as many at times. */
  readonly maxCached: number;
  /** Apps whose records are remembered. */
  readonly maxLanes: number;
  /** A commit that another server has had under way for this many milliseconds is finished by this one. */
  readonly leftMs: number;
}

export const WRITER_LIMITS: WriterLimits = {
  maxWaiting: 20_000,
  maxBatch: 500,
  answerMs: 1000,
  maxCached: 5000,
  maxLanes: 100,
  leftMs: 1000,
};

export interface WriterDeps {
  readonly tables: Tables;
  readonly commits: Commits;
  readonly metrics: Metrics | undefined;
  readonly reportFailure: ReportFailure;
  readonly now: Now;
  readonly limits: WriterLimits;
  /** A name no other server has. */
  readonly server: string;
  readonly readOnly: boolean;
  readonly committed: (appId: string, rev: number, writes: readonly Write[]) => void;
}

/** Runs works, each in the lane of its app; lanes do not wait for each other. */
export class Writer {
  private readonly lanes = new Map<string, AppQueue>();
  private readonly laneDeps: AppQueueDeps;
  private waiting = 0;
  /** Told when works have left. */
  private readonly forRoom = new Set<() => void>();
  private attempts = 0;
  private closing = false;

  constructor(private readonly deps: WriterDeps) {
    const { limits, metrics } = deps;
    this.laneDeps = { ...deps, ...limits, nextAttempt: () => ++this.attempts };
    metrics?.watch?.("store_queue_works", () => this.waiting);
  }

  /** Runs `work` in a commit. See UnitOfWork for what is promised. */
  run<T>(appId: string, work: Work<T>, answerMs = this.deps.limits.answerMs): Promise<T> {
    const refusal = this.refusal();
    if (refusal !== undefined) {
      if (refusal.shed !== undefined) this.deps.metrics?.count("shed", { reason: refusal.shed });
      return Promise.reject(refusal);
    }
    this.waiting++;
    return new Promise<T>((resolve, reject) => {
      this.lane(appId).add(new PendingWork(work, answerMs, resolve, reject));
    }).finally(() => {
      this.waiting--;
      for (const look of this.forRoom) look();
    });
  }

  /**
   * Runs works of a bulk call, at most one commit's worth at a time: a work of another caller waits for at most one such
   * commit. When the queue is full, these works wait instead of being refused.
   */
  async runEach<T>(appId: string, works: readonly Work<T>[]): Promise<PromiseSettledResult<T>[]> {
    const { maxBatch, maxWaiting } = this.deps.limits;
    const atOnce = Math.min(maxBatch, maxWaiting);
    const outcomes: PromiseSettledResult<T>[] = [];
    for (let from = 0; from < works.length; from += atOnce) {
      const some = works.slice(from, from + atOnce);
      await this.room(some.length);
      outcomes.push(...(await Promise.allSettled(some.map((work) => this.run(appId, work)))));
    }
    return outcomes;
  }

  /** Resolves as soon as the queue has room for this many works. */
  private async room(works: number): Promise<void> {
    const has = () => this.closing || this.waiting + works <= this.deps.limits.maxWaiting;
    while (!has()) {
      await new Promise<void>((resolve) => {
        const look = () => {
          if (!has()) return;
          this.forRoom.delete(look);
          resolve();
        };
        this.forRoom.add(look);
      });
    }
  }

  /** The error with which a work would be refused now, if any. */
  refusal(): Unavailable | undefined {
    if (this.closing) return new Unavailable("The store is closed");
    if (this.deps.readOnly) return new Unavailable("The store is open for reading only");
    if (this.waiting >= this.deps.limits.maxWaiting) {
      return new Unavailable("Too many writes are waiting for the store", undefined, { shed: "queue_length" });
    }
    return undefined;
  }

  /** The last commit of the app that this server knows of. */
  known(appId: string): number | undefined {
    return this.lanes.get(appId)?.known;
  }

  /** Makes the next work of the app read everything anew. */
  forget(appId: string): void {
    this.lanes.get(appId)?.forget();
  }

  /** True when this server has a commit of the app on its way. */
  isBusy(appId: string): boolean {
    return !(this.lanes.get(appId)?.isIdle ?? true);
  }

  /** Refuses works from now on; resolves when those under way are settled. */
  async close(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.lanes.values()].map((lane) => lane.drained()));
  }

  private lane(appId: string): AppQueue {
    let lane = this.lanes.get(appId);
    if (lane === undefined) {
      this.forgetIdle();
      lane = new AppQueue(appId, this.laneDeps);
    } else {
      this.lanes.delete(appId); // so that the map is in order of use
    }
    this.lanes.set(appId, lane);
    return lane;
  }

  private forgetIdle(): void {
    if (this.lanes.size < this.deps.limits.maxLanes) return;
    for (const [appId, lane] of this.lanes) {
      if (!lane.isIdle) continue;
      this.lanes.delete(appId);
      return;
    }
  }
}
