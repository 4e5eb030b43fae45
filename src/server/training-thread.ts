import { Worker } from "node:worker_threads";
import { Conflict, Unavailable } from "../domain/errors.js";
import type { ModelManifest, SnapshotBytes } from "../domain/model.js";
import type { EvaluationQuery, RunEvaluation } from "../learning/evaluation/evaluator.js";
import type { Evaluation } from "../learning/evaluation/report.js";
import type { RunTraining, TrainingProgress } from "../learning/training/trainer.js";
import { entryOf } from "./installed.js";
import type { StoreLocation } from "./open-store.js";
import type { EmbedderLocation } from "./settings/embedder-location.js";

/** Start parameters of the worker. */
export interface TrainingJob {
  readonly store: StoreLocation;
  readonly appId: string;
  readonly embedder: EmbedderLocation;
  readonly learnedOrder: boolean;
  /** Undefined: train a model. */
  readonly evaluation: EvaluationQuery | undefined;
}

/** Messages of the worker. `failed` carries no data of the shop, only text for the operator. */
export type TrainingMessage =
  | { readonly kind: "progress"; readonly progress: TrainingProgress }
  | { readonly kind: "trained"; readonly manifest: ModelManifest; readonly bytes: SnapshotBytes }
  | { readonly kind: "evaluated"; readonly evaluation: Evaluation }
  | { readonly kind: "nothing"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string };

type Outcome = Extract<TrainingMessage, { kind: "trained" | "evaluated" }>;

/**
 * Trains and evaluates in worker threads that open the store for themselves, so that serving keeps its latency.
 * `stop` ends running trainings and refuses more; both reject with Unavailable. `warn` gets a line if a model was trained
 * without the configured text model.
 */
export function createThreadTraining(
  { store, embedder, learnedOrder }: Omit<TrainingJob, "appId" | "evaluation">,
  warn: (line: string) => void,
): { readonly run: RunTraining; readonly evaluate: RunEvaluation; stop(): Promise<void> } {
  const workers = new Set<Worker>();
  let stopped = false;

  const work = (
    job: Pick<TrainingJob, "appId" | "evaluation">,
    onProgress: (progress: TrainingProgress) => void,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (stopped) throw new Unavailable("The server is stopping");
      const name = job.evaluation === undefined ? "training" : "evaluation";
      const failed = name === "training" ? "Training failed" : "Evaluation failed";
      const workerData: TrainingJob = { ...job, store, embedder, learnedOrder };
      const worker = new Worker(entryOf("training-worker"), { workerData });
      workers.add(worker);
      worker.on("message", (message: TrainingMessage) => {
        if (message.kind === "progress") onProgress(message.progress);
        else if (message.kind === "nothing") reject(new Conflict("not_enough_data", message.text));
        else if (message.kind === "failed") reject(new Error(`${failed}: ${message.text}`));
        else resolve(message);
      });
      worker.on("error", (cause) => reject(new Error(failed, { cause })));
      const leave = () => void worker.terminate();
      signal?.addEventListener("abort", leave, { once: true });
      worker.on("exit", () => {
        workers.delete(worker);
        signal?.removeEventListener("abort", leave);
        reject(new Unavailable(`The ${name} was stopped`));
      });
    });

  return {
    async run(appId, onProgress, signal) {
      const outcome = await work({ appId, evaluation: undefined }, onProgress, signal);
      if (outcome.kind !== "trained") throw new Error("Unexpected result from the training worker");
      for (const { name, included, reason } of outcome.manifest.algorithms)
        if (name === "text_embedder" && !included) warn(`${appId} was trained without its text model: ${reason}`);
      return { manifest: outcome.manifest, bytes: outcome.bytes };
    },
    async evaluate(evaluation, onProgress, signal) {
      const outcome = await work({ appId: evaluation.appId, evaluation }, onProgress, signal);
      if (outcome.kind !== "evaluated") throw new Error("Unexpected result from the training worker");
      return outcome.evaluation;
    },
    async stop() {
      stopped = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
