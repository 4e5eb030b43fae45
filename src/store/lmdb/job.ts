import type { StagedTables } from "./staged-tables.js";

export type Work<T> = (tables: StagedTables) => T;

/** One or more works that wait for a transaction, with their outcomes. */
export interface Job {
  /** Must be the only job in its transaction. */
  readonly alone: boolean;
  /** When it was queued. */
  readonly at: number;
  /** When its caller stops waiting. */
  readonly dueAt: number;
  /** All of its works have run. */
  readonly isRun: boolean;
  /** Runs its next work; throws what that throws. */
  run(tables: StagedTables): void;
  /** The last work failed and was rolled back. */
  fail(error: unknown): void;
  /** Works run since the last `settle` will never reach the disk, and the remaining ones will not run. */
  abandon(error: unknown): void;
  /** All works run so far are on disk or have failed. Answers the caller when none remain. */
  settle(): void;
}

/** One work by itself. */
export class PendingWork<T> implements Job {
  isRun = false;
  private outcome: { readonly result: T } | { readonly error: unknown } | undefined;

  constructor(
    readonly alone: boolean,
    readonly at: number,
    readonly dueAt: number,
    private readonly work: Work<T>,
    private readonly resolve: (result: T) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  run(tables: StagedTables): void {
    this.isRun = true;
    this.outcome = { result: this.work(tables) };
  }

  fail(error: unknown): void {
    this.outcome = { error };
  }

  abandon(error: unknown): void {
    this.outcome = { error };
  }

  settle(): void {
    if (this.outcome === undefined) return;
    if ("result" in this.outcome) this.resolve(this.outcome.result);
    else this.reject(this.outcome.error);
  }
}

/** Works of one caller, in order; they may be spread over several transactions. */
export class PendingWorks<T> implements Job {
  readonly alone = false;
  readonly dueAt = Number.POSITIVE_INFINITY;
  private readonly outcomes: PromiseSettledResult<T>[] = [];
  private next = 0;
  /** Works before this index are settled. */
  private settled = 0;

  constructor(
    readonly at: number,
    private readonly works: readonly Work<T>[],
    private readonly resolve: (outcomes: PromiseSettledResult<T>[]) => void,
  ) {}

  get isRun(): boolean {
    return this.next === this.works.length;
  }

  run(tables: StagedTables): void {
    const at = this.next++;
    this.outcomes[at] = { status: "fulfilled", value: this.works[at]!(tables) };
  }

  fail(reason: unknown): void {
    this.outcomes[this.next - 1] = { status: "rejected", reason };
  }

  abandon(reason: unknown): void {
    this.next = this.works.length;
    for (let at = this.settled; at < this.next; at++) this.outcomes[at] = { status: "rejected", reason };
  }

  settle(): void {
    this.settled = this.next;
    if (this.isRun) this.resolve(this.outcomes);
  }
}
