import { setTimeout as pause } from "node:timers/promises";
import { InvalidArgument } from "../../domain/errors.js";
import type { Metrics } from "../../ports/metrics.js";
import { type CommitDocument, type Commits, encodeRedo } from "./commits.js";
import { unavailable } from "./connection.js";
import type { Job } from "./job.js";
import { RecordCache } from "./record-cache.js";
import { Draft, type Write } from "./staged.js";
import type { Tables } from "./tables.js";

export interface LaneDeps {
  readonly tables: Tables;
  readonly commits: Commits;
  readonly metrics: Metrics | undefined;
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

/** Commits of an app after which other servers are no longer expected to commit to it. */
const CONTESTED_COMMITS = 20;

/** For how long the next commit is left to the server that has asked for it: it may have to read much anew. */
const TURN_MS = 250;

/**
 * The works of one app, in the order of their calls. They gather while a commit is on its way, and the next one takes
 * all that have. What was read stays known as long as no other server commits.
 */
export class Lane {
  /** The commit whose state `cache` shows; undefined when that is not known. */
  private rev: number | undefined;
  private readonly cache: RecordCache;
  private waiting: Job[] = [];
  private running: Promise<void> | undefined;
  /** Resolves when the commit before has ended. */
  private ended: Promise<void> = Promise.resolve();
  /** While above 0 other servers commit to the app, too; counts down the commits since one of them was met. */
  private contested = 0;
  /** This server has asked for a turn. */
  private requested = false;
  /** Another server's commit, and for how long it has been seen. */
  private seen = { by: "", ms: 0 };

  constructor(
    readonly appId: string,
    private readonly deps: LaneDeps,
  ) {
    const reread = Object.values(deps.tables).filter((table) => table.reread);
    this.cache = new RecordCache(deps.maxCached, new Set(reread.map((table) => table.name)));
  }

  get isIdle(): boolean {
    return this.running === undefined;
  }

  /** The last commit that is known. */
  get known(): number | undefined {
    return this.rev;
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
    while (this.waiting.length > 0) {
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
      if (this.waiting.length === 0) await this.ended;
    }
  }

  /** Runs the works until their outcome is that of a state which is the newest at the time of their commit. */
  private async commitAll(jobs: Job[]): Promise<void> {
    while (jobs.some((job) => !job.isSettled)) {
      if (this.contested > 0) await this.takeTurn();
      const rev = this.rev ?? (await this.refresh());
      const draft = new Draft(this.appId, this.deps.tables, this.cache);
      await this.runAll(draft, jobs);
      if (draft.changed) draft.noteActivity(rev + 1);
      const writes = draft.writes();
      await this.ended;
      if (writes.length === 0) {
        if (await this.isNewest(rev)) return this.leaveRequest();
        this.rev = undefined;
        continue;
      }
      const redo = encodeRedo(writes);
      if (redo === undefined) this.splitOff(jobs);
      else if (await this.commit(rev, writes, redo, jobs.length)) return;
    }
  }

  private async refresh(): Promise<number> {
    this.cache.clear();
    const rev = await this.deps.commits.head(this.appId);
    this.rev = rev;
    return rev;
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
    const loads = [...draft.missing].map(async ([table, keys]) => {
      const found = await table.load([...keys]);
      for (const key of keys) this.cache.set(table.name, key, found.get(key));
    });
    draft.missing.clear();
    await Promise.all(loads);
  }

  /** True when no commit was made after `rev`. Their end is seen before that of the works they were made of. */
  private async isNewest(rev: number): Promise<boolean> {
    for (let waits = 0; ; waits++) {
      const other = await this.deps.commits.underWay(this.appId);
      if (other === undefined) return (await this.deps.commits.head(this.appId)) === rev;
      await this.meet(other, waits);
    }
  }

  /** True when the commit was made, false when the works must run again. */
  private async commit(rev: number, writes: readonly Write[], redo: Uint8Array, works: number): Promise<boolean> {
    const { commits, metrics } = this.deps;
    const attempt = { app: this.appId, rev: rev + 1, by: `${this.deps.server}:${this.deps.nextAttempt()}` };
    for (let waits = 0; !(await commits.begin(this.appId, attempt.rev, attempt.by, redo)); waits++) {
      const other = await commits.underWay(this.appId);
      if (other?.by === attempt.by) break; // the driver sent the insert twice
      if (other !== undefined) await this.meet(other, waits);
      if ((await commits.head(this.appId)) !== rev) return this.overtaken();
    }
    if ((await commits.head(this.appId)) !== rev) {
      await commits.withdraw(attempt);
      return this.overtaken();
    }
    await commits.apply(this.appId, attempt.rev, writes);
    this.rev = attempt.rev;
    for (const { table, key, stored } of writes) this.cache.written(table, key, stored);
    this.deps.committed(this.appId, attempt.rev, writes);
    metrics?.count("store_commits");
    metrics?.count("store_works", undefined, works);
    if (this.contested > 0) this.contested--;
    this.requested = false;
    this.ended = this.end(attempt);
    return true;
  }

  private overtaken(): false {
    this.deps.metrics?.count("store_commits_overtaken");
    this.contested = CONTESTED_COMMITS;
    this.rev = undefined;
    return false;
  }

  private async request(): Promise<void> {
    this.requested = true;
    await this.deps.commits.requestTurn(this.appId, this.deps.server);
  }

  /** Takes back a request that no commit of this server ends. */
  private async leaveRequest(): Promise<void> {
    if (!this.requested) return;
    this.requested = false;
    await this.deps.commits.withdrawRequest(this.appId, this.deps.server);
  }

  /** Has the next commit left to this server before works are run that it would otherwise run in vain. */
  private async takeTurn(): Promise<void> {
    const { commits } = this.deps;
    await this.ended;
    await this.request();
    for (let waits = 0; ; waits++) {
      const other = await commits.underWay(this.appId);
      if (other === undefined) break;
      await this.meet(other, waits);
    }
    if (this.rev !== undefined && (await commits.head(this.appId)) !== this.rev) this.rev = undefined;
  }

  private async end(attempt: Pick<CommitDocument, "app" | "rev" | "by">): Promise<void> {
    const { commits, server } = this.deps;
    try {
      const [other] = await Promise.all([commits.requestedBy(this.appId), commits.finish(attempt, server)]);
      if (other !== undefined && other !== server) await this.leaveTurn(other);
    } catch {
      this.rev = undefined; // the commit stands; whoever meets it finishes it
    }
  }

  /** Waits until the other server has had its turn. One that does not take it loses it. */
  private async leaveTurn(other: string): Promise<void> {
    for (let ms = 0; ms < TURN_MS; ms += LONGEST_WAIT_MS) {
      await pause(LONGEST_WAIT_MS);
      if ((await this.deps.commits.requestedBy(this.appId)) !== other) return;
    }
    await this.deps.commits.withdrawRequest(this.appId, other);
  }

  /** Waits for another's commit, or finishes it when it was left. */
  private async meet(other: CommitDocument, waits: number): Promise<void> {
    const own = other.by.startsWith(`${this.deps.server}:`);
    if (this.seen.by !== other.by) {
      this.seen = { by: other.by, ms: 0 };
      if (!own) await this.request();
    }
    if (own || this.seen.ms >= this.deps.leftMs) {
      await this.deps.commits.complete(other);
      this.deps.metrics?.count("store_commits_completed");
      return;
    }
    const ms = Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS);
    await pause(ms);
    this.seen.ms += ms;
  }

  /** Leaves the later half of the works to the next commit. */
  private splitOff(jobs: Job[]): void {
    if (jobs.length > 1) {
      const later = jobs.splice(Math.ceil(jobs.length / 2));
      this.waiting = [...later, ...this.waiting];
      return;
    }
    throw new InvalidArgument("batch", "invalid", "at most 15 MB are written at once");
  }
}
