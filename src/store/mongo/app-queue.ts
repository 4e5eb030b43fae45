import { setTimeout as pause, setImmediate as soon } from "node:timers/promises";
import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Now } from "../../domain/clock.js";
import { Unavailable } from "../../domain/errors.js";
import { beginCommit } from "./begin-commit.js";
import { CommitFairness } from "./commit-fairness.js";
import { type CommitDocument, type Commits, decodeRedo, encodeRedo, KEPT_COMMITS } from "./commits.js";
import { unavailable } from "./connection.js";
import type { Job } from "./job.js";
import { RecordCache } from "./record-cache.js";
import { Draft, type Write } from "./staged-tables.js";
import type { Tables } from "./tables.js";

export interface AppQueueDeps {
  readonly tables: Tables;
  readonly commits: Commits;
  readonly metrics: Metrics | undefined;
  readonly reportFailure: ReportFailure;
  readonly now: Now;
  /** Works run in one commit at most. */
  readonly maxBatch: number;
  readonly maxCached: number;
  /** How long another server's commit may stay under way before it is finished here. */
  readonly leftMs: number;
  /** The name of this server, as its attempts begin. */
  readonly server: string;
  /** A number not given before. */
  readonly nextAttempt: () => number;
  /** Called when a commit is made, before its works' promises resolve. */
  readonly committed: (appId: string, rev: number, writes: readonly Write[]) => void;
}

const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 16;

/**
 * The works of one app, in call order. They queue while a commit is in progress, and the next commit takes them all.
 * Records stay cached: the queue updates them from the commits of other servers.
 */
export class AppQueue {
  /** The commit whose state `cache` shows; undefined when that is not known. */
  private rev: number | undefined;
  private readonly cache: RecordCache;
  private waiting: Job[] = [];
  private running: Promise<void> | undefined;
  /** Resolves when the commit before is finished … */
  private ended: Promise<void> = Promise.resolve();
  /** … and another server that had asked for it has had its turn. */
  private left: Promise<void> = Promise.resolve();
  /** All commits up to this one are applied. */
  private applied = 0;
  /** `rev` was the newest commit a moment ago. */
  private isFresh = false;
  private readonly turns: CommitFairness;
  /** A commit that is waited for, and for how long. */
  private seen = { by: "", ms: 0 };

  constructor(
    readonly appId: string,
    private readonly deps: AppQueueDeps,
  ) {
    const reread = Object.values(deps.tables).filter((table) => table.reread);
    this.cache = new RecordCache(deps.maxCached, new Set(reread.map((table) => table.name)));
    this.turns = new CommitFairness(appId, deps.commits, deps.server, deps.reportFailure);
  }

  get isIdle(): boolean {
    return this.running === undefined;
  }

  /** A commit that is applied, as are all before it: the last one of which this is known. */
  get known(): number | undefined {
    return this.rev === undefined ? undefined : this.applied;
  }

  add(job: Job): void {
    this.waiting.push(job);
    if (this.running !== undefined) return;
    this.running = this.run().finally(() => {
      this.running = undefined;
    });
  }

  /** Makes the next work read everything anew. */
  forget(): void {
    this.rev = undefined;
  }

  /** Resolves when there is nothing to do. */
  async drained(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    this.isFresh = false;
    while (this.waiting.length > 0) {
      await this.left;
      const jobs = this.waiting.slice(0, this.deps.maxBatch).filter((job) => !job.isSettled);
      this.waiting = this.waiting.slice(this.deps.maxBatch);
      this.cache.turn();
      try {
        await this.commitAll(jobs);
      } catch (error) {
        this.rev = undefined;
        this.deps.metrics?.count("store_commits_failed");
        for (const job of jobs) job.fail(unavailable(error));
      }
      for (const job of jobs) job.settle();
      await soon(); // callers that were just answered come along with their next calls
      if (this.waiting.length === 0) await this.ended;
    }
  }

  /** Runs the works until their outcome is that of a state which is the newest at the time of their commit. */
  private async commitAll(jobs: Job[]): Promise<void> {
    while (jobs.some((job) => !job.isSettled)) {
      if (this.rev === undefined) await this.follow();
      const { rev } = this;
      if (rev === undefined) continue; // forgotten meanwhile
      const draft = new Draft(this.appId, this.deps.tables, this.cache);
      await this.runAll(draft, jobs);
      if (draft.changed) draft.noteActivity(rev + 1);
      const writes = draft.writes();
      if (writes.length === 0) {
        if (!(await this.follow())) continue;
        await this.until(rev);
        return this.turns.had();
      }
      let redo: Uint8Array;
      try {
        redo = encodeRedo(writes);
      } catch (error) {
        if (jobs.length === 1) return jobs[0]!.fail(error);
        this.splitOff(jobs);
        continue;
      }
      if (await this.commit(rev, writes, redo, jobs.length)) return;
    }
  }

  /** Runs the works one after the other; loads what they read and goes on, until all have run. */
  private async runAll(draft: Draft, jobs: readonly Job[]): Promise<void> {
    let done = 0;
    for (;;) {
      let stands = true;
      for (let n = done; n < jobs.length; n++) {
        const job = jobs[n]!;
        stands = draft.attempt(
          () => job.run(draft),
          (error) => job.fail(error),
        );
        if (stands) done = n + 1;
      }
      if (draft.missing.size === 0) return;
      await this.load(draft);
    }
  }

  private async load(draft: Draft): Promise<void> {
    if (this.rev !== undefined && this.applied < this.rev) await this.until(this.rev);
    this.isFresh = false;
    const loads = [...draft.missing].map(async ([table, keys]) => {
      const found = await table.load([...keys]);
      for (const key of keys) this.cache.set(table.name, key, found.get(key));
    });
    draft.missing.clear();
    await Promise.all(loads);
  }

  /** Takes over what other servers have committed; true when there was nothing. */
  private async follow(): Promise<boolean> {
    const { commits } = this.deps;
    for (let isSame = this.rev !== undefined; ; isSame = false) {
      const from = this.rev ?? (await this.restart());
      let rev = from;
      let next = await commits.at(this.appId, rev + 1);
      for (; next !== undefined && this.takeOver(next); next = await commits.at(this.appId, rev + 1)) rev++;
      if (next !== undefined) await this.until(next.rev);
      else if ((await commits.head(this.appId)) <= from + KEPT_COMMITS) {
        this.rev = rev;
        this.isFresh = true;
        return isSame && rev === from;
      }
      this.rev = undefined;
    }
  }

  /** Drops the cache and starts from the last finished commit. */
  private async restart(): Promise<number> {
    this.cache.clear();
    this.applied = await this.deps.commits.head(this.appId);
    return this.applied;
  }

  /** Applies another server's commit to the cache. False when its writes alone cannot bring the cache up to date. */
  private takeOver({ redo }: CommitDocument): boolean {
    if (redo === undefined) return false;
    const writes = decodeRedo(redo.buffer);
    if (this.removes(writes)) return false;
    for (const { table, key, stored } of writes) this.cache.written(table, key, stored);
    return true;
  }

  /** While an app is removed its records go without a commit. */
  private removes(writes: readonly Write[]): boolean {
    return writes.some(({ table }) => table === this.deps.tables.removals.name);
  }

  /** True when the commit was made, false when the works must run again. */
  private async commit(rev: number, writes: readonly Write[], redo: Uint8Array, works: number): Promise<boolean> {
    const { commits, metrics, server, nextAttempt, leftMs } = this.deps;
    if (!this.isFresh && !(await this.follow())) return false;
    const made = rev + 1;
    const begunAt = this.deps.now();
    const by = `${server}:${nextAttempt()}`;
    if (!(await beginCommit(commits, this.appId, made, by, redo, leftMs))) return this.comeAfter();
    await commits.apply(this.appId, made, writes, this.until(rev));
    this.applied = made;
    this.rev = this.removes(writes) ? undefined : made;
    for (const { table, key, stored } of writes) this.cache.written(table, key, stored);
    this.deps.committed(this.appId, made, writes);
    metrics?.observe("store_commit", this.deps.now() - begunAt);
    metrics?.count("store_commits");
    metrics?.count("store_works", undefined, works);
    this.ended = this.end(made);
    this.left = this.ended.then(() => this.turns.leaveRoom(made));
    return true;
  }

  /** Another server was first: its commit is taken over, and the works run again on top of it. */
  private async comeAfter(): Promise<false> {
    this.deps.metrics?.count("store_commits_overtaken");
    await this.turns.comeAfter();
    await this.follow();
    return false;
  }

  private async end(rev: number): Promise<void> {
    try {
      await this.deps.commits.finish(this.appId, rev);
      await this.turns.had();
    } catch (error) {
      this.deps.reportFailure("store_commit", error);
      this.rev = undefined; // the commit stands; whoever waits for it finishes it
    }
  }

  /** Resolves when all commits up to this one are applied. Finishes abandoned ones. */
  private async until(rev: number): Promise<void> {
    await this.ended;
    if (this.applied >= rev) return;
    const { commits, leftMs, now } = this.deps;
    for (let waits = 0, ms = 0; ; waits++) {
      const askedAt = now();
      this.applied = Math.max(this.applied, await commits.head(this.appId));
      if (this.applied >= rev) return;
      const next = await commits.at(this.appId, this.applied + 1);
      if (next === undefined ? ms > leftMs : await this.isLeft(next)) {
        if (next === undefined) throw new Unavailable("A commit of the app is missing");
        await commits.complete(next);
        this.deps.metrics?.count("store_commits_completed");
        continue;
      }
      const waitMs = Math.min(FIRST_WAIT_MS << Math.min(waits, 3), LONGEST_WAIT_MS);
      await pause(waitMs);
      const waitedMs = Math.max(waitMs, now() - askedAt); // a slow store's answers take longer than the pauses
      ms += waitedMs;
      this.seen.ms += waitedMs;
    }
  }

  /** True when a commit counts as abandoned: it is a failed one of this server, or has been waited for long enough. */
  private isLeft({ by }: CommitDocument): boolean {
    if (by.startsWith(`${this.deps.server}:`)) return true;
    if (this.seen.by !== by) this.seen = { by, ms: 0 };
    return this.seen.ms >= this.deps.leftMs;
  }

  /** Leaves the later half of the works to the next commit. */
  private splitOff(jobs: Job[]): void {
    const later = jobs.splice(Math.ceil(jobs.length / 2));
    this.waiting = [...later, ...this.waiting];
  }
}
