import type { Key } from "./keys.js";

/** A record as it was when it was read or written last; undefined when there was none. */
export interface Cached {
  readonly stored: unknown;
}

/**
 * Cached records of one app as of one commit; valid until another server commits. It has two generations: when the younger
 * is full, it becomes the older one, and records not read since are evicted.
 */
export class RecordCache {
  private younger = new Map<string, Cached>();
  private older = new Map<string, Cached>();

  constructor(
    private readonly limit: number,
    /** Tables whose records are worth keeping when they were only written. */
    private readonly reread: ReadonlySet<string>,
  ) {}

  get(table: string, key: Key): Cached | undefined {
    const id = `${table} ${key}`;
    const young = this.younger.get(id);
    if (young !== undefined) return young;
    const old = this.older.get(id);
    if (old !== undefined) this.younger.set(id, old);
    return old;
  }

  set(table: string, key: Key, stored: unknown): void {
    this.younger.set(`${table} ${key}`, { stored });
  }

  /** Takes note of a write. */
  written(table: string, key: Key, stored: unknown): void {
    if (this.reread.has(table) || this.get(table, key) !== undefined) this.set(table, key, stored);
  }

  /** Evicts old records. Do not call it while works run, since they rely on the records loaded for them. */
  turn(): void {
    if (this.younger.size < this.limit) return;
    this.older = this.younger;
    this.younger = new Map();
  }

  clear(): void {
    this.younger.clear();
    this.older.clear();
  }
}
