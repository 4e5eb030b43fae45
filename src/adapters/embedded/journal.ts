/** A write of the batch that is being made. */
export interface StagedWrite {
  /** It is applied as soon as its work is kept, else with the batch. */
  readonly atOnce: boolean;
  /** Makes ready what is to be written, and answers how many bytes that is. */
  keep(): number;
  rollBack(): void;
  apply(): void;
}

/**
 * The writes of the works of one batch, held back until all works have run. Each work sees those of the works before
 * it; a work that throws leaves nothing, since its writes are taken back to what they were when it began.
 */
export class Journal {
  /** Counts works, so that an entry knows whether it was saved for this one. */
  work = 1;
  private touched: StagedWrite[] = [];
  private kept: StagedWrite[] = [];

  touch(write: StagedWrite): void {
    this.touched.push(write);
  }

  /**
   * Makes the writes of a work ready to belong to the batch; `end` must follow. Answers how many bytes they are. Throws
   * when one cannot be stored; then `rollBack` must follow.
   */
  keep(): number {
    let bytes = 0;
    for (const write of this.touched) bytes += write.keep();
    return bytes;
  }

  /** Ends a work that was kept, inside the write transaction. What it throws is a fault of the store, not of the work. */
  end(): void {
    for (const write of this.touched) {
      if (write.atOnce) write.apply();
      else this.kept.push(write);
    }
    this.next();
  }

  /** Ends a work: nothing of it remains. */
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
