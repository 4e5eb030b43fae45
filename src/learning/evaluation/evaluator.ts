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

/**
 * Rejects with NotFound("app"); Conflict("evaluation_running") while another evaluation runs in this process, of any app: each
 * keeps a core busy for minutes; Conflict("not_enough_data") when there is too little to part.
 */
export type Evaluate = RunEvaluation;

export function createEvaluator(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly runEvaluation: RunEvaluation;
}): Evaluate {
  let running = false;
  return async (query, onProgress, signal) => {
    if ((await deps.apps.get(query.appId)) === undefined) throw new NotFound("app");
    if (running) throw new Conflict("evaluation_running", "An evaluation is under way");
    running = true;
    try {
      return await deps.runEvaluation(query, onProgress, signal);
    } finally {
      running = false;
    }
  };
}
