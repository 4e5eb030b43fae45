import { type Key, keyBehind } from "./keys.js";
import type { Records } from "./ports/unit-of-work.js";

/** A table as a unit of work sees it, including the staged writes of the same commit. */
export interface StagedTable<T> {
  get(key: Key): T | undefined;
  put(key: Key, value: T): void;
  delete(key: Key): void;
}

/** The records of one app in a table. */
export class AppRecords<T> implements Records<T> {
  constructor(
    /** Common prefix of the keys of all the app's records. */
    protected readonly prefix: Key,
    protected readonly table: StagedTable<T>,
  ) {}

  get(key: string): T | undefined {
    return this.table.get(keyBehind(this.prefix, key));
  }

  put(key: string, value: T): void {
    this.table.put(keyBehind(this.prefix, key), value);
  }

  delete(key: string): void {
    this.table.delete(keyBehind(this.prefix, key));
  }
}
