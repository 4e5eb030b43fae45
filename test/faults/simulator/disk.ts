/**
 * Simulated LMDB: tables of bytes under a lock for one writer. A commit writes pages, syncs them and becomes visible. What was
 * not synced is lost when the power is cut, page by page; recovery takes a commit only if all its pages are there.
 */
import type { Key } from "../../../src/store/keys.js";
import type { StoredEntry, TableData } from "../../../src/store/lmdb/table.js";
import type { Owner, World } from "./world.js";

const PAGE_BYTES = 4096;

/** Undefined bytes: removed. */
export type Write = readonly [table: string, key: Key, bytes: Uint8Array | undefined];

interface Commit {
  readonly writes: readonly Write[];
  /** Of each page: it is in the cache of the system, it has reached the disk. */
  readonly pages: { isWritten: boolean; isSynced: boolean }[];
}

interface Job {
  readonly owner: Owner;
  readonly body: () => void;
  readonly end: (error?: unknown) => void;
}

/** What goes wrong with the next commits: a share of each, from 0 to 1. */
export interface DiskFaults {
  failedWrites: number;
  failedSyncs: number;
  stalls: number;
}

export class Disk {
  readonly faults: DiskFaults = { failedWrites: 0, failedSyncs: 0, stalls: 0 };
  freeBytes = 2 ** 40;
  commits = 0;
  /**
   * Processes of which a write or sync has failed. The system has dropped the pages and says so once: what such a process
   * commits on top of them is gone when the power is cut.
   */
  private readonly doubtful = new WeakSet<Owner>();
  /** What takes doubtful commits back. */
  private undo: Write[] = [];
  /** Called with the writes of each commit once it is visible. */
  onCommit: (writes: readonly Write[], owner: Owner | undefined) => void = () => undefined;
  /** What was synced: no reader sees more. */
  private readonly tables = new Map<string, SortedRows>();
  private jobs: Job[] = [];
  private readonly cutUntil = new WeakMap<Owner, number>();
  private current: Job | undefined;
  private inFlight: Commit | undefined;
  /** The writes of the body that runs. */
  private staged:
    | { readonly owner: Owner; readonly writes: Write[]; readonly found: Map<string, Uint8Array | undefined> }
    | undefined;

  constructor(private readonly world: World) {}

  rows(table: string): SortedRows {
    let rows = this.tables.get(table);
    if (rows === undefined) {
      rows = new SortedRows();
      this.tables.set(table, rows);
    }
    return rows;
  }

  allTables(): Iterable<readonly [string, SortedRows]> {
    return this.tables;
  }

  holder(): Owner | undefined {
    return this.current?.owner;
  }

  /** A write transaction of a process; see `Environment.transact`. */
  transact(owner: Owner, body: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: unknown) => {
        const tell = () => (error === undefined ? resolve() : reject(error));
        this.world.after(this.awayMs(owner) + this.world.between(0.01, 1), tell, owner);
      };
      const arrive = () => {
        this.jobs.push({ owner, body, end });
        this.next();
      };
      this.world.after(this.awayMs(owner), arrive, owner);
    });
  }

  /** No transaction of the process gets through for so long, and no answer to one. */
  cutOff(owner: Owner, ms: number): void {
    this.cutUntil.set(owner, this.world.now + ms);
  }

  private awayMs(owner: Owner): number {
    return Math.max(0, (this.cutUntil.get(owner) ?? 0) - this.world.now);
  }

  /** The process ends. The system has all that it wrote, but a commit may not have been made. */
  killed(owner: Owner): void {
    this.jobs = this.jobs.filter((job) => job.owner !== owner);
    if (this.current?.owner !== owner) return;
    const commit = this.inFlight;
    if (commit?.pages.every(({ isWritten }) => isWritten) && this.world.chance(0.5)) this.synced(commit);
    this.release();
  }

  /** All processes have ended, and what was not synced is lost but for some pages. */
  cutPower(): void {
    const last = this.inFlight;
    for (const [table, key, bytes] of this.undo.reverse()) this.rows(table).set(key, bytes);
    this.undo = [];
    for (const page of last?.pages ?? []) page.isSynced = page.isWritten && this.world.chance(0.7);
    if (last?.pages.every(({ isSynced }) => isSynced)) this.apply(last.writes); // otherwise it is torn, and not taken
    this.jobs = [];
    this.current = undefined;
    this.inFlight = undefined;
  }

  /** A table as a process sees it: the last commit, and within `transact` its own writes. */
  table(name: string, owner: Owner): TableData {
    const own = () => (this.staged?.owner === owner ? this.staged : undefined);
    const stage = (key: Key, bytes: Uint8Array | undefined) => {
      const staged = own();
      if (staged === undefined) throw new Error("A write needs a transaction");
      staged.writes.push([name, key, bytes]);
      staged.found.set(`${name} ${key}`, bytes);
    };
    return {
      getBinaryFast: (key) => {
        const staged = own();
        const place = `${name} ${key}`;
        return staged?.found.has(place) ? staged.found.get(place) : this.rows(name).get(key);
      },
      get: () => {
        throw new Error("Inspections are not simulated");
      },
      getRange: (range) => {
        const rows = this.rows(name).copyWith((own()?.writes ?? []).filter(([table]) => table === name));
        const { start, end, reverse, limit } = range;
        return reverse ? rows.between(end, start, limit).toReversed() : rows.between(start, end, limit);
      },
      put: stage,
      remove: (key) => stage(key, undefined),
    };
  }

  private next(): void {
    if (this.current !== undefined) return;
    const job = this.jobs.shift();
    if (job === undefined) return;
    this.current = job;
    this.world.after(this.world.between(0.01, 0.5), () => this.begin(job), job.owner);
  }

  private begin(job: Job): void {
    const { owner } = job;
    const writes: Write[] = [];
    this.staged = { owner, writes, found: new Map() };
    try {
      job.body();
    } catch (error) {
      this.staged = undefined;
      this.release();
      job.end(error);
      return;
    }
    this.staged = undefined;
    const bytes = writes.reduce((sum, [, key, value]) => sum + key.length + (value?.length ?? 0), 0);
    const pages = Array.from({ length: 1 + Math.ceil(bytes / PAGE_BYTES) }, () => ({
      isWritten: false,
      isSynced: false,
    }));
    this.write(job, { writes, pages });
  }

  private write(job: Job, commit: Commit): void {
    const { world, faults } = this;
    const isCurrent = () => this.current === job;
    this.inFlight = commit;
    for (const page of commit.pages)
      world.after(world.between(0.01, 1), () => {
        page.isWritten = isCurrent();
      });
    const fails = world.chance(faults.failedWrites) ? "write" : world.chance(faults.failedSyncs) ? "sync" : "";
    const stallMs = world.chance(faults.stalls) ? world.between(100, 15_000) : 0;
    world.after(stallMs + world.between(1, 6), () => {
      if (!isCurrent()) return;
      if (fails === "") this.synced(commit);
      else this.doubtful.add(job.owner);
      this.release();
      job.end(fails === "" ? undefined : new Error(`the ${fails} failed: EIO`));
    });
  }

  private synced(commit: Commit): void {
    for (const page of commit.pages) page.isWritten = page.isSynced = true;
    this.commits++;
    if (this.current !== undefined && this.doubtful.has(this.current.owner))
      for (const [table, key] of commit.writes) this.undo.push([table, key, this.rows(table).get(key)]);
    this.apply(commit.writes);
    this.onCommit(commit.writes, this.current?.owner);
  }

  private apply(writes: readonly Write[]): void {
    for (const [table, key, bytes] of writes) this.rows(table).set(key, bytes);
  }

  private release(): void {
    this.current = undefined;
    this.inFlight = undefined;
    this.next();
  }
}

/** The rows of a table, in order of keys. */
export class SortedRows {
  constructor(
    private readonly values = new Map<Key, Uint8Array>(),
    private readonly keys: Key[] = [],
  ) {}

  get(key: Key): Uint8Array | undefined {
    return this.values.get(key);
  }

  set(key: Key, bytes: Uint8Array | undefined): void {
    const isNew = !this.values.has(key);
    if (bytes !== undefined) {
      this.values.set(key, bytes);
      if (isNew) this.keys.splice(this.place(key), 0, key);
    } else if (!isNew) {
      this.values.delete(key);
      this.keys.splice(this.place(key), 1);
    }
  }

  copyWith(writes: readonly Write[]): SortedRows {
    if (writes.length === 0) return this;
    const copy = new SortedRows(new Map(this.values), [...this.keys]);
    for (const [, key, bytes] of writes) copy.set(key, bytes);
    return copy;
  }

  between(start: Key, end: Key, limit = Number.POSITIVE_INFINITY): StoredEntry[] {
    const from = this.place(start);
    const keys = this.keys.slice(from, Math.min(this.place(end), from + limit));
    return keys.map((key) => ({ key, value: this.values.get(key)! }));
  }

  all(): Iterable<readonly [Key, Uint8Array]> {
    return this.values;
  }

  private place(key: Key): number {
    let from = 0;
    for (let to = this.keys.length; from < to; ) {
      const middle = (from + to) >>> 1;
      if (this.keys[middle]! < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
