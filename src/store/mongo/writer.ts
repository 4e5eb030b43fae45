import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../../adapters/metrics.js";
import { InvalidArgument, Unavailable } from "../../domain/errors.js";
import { unavailable } from "./connection.js";
import { Conflicted, type GroupCommit, TookTooLong } from "./group-commit.js";
import { type Job, PendingWork } from "./job.js";
import type { Work } from "./staged-tables.js";
import { Unstorable } from "./write-commands.js";

export interface WriterLimits {
  /** Works that may wait; one more is rejected at once. */
  readonly maxWaiting: number;
  /** Works of one transaction. */
  readonly maxBatch: number;
  /** A work, and any other operation, that takes longer than this many milliseconds is rejected with Unavailable. */
  readonly answerMs: number;
  /** The same for a work of a bulk call. */
  readonly bulkAnswerMs: number;
}

export const WRITER_LIMITS: WriterLimits = {
  maxWaiting: 20_000,
  maxBatch: 500,
  answerMs: 1000,
  bulkAnswerMs: 60_000,
};

/** Transactions of one server at the same time; an app has at most one. */
const MAX_RUNNING = 4;

/** Works of the first transaction; later ones adapt to the time that a transaction takes. */
const FIRST_BATCH = 100;
/** A transaction that takes longer than this makes the next ones smaller; a full one that takes less makes them larger. */
const SLOW_MS = 250;

/** Attempts with all works of a transaction before it is halved. */
const WHOLE_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 4;
const LONGEST_BACKOFF_MS = 100;

export interface WriterDeps {
  readonly groupCommit: GroupCommit;
  readonly metrics: Metrics | undefined;
  readonly limits: WriterLimits;
  readonly readOnly: boolean;
}

/** Works of one app that wait. */
class AppQueue {
  readonly single: Job[] = [];
  readonly bulk: Job[] = [];

  take(count: number): Job[] {
    const taken = this.single.splice(0, count);
    taken.push(...this.bulk.splice(0, count - taken.length));
    return taken.filter((job) => !job.isSettled);
  }

  get isEmpty(): boolean {
    return this.single.length + this.bulk.length === 0;
  }
}

/**
 * Gathers works and runs them in transactions. An app has one transaction at a time, so its works run in the order of the
 * calls. A transaction takes works of every app that has none running.
 */
export class Writer {
  private readonly queues = new Map<string, AppQueue>();
  private readonly busy = new Set<string>();
  private running = 0;
  private waiting = 0;
  private batch: number;
  /** Called when works have left. */
  private readonly forRoom = new Set<() => void>();
  private readonly forEnd = new Set<() => void>();
  private isBeginning = false;
  private closing = false;

  constructor(private readonly deps: WriterDeps) {
    this.batch = Math.min(FIRST_BATCH, deps.limits.maxBatch);
    deps.metrics?.watch?.("store_queue_works", () => this.waiting);
  }

  /** Runs `work` in a transaction. See UnitOfWork for the guarantees. */
  run<T>(appId: string, work: Work<T>): Promise<T> {
    const refusal = this.refusal();
    if (refusal === undefined) return this.enqueue(appId, work, false);
    if (refusal.shed !== undefined) this.deps.metrics?.count("shed", { reason: refusal.shed });
    return Promise.reject(refusal);
  }

  /**
   * Runs works of a bulk call, at most one transaction's worth at a time. Works of `run` go first. When the queue is full,
   * these works wait instead of being rejected.
   */
  async runEach<T>(appId: string, works: readonly Work<T>[]): Promise<PromiseSettledResult<T>[]> {
    const { maxBatch, maxWaiting } = this.deps.limits;
    const outcomes: PromiseSettledResult<T>[] = [];
    while (outcomes.length < works.length) {
      const some = works.slice(outcomes.length, outcomes.length + Math.min(this.batch, maxBatch, maxWaiting));
      await this.room(some.length);
      const refusal = this.refusal();
      const settled = some.map((work) =>
        refusal === undefined ? this.enqueue(appId, work, true) : Promise.reject(refusal),
      );
      outcomes.push(...(await Promise.allSettled(settled)));
    }
    return outcomes;
  }

  /** The error with which a work would be rejected now, if any. */
  refusal(): Unavailable | undefined {
    if (this.closing) return new Unavailable("The store is closed");
    if (this.deps.readOnly) return new Unavailable("The store is open for reading only");
    if (this.waiting >= this.deps.limits.maxWaiting) {
      return new Unavailable("Too many writes are waiting for the store", undefined, { shed: "queue_length" });
    }
    return undefined;
  }

  /** Rejects works from now on; resolves when those under way are settled. */
  async close(): Promise<void> {
    this.closing = true;
    while (this.waiting > 0 || this.running > 0) await new Promise<void>((resolve) => this.forEnd.add(resolve));
  }

  private enqueue<T>(appId: string, work: Work<T>, isBulk: boolean): Promise<T> {
    const { answerMs, bulkAnswerMs } = this.deps.limits;
    this.waiting++;
    let queue = this.queues.get(appId);
    if (queue === undefined) {
      queue = new AppQueue();
      this.queues.set(appId, queue);
    }
    const jobs = isBulk ? queue.bulk : queue.single;
    const outcome = new Promise<T>((resolve, reject) => {
      const limitMs = isBulk ? Math.max(answerMs, bulkAnswerMs) : answerMs;
      jobs.push(new PendingWork(appId, isBulk, work, limitMs, resolve, reject));
    });
    this.beginSoon();
    return outcome.finally(() => {
      this.waiting--;
      for (const look of this.forRoom) look();
      this.tellEnd();
    });
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

  /** Starts transactions after the works that come at the same time have been queued. */
  private beginSoon(): void {
    if (this.isBeginning) return;
    this.isBeginning = true;
    setImmediate(() => {
      this.isBeginning = false;
      this.begin();
    });
  }

  /** Starts transactions for the works that wait. */
  private begin(): void {
    while (this.running < MAX_RUNNING) {
      const jobs = this.next();
      if (jobs.length === 0) return;
      const apps = new Set(jobs.map(({ appId }) => appId));
      for (const appId of apps) this.busy.add(appId);
      this.running++;
      void this.commit(jobs).finally(() => {
        for (const appId of apps) this.busy.delete(appId);
        this.running--;
        this.beginSoon();
        this.tellEnd();
      });
    }
  }

  private tellEnd(): void {
    if (this.waiting > 0 || this.running > 0) return;
    for (const resolve of this.forEnd) resolve();
    this.forEnd.clear();
  }

  /** Works for the next transaction, an equal share of each app that has none running. */
  private next(): Job[] {
    const idle = [...this.queues].filter(([appId]) => !this.busy.has(appId));
    const jobs: Job[] = [];
    for (const [n, [appId, queue]] of idle.entries()) {
      const share = Math.ceil((this.batch - jobs.length) / (idle.length - n));
      jobs.push(...queue.take(share));
      this.queues.delete(appId);
      if (!queue.isEmpty) this.queues.set(appId, queue); // it comes last the next time
      if (jobs.length >= this.batch) break;
    }
    return jobs;
  }

  /** Runs the works and answers their callers. */
  private async commit(jobs: readonly Job[]): Promise<void> {
    const { metrics } = this.deps;
    for (let attempt = 1; ; attempt++) {
      const open = jobs.filter((job) => !job.isSettled);
      if (open.length === 0) return;
      const begunAt = performance.now();
      try {
        await this.deps.groupCommit.commit(open, this.limitOf(open), attempt === 1);
      } catch (error) {
        if (error instanceof TookTooLong) this.batch = Math.max(1, Math.floor(Math.min(this.batch, open.length) / 2));
        if (error instanceof Conflicted) metrics?.count("store_commits_conflicted");
        const isAgain = error instanceof Conflicted && (open.length === 1 || attempt < WHOLE_ATTEMPTS);
        if (isAgain) await pause(backoff(attempt));
        else if (isPartly(error) && open.length > 1) return this.halve(open);
        else return this.fail(open, error);
        continue;
      }
      const tookMs = performance.now() - begunAt;
      this.adapt(open.length, tookMs);
      metrics?.observe("store_commit", tookMs);
      metrics?.count("store_commits");
      metrics?.count("store_works", undefined, open.length);
      for (const job of open) job.settle();
      return;
    }
  }

  private limitOf(jobs: readonly Job[]): number {
    const { answerMs, bulkAnswerMs } = this.deps.limits;
    return jobs.every(({ isBulk }) => isBulk) ? Math.max(answerMs, bulkAnswerMs / 4) : answerMs;
  }

  private async halve(jobs: readonly Job[]): Promise<void> {
    const half = Math.ceil(jobs.length / 2);
    await this.commit(jobs.slice(0, half));
    await this.commit(jobs.slice(half));
  }

  private fail(jobs: readonly Job[], error: unknown): void {
    this.deps.metrics?.count("store_commits_failed");
    const reason = error instanceof Unstorable ? unstorable(error) : unavailable(error);
    for (const job of jobs) {
      job.fail(reason);
      job.settle();
    }
  }

  private adapt(works: number, tookMs: number): void {
    const { maxBatch } = this.deps.limits;
    if (tookMs > SLOW_MS) this.batch = Math.max(1, Math.min(this.batch, Math.ceil(works / 2)));
    else if (works >= this.batch) this.batch = Math.min(maxBatch, this.batch * 2);
  }
}

/** Fewer works in one transaction may succeed. */
function isPartly(error: unknown): boolean {
  return error instanceof Conflicted || error instanceof TookTooLong || error instanceof Unstorable;
}

function backoff(attempt: number): number {
  return Math.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}

/** The serializer's own error, or the field's for a record that is too large. */
function unstorable({ cause }: Unstorable): unknown {
  const isSerializers = cause instanceof TypeError || (cause instanceof Error && cause.name === "BSONError");
  return isSerializers ? cause : new InvalidArgument("batch", "invalid", "at most 16 MB in one record");
}
