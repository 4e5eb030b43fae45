import { Conflict, NotFound } from "../../domain/errors.js";
import type { AppStore } from "../../store/ports/app-store.js";
import type { TrainingProgress } from "../training/trainer.js";
import type { Evaluation } from "./report.js";

export interface EvaluationQuery {
  readonly appId: string;
  readonly maxQueries: number;
  readonly seed: number;
}

/** Evaluates in a worker thread, so that serving keeps its latency. The signal ends it; then it rejects. */
export type RunEvaluation = (
  query: EvaluationQuery,
  onProgress: (progress: TrainingProgress) => void,
  signal: AbortSignal,
) => Promise<Evaluation>;

export interface Evaluator {
  /**
   * Rejects with NotFound("app"); Conflict("evaluation_running") while another evaluation runs in this process, of any app: each
   * keeps a core busy for minutes; Conflict("not_enough_data") when there is too little to part.
   */
  readonly evaluate: RunEvaluation;
  /** Rejects as `evaluate` would at once, and evaluates nothing. */
  check(appId: string): Promise<void>;
}

export function createEvaluator(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly runEvaluation: RunEvaluation;
}): Evaluator {
  let running = false;
  const mustExist = async (appId: string) => {
    if ((await deps.apps.get(appId)) === undefined) throw new NotFound("app");
  };
  const mustBeFree = () => {
    if (running) throw new Conflict("evaluation_running", "An evaluation is under way");
  };
  return {
    async evaluate(query, onProgress, signal) {
      await mustExist(query.appId);
      mustBeFree();
      running = true;
      try {
        return await deps.runEvaluation(query, onProgress, signal);
      } finally {
        running = false;
      }
    },
    async check(appId) {
      await mustExist(appId);
      mustBeFree();
    },
  };
}
