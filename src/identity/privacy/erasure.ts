import type { Metrics } from "../../adapters/metrics.js";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Erasure } from "../../domain/erasure.js";
import { NotFound } from "../../domain/errors.js";
import { timeOfId } from "../../domain/ids.js";
import { newOperation, type Operation } from "../../domain/operation.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { EventStore } from "../../store/ports/event-store.js";
import type { RejectedEventStore } from "../../store/ports/rejected-event-store.js";
import type { Change } from "../../store/ports/unit-of-work.js";
import { progressed } from "./erasure-progress.js";
import { createErasureSteps, createParting, type ErasureStepsDependencies } from "./erasure-steps.js";
import { findPerson, type PersonNames } from "./person.js";
import { rowsOf } from "./scan.js";

export interface ErasuresDependencies extends Omit<ErasureStepsDependencies, "checkStopped"> {
  readonly apps: Pick<AppStore, "list">;
  readonly events: Pick<EventStore, "list">;
  readonly rejectedEvents: Pick<RejectedEventStore, "list">;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}

export interface Erasures {
  /**
   * Stores durably whom to erase, with the operation of the erasure, and erases in the background. From then on the erasure
   * is completed, even after a crash.
   */
  begin(appId: string, names: PersonNames, change?: Change<Operation>): Promise<Operation>;
  /** Completes the erasures of all apps that no process works on. */
  resume(onFailure: (appId: string, error: unknown) => void): Promise<void>;
  /** Stops the erasures of this process after their current batch; resolves when they have stopped. Others resume them. */
  stop(): Promise<void>;
}

/** An erasure without progress for this long has lost its process. */
const LEFT_MS = 60_000;

class Stopped extends Error {}

/**
 * Erases persons in steps (`erasure-steps.ts`). Two processes may work on one erasure: a step counts only if it continues from
 * the recorded progress. The operation of an erasure is written in the same transactions, so it ends with the erasure,
 * whichever process completes it.
 */
export function createErasures(deps: ErasuresDependencies): Erasures {
  const { copies, unitOfWork, now, metrics } = deps;
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const checkStopped = () => {
    if (isStopped) throw new Stopped("The server is stopping");
  };
  const steps = createErasureSteps({ ...deps, checkStopped });

  /** Completes an erasure that has begun. Does nothing more when the app is deleted meanwhile, or the process stops. */
  const finish = async (appId: string, begun: Erasure): Promise<void> => {
    try {
      for (let erasure = begun; erasure.step !== "done"; ) {
        checkStopped();
        erasure = await steps[erasure.step](appId, erasure);
      }
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof NotFound)) throw error;
    }
  };

  const finishInBackground = (appId: string, erasure: Erasure): void => {
    const work = finish(appId, erasure)
      .catch((error: unknown) => deps.reportFailure("operations", error)) // `resume` goes on with it
      .finally(() => running.delete(work));
    running.add(work);
  };

  return {
    async begin(appId, names, change = (id, work) => unitOfWork.run(id, work)) {
      const { person, contactsKept } = await findPerson(deps, appId, names);
      const at = now();
      const erasureId = deps.newId();
      const [[newest], [rejected]] = await Promise.all([
        deps.events.list(appId, "", 1, true),
        deps.rejectedEvents.list(appId, "", 1),
      ]);
      const erasure: Erasure = {
        erasureId,
        // A record received while a clock was ahead may be later than now. No id of this server is later than this one; the clock
        // of another server may have been ahead.
        startedAt: Math.max(at, timeOfId(erasureId), newest?.receivedAt ?? 0, rejected?.rejectedAt ?? 0),
        finishedAt: 0,
        workedAt: at,
        step: "visitors",
        upTo: "",
        person,
        counts: {},
        contactsKept,
        isSecond: false,
      };
      const part = createParting(deps);
      let begun = erasure;
      const operation = await change(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        // Parts the person from what comes next: later events find neither contact nor visitor, and make new ones.
        begun = { ...erasure, ...part(tx, erasure, []) };
        tx.erasures.put(erasureId, begun);
        const started = progressed(newOperation(erasureId, "erase_visitor", at), begun, deps.resultOf);
        tx.operations.put(started.operationId, started);
        return started;
      });
      metrics.count("erasures_begun");
      finishInBackground(appId, begun);
      return operation;
    },

    async resume(onFailure) {
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, 100);
        for (const { appId } of apps) {
          after = appId;
          try {
            for await (const rows of rowsOf(copies, appId, "erasures"))
              for (const { value } of rows)
                if (value.step !== "done" && Math.abs(now() - value.workedAt) >= LEFT_MS) await finish(appId, value);
          } catch (error) {
            onFailure(appId, error);
          }
        }
        if (apps.length < 100) return;
      }
    },

    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
