/** A write of the batch that is being made. */
export interface StagedWrite {
  /** True to apply it as soon as its work ends, false to apply it with the batch. */
  readonly atOnce: boolean;
  /** Encodes the write and returns its size in bytes. */
  keep(): number;
  rollBack(): void;
  apply(): void;
}

/**
 * The writes of one batch, held back until all its works have run. Each work sees the writes of the works before it. When
 * a work throws, its writes are rolled back.
 */
export class Journal {
  /** Number of the current work, so that an entry knows whether it was saved for it. */
  work = 1;
  private touched: StagedWrite[] = [];
  private kept: StagedWrite[] = [];

  touch(write: StagedWrite): void {
    this.touched.push(write);
  }

  /**
   * Adds the writes of a work to the batch and returns their size in bytes; `end` must follow. Throws when a write cannot
   * be stored; then `rollBack` must follow.
   */
  keep(): number {
    let bytes = 0;
    for (const write of this.touched) bytes += write.keep();
    return bytes;
  }

  /** Ends a work that was kept, inside the write transaction. An error here is a fault of the store, not of the work. */
  end(): void {
    for (const write of this.touched) {
      if (write.atOnce) write.apply();
      else this.kept.push(write);
    }
    this.next();
  }

  /** Ends a work and discards its writes. */
  rollBack(): void {
    for (const write of this.touched) write.rollBack();
    this.next();
  }

  /** Makes the writes of the batch, inside the write transaction. */
  apply(): void {
    for (const write of this.kept) write.apply();
  }

  clear(): void {
    this.touched = [];
    this.kept = [];
    this.work++;
  }

  private next(): void {
    this.touched = [];
    this.work++;
  }
}
