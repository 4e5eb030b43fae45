import { type App, bareApp } from "../../domain/app.js";
import type { Interaction } from "../../domain/interaction.js";
import type { KeyClock } from "../idempotency-records.js";
import { appKey, timedKey } from "../keys.js";
import type { Transaction, UnitOfWork } from "../ports/unit-of-work.js";
import { AppTransaction } from "../transaction.js";
import { historyRow } from "./records.js";
import type { Draft, StagedTables, Work } from "./staged-tables.js";
import type { Writer } from "./writer.js";

/** Works as the writer's works. */
export function createUnitOfWork(deps: { readonly writer: Writer; readonly clock: KeyClock }): UnitOfWork {
  const workOf =
    <T>(appId: string, work: (tx: Transaction) => T): Work<T> =>
    (draft) => {
      const transaction = new DraftTransaction(appId, draft, deps.clock);
      try {
        return work(transaction);
      } finally {
        transaction.end();
      }
    };
  return {
    run: (appId, work) => deps.writer.run(appId, workOf(appId, work)),
    runEach: (appId, works) =>
      deps.writer.runEach(
        appId,
        works.map((work) => workOf(appId, work)),
      ),
  };
}

class DraftTransaction extends AppTransaction<StagedTables> {
  constructor(
    appId: string,
    private readonly draft: Draft,
    clock: KeyClock,
  ) {
    super(appId, draft.tables, clock);
  }

  /** Assumes an app while it is not loaded: work that stops at a missing app would not show what else it reads. */
  override app(): App | undefined {
    return this.tables.apps.get(appKey(this.appId), bareApp(this.appId, 0));
  }

  eventId(proposed: string): string {
    return proposed;
  }

  putInteraction(visitorId: string, interaction: Interaction): void {
    const key = timedKey(this.appId, visitorId, interaction.at, interaction.ref);
    this.tables.interactions.put(key, historyRow(visitorId, interaction));
  }

  deleteInteraction(visitorId: string, at: number, ref: string): void {
    this.tables.interactions.delete(timedKey(this.appId, visitorId, at, ref));
  }

  markChanged(): void {
    this.mustRun();
    this.draft.markChanged();
  }
}
