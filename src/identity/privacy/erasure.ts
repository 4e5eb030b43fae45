import type { Metrics } from "../../adapters/metrics.js";
import type { Erasure } from "../../domain/erasure.js";
import { NotFound } from "../../domain/errors.js";
import type { AppStore } from "../../store/ports/app-store.js";
import { createErasureSteps, type ErasureStepsDependencies, type OnProgress } from "./erasure-steps.js";
import { findPerson, type PersonNames } from "./person.js";
import { rowsOf } from "./scan.js";

export interface ErasuresDependencies extends ErasureStepsDependencies {
  readonly apps: Pick<AppStore, "list">;
  readonly newId: () => string;
  readonly metrics: Metrics;
}

export interface Erasures {
  /** Stores durably whom to erase. From then on the erasure is completed, even after a crash. */
  begin(appId: string, names: PersonNames): Promise<{ readonly erasure: Erasure; readonly contactsKept: number }>;
  /** Completes an erasure that has begun. Rejects with NotFound("app") if the app is deleted meanwhile. */
  finish(appId: string, erasure: Erasure, onProgress: OnProgress): Promise<Erasure>;
  /** Completes the erasures of all apps that no process works on. */
  resume(onFailure: (appId: string, error: unknown) => void): Promise<void>;
}

/** An erasure without progress for this long has lost its process. */
const LEFT_MS = 60_000;

/**
 * Erases persons in steps (`erasure-steps.ts`). Two processes may work on one erasure: a step counts only if it continues from
 * the recorded progress.
 */
export function createErasures(deps: ErasuresDependencies): Erasures {
  const { copies, unitOfWork, now, metrics } = deps;
  const steps = createErasureSteps(deps);

  const finish: Erasures["finish"] = async (appId, begun, onProgress) => {
    let erasure = begun;
    while (erasure.step !== "done") {
      onProgress(erasure.step, 0);
      erasure = await steps[erasure.step](appId, erasure, onProgress);
    }
    return erasure;
  };

  return {
    async begin(appId, names) {
      const { person, contactsKept } = await findPerson(deps, appId, names);
      const at = now();
      const erasure: Erasure = {
        erasureId: deps.newId(),
        startedAt: at,
        finishedAt: 0,
        workedAt: at,
        step: "identity",
        upTo: "",
        person,
        counts: {},
      };
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() === undefined) throw new NotFound("app");
        tx.erasures.put(erasure.erasureId, erasure);
      });
      metrics.count("erasures_begun");
      return { erasure, contactsKept };
    },

    finish,

    async resume(onFailure) {
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, 100);
        for (const { appId } of apps) {
          after = appId;
          try {
            for await (const rows of rowsOf(copies, appId, "erasures"))
              for (const { value } of rows)
                if (value.step !== "done" && Math.abs(now() - value.workedAt) >= LEFT_MS)
                  await finish(appId, value, () => {});
          } catch (error) {
            onFailure(appId, error);
          }
        }
        if (apps.length < 100) return;
      }
    },
  };
}
