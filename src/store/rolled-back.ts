import type { Transaction, UnitOfWork } from "./ports/unit-of-work.js";

/** Undoes a work that was only tried. */
class RolledBack extends Error {}

/** A work that is undone, and the result of its last run. */
class TriedWork<T> {
  private made: { readonly result: T } | undefined;

  constructor(private readonly work: (tx: Transaction) => T) {}

  readonly run = (tx: Transaction): never => {
    this.made = { result: this.work(tx) };
    throw new RolledBack("The change was only tried");
  };

  /** Throws `error` when the work itself has failed. */
  resultAfter(error: unknown): T {
    if (!(error instanceof RolledBack) || this.made === undefined) throw error;
    return this.made.result;
  }
}

/**
 * Works that are only tried, for `validate_only`. Each runs in a transaction on the records as they are, which is then
 * rolled back. Its outcome is that of the work, and nothing is written: a work does not see the writes of tried ones
 * before it.
 */
export function rolledBack(unitOfWork: UnitOfWork): UnitOfWork {
  return {
    async run(appId, work) {
      const tried = new TriedWork(work);
      try {
        return await unitOfWork.run(appId, tried.run);
      } catch (error) {
        return tried.resultAfter(error);
      }
    },
    async runEach(appId, works) {
      const tried = works.map((work) => new TriedWork(work));
      const outcomes = await unitOfWork.runEach(
        appId,
        tried.map(({ run }) => run),
      );
      return Promise.allSettled(
        tried.map(async (work, index) => {
          const outcome = outcomes[index];
          return work.resultAfter(outcome?.status === "rejected" ? outcome.reason : undefined);
        }),
      );
    },
  };
}
