import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import { Unavailable } from "../../domain/errors.js";
import type { Environment } from "./environment.js";
import { type Job, PendingWork, PendingWorks, type Work } from "./job.js";
import { Journal, type StagedTables, stageTables } from "./staged-tables.js";
import { FreeSpace, Latch, MIB, tooMany, WRITER_LIMITS, type WriterLimits, WriteWatch } from "./writer-limits.js";

const LOW_SPACE_RETRY_MS = 30_000;

export interface WriterDeps {
  readonly environment: Environment;
  readonly now: Now;
  readonly metrics?: Metrics | undefined;
  readonly reportFailure: ReportFailure;
  readonly limits?: Partial<WriterLimits> | undefined;
  /** Bytes left on the disk. */
  readonly freeBytes: () => number;
  /** Run after the works of a batch, in its transaction; each is all or nothing. */
  readonly upkeep: readonly ((tables: StagedTables) => void)[];
  /** Called when a batch is on disk, before its works' promises resolve. */
  readonly committed: (tables: StagedTables) => void;
  /** Called once, when a write failed and the writer stops. */
  readonly onLatched?: ((cause: unknown) => void) | undefined;
}

export interface WorkOptions {
  /** Runs alone in its transaction, so that the tables themselves show all earlier writes. */
  readonly alone?: boolean;
  /** Frees disk space, and is therefore accepted when there is little. */
  readonly frees?: boolean;
  /** The caller gets an answer within `answerMs`, though the work may be done later. */
  readonly inTime?: boolean;
}

/**
 * Group commit without timers: works queue while a transaction is being synced, and the next transaction takes them all. A
 * single work is written at once; a thousand callers share one sync.
 *
 * Works run in call order, each on top of the ones before. A work's promise settles, either way, once its transaction is
 * on disk. No caller therefore sees an outcome that a crash could undo.
 *
 * Works of bulk calls wait in a separate queue without a time limit. Single works go first, and bulk works fill the rest of
 * a transaction. A single work therefore waits for at most one transaction of bulk works.
 */
export class Writer {
  readonly latch: Latch;
  private readonly limits: WriterLimits;
  private readonly space: FreeSpace;
  private readonly journal = new Journal();
  private readonly tables: StagedTables;
  private waiting: Job[] = [];
  /** Jobs before this index of `waiting` have been taken. */
  private taken = 0;
  private bulk: Job[] = [];
  /** Number of works run in the current transaction. */
  private works = 0;
  /** Estimated bytes per work, from recent works; rises at once, falls gradually. */
  private workBytes = 0;
  private startedAt: number | undefined;
  private watch: WriteWatch | undefined;
  private closing = false;
  private drained: (() => void) | undefined;

  constructor(private readonly deps: WriterDeps) {
    this.latch = new Latch(deps.onLatched);
    this.limits = { ...WRITER_LIMITS, ...deps.limits };
    this.space = new FreeSpace(deps.freeBytes, deps.now, this.limits.minFreeBytes);
    this.tables = stageTables(deps.environment.tables, this.journal);
    deps.metrics?.watch?.("store_queue_works", () => this.waiting.length - this.taken);
    deps.metrics?.watch?.("store_queue_bytes", () => (this.waiting.length - this.taken) * this.workBytes);
    deps.metrics?.watch?.("store_queue_age_ms", () => this.age());
  }

  /** Runs `work` in a transaction, with the guarantees of UnitOfWork. */
  run<T>(work: Work<T>, options: WorkOptions = {}): Promise<T> {
    const refusal = this.refusal(options.frees);
    if (refusal !== undefined) {
      if (refusal.shed !== undefined) this.deps.metrics?.count("shed", { reason: refusal.shed });
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      const at = this.deps.now();
      const dueAt = options.inTime ? at + this.limits.answerMs : Number.POSITIVE_INFINITY;
      this.waiting.push(new PendingWork(options.alone ?? false, at, dueAt, work, resolve, reject));
      if (this.startedAt === undefined) this.begin();
    });
  }

  /** Runs works of a bulk call. They wait instead of being refused; see UnitOfWork. */
  runEach<T>(works: readonly Work<T>[]): Promise<PromiseSettledResult<T>[]> {
    const reason = this.refusal(false, true);
    if (reason !== undefined) {
      if (reason.shed !== undefined) this.deps.metrics?.count("shed", { reason: reason.shed }, works.length);
      return Promise.resolve(works.map(() => ({ status: "rejected", reason })));
    }
    if (works.length === 0) return Promise.resolve([]);
    return new Promise((resolve) => {
      this.bulk.push(new PendingWorks(this.deps.now(), works, resolve));
      if (this.startedAt === undefined) this.begin();
    });
  }

  /** The error with which a work would be refused now, if any. `mayWait` ignores the length of the queue. */
  refusal(frees = false, mayWait = false): Unavailable | undefined {
    if (this.latch.isShut) return this.latch.refusal();
    if (this.closing) return new Unavailable("The store is closed");
    if (this.deps.environment.readOnly) return new Unavailable("The store is open for reading only");
    const waiting = this.waiting.length - this.taken;
    if (!mayWait && waiting >= this.limits.maxWaiting) return tooMany("queue_length");
    if (!mayWait && waiting * this.workBytes >= this.limits.maxWaitingBytes) return tooMany("queue_bytes");
    if (!mayWait && this.age() > this.limits.maxWaitingMs) return tooMany("queue_age");
    if (this.startedAt !== undefined && this.deps.now() - this.startedAt > this.limits.maxCommitMs) {
      const shed = "slow_commit";
      return new Unavailable(`A write has taken longer than ${this.limits.maxCommitMs} ms`, undefined, { shed });
    }
    if (!frees && this.space.isLow()) {
      const mib = Math.ceil(this.space.minBytes / MIB);
      return new Unavailable(`The disk of the store has less than ${mib} MiB left`, LOW_SPACE_RETRY_MS, {
        shed: "disk",
      });
    }
    return undefined;
  }

  /** Refuses new works; resolves when pending ones are settled. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.startedAt === undefined) return;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
    });
  }

  private begin(): void {
    this.startedAt = this.deps.now();
    const batch: Job[] = []; // known here also when `fill` throws half-way
    const watch = new WriteWatch({
      ...this.deps,
      limits: this.limits,
      answerLate: () => this.answerLate(batch),
      giveUp: (cause) => this.shut(batch, cause),
    });
    this.watch = watch;
    this.deps.environment
      .transact(() => {
        if (watch.isGivenUp) throw new Error("Nobody waits for this transaction any more");
        watch.begun();
        this.fill(batch);
      })
      .finally(() => watch.end())
      .then(
        () => this.settle(batch),
        (error: unknown) => {
          if (!watch.isGivenUp) this.shut(batch, error);
        },
      );
  }

  /** Inside the transaction: runs the works and makes their writes. */
  private fill(batch: Job[]): void {
    const { maxBatch, maxBatchBytes, minBulk, bulkMs } = this.limits;
    this.journal.clear();
    this.works = 0;
    let bytes = 0;
    const run = (job: Job) => {
      this.works++;
      try {
        job.run(this.tables);
        bytes += this.journal.keep();
      } catch (error) {
        this.journal.rollBack();
        return job.fail(error);
      }
      this.journal.end();
    };
    let isAlone = false;
    while (!isAlone && this.works < maxBatch && bytes < maxBatchBytes && this.taken < this.waiting.length) {
      const job = this.waiting[this.taken]!;
      isAlone = job.alone;
      if (isAlone && batch.length > 0) break;
      this.taken++;
      batch.push(job);
      run(job);
    }
    const most = Math.max(maxBatch, this.works + Math.min(minBulk, maxBatch));
    const until = this.deps.now() + bulkMs;
    const hasRoom = () => this.works < most && bytes < maxBatchBytes && this.deps.now() < until;
    while (!isAlone && this.bulk.length > 0 && hasRoom()) {
      const job = this.bulk[0]!;
      batch.push(job);
      while (!job.isRun && hasRoom()) run(job);
      if (job.isRun) this.bulk.shift();
    }
    if (this.works > 0) this.workBytes = Math.max(bytes / this.works, this.workBytes / 2);
    this.forgetTaken();
    for (const step of this.deps.upkeep) {
      try {
        step(this.tables);
        this.journal.keep();
      } catch (error) {
        this.journal.rollBack();
        this.deps.reportFailure("store_upkeep", error);
        continue;
      }
      this.journal.end();
    }
    this.journal.apply();
  }

  private settle(batch: readonly Job[]): void {
    this.deps.metrics?.observe("store_commit", this.deps.now() - (this.startedAt ?? this.deps.now()));
    this.deps.metrics?.count("store_works", undefined, this.works);
    this.deps.committed(this.tables);
    this.clear();
    this.next();
    for (const job of batch) job.settle();
  }

  private shut(batch: readonly Job[], cause: unknown): void {
    this.latch.close(cause);
    this.deps.metrics?.count("store_commits_failed");
    this.clear();
    const all = new Set([...batch, ...this.waiting.slice(this.taken), ...this.bulk]);
    this.waiting = [];
    this.taken = 0;
    this.bulk = [];
    this.next();
    for (const job of all) {
      job.abandon(this.latch.refusal());
      job.settle();
    }
  }

  /** Refuses waiting and running works whose callers have stopped waiting. */
  private answerLate(batch: readonly Job[]): void {
    const now = this.deps.now();
    const refusal = new Unavailable(`A write has taken longer than ${this.limits.answerMs} ms`, undefined, {
      shed: "deadline",
    });
    const waiting = this.waiting.slice(this.taken);
    this.waiting = waiting.filter((job) => job.dueAt > now);
    this.taken = 0;
    for (const job of [...batch, ...waiting]) {
      if (job.dueAt > now) continue;
      job.abandon(refusal);
      job.settle();
    }
  }

  private next(): void {
    this.watch?.end();
    this.startedAt = undefined;
    if (this.taken < this.waiting.length || this.bulk.length > 0) this.begin();
    else this.drained?.();
  }

  private clear(): void {
    for (const table of Object.values(this.tables)) table.clear();
    this.journal.clear();
  }

  /** For how many milliseconds the oldest work has waited. */
  private age(): number {
    const oldest = this.waiting[this.taken];
    return oldest === undefined ? 0 : this.deps.now() - oldest.at;
  }

  private forgetTaken(): void {
    if (this.taken < this.waiting.length && this.taken < this.limits.maxBatch) return;
    this.waiting = this.waiting.slice(this.taken);
    this.taken = 0;
  }
}
