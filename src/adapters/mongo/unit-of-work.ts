import { type App, bareApp } from "../../domain/app.js";
import type { Now } from "../../domain/clock.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Transaction, UnitOfWork } from "../../ports/unit-of-work.js";
import { AppTransaction } from "../store/transaction.js";
import { appKey, timedKey } from "./keys.js";
import { historyRow } from "./records/catalog.js";
import type { Draft, StagedTables, Work } from "./staged.js";
import type { Writer } from "./writer.js";

/** Works as the writer's works. */
export function createUnitOfWork(deps: { readonly writer: Writer; readonly now: Now }): UnitOfWork {
  const workOf =
    <T>(appId: string, work: (tx: Transaction) => T): Work<T> =>
    (draft) => {
      const transaction = new DraftTransaction(appId, draft, deps.now);
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
    now: Now,
  ) {
    super(appId, draft.tables, now);
  }

  /** While it is not loaded, there is one: a work that ends where there is none would not tell what else it reads. */
  override app(): App | undefined {
    return this.tables.apps.get(appKey(this.appId), bareApp(this.appId, 0));
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
