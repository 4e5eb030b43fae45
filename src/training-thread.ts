import { Worker } from "node:worker_threads";
import { Conflict, Unavailable } from "./domain/errors.js";
import type { ModelManifest } from "./domain/model.js";
import type { EmbedderLocation } from "./embedder-location.js";
import type { RunTraining, TrainingProgress } from "./training/trainer.js";

/** What the worker is started with. */
export interface TrainingJob {
  readonly directory: string;
  readonly appId: string;
  readonly embedder: EmbedderLocation;
}

/** What the worker says. `failed` carries no data of the shop, only what the operator needs. */
export type TrainingMessage =
  | { readonly kind: "progress"; readonly progress: TrainingProgress }
  | { readonly kind: "trained"; readonly manifest: ModelManifest; readonly bytes: Uint8Array }
  | { readonly kind: "nothing"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string };

/**
 * Trains in a worker thread that opens the embedded store for itself, so that serving keeps its latency. `stop` ends
 * trainings under way and refuses new ones: those reject with Unavailable. `warn` is told when a model was made without
 * the text model that was asked for.
 */
export function createThreadTraining(
  directory: string,
  embedder: EmbedderLocation,
  warn: (line: string) => void,
): { readonly run: RunTraining; stop(): Promise<void> } {
  const workers = new Set<Worker>();
  let stopped = false;
  return {
    run: (appId, onProgress) =>
      new Promise((resolve, reject) => {
        if (stopped) throw new Unavailable("The server is stopping");
        const job: TrainingJob = { directory, appId, embedder };
        const worker = new Worker(new URL("./training-worker.js", import.meta.url), { workerData: job });
        workers.add(worker);
        worker.on("message", (message: TrainingMessage) => {
          if (message.kind === "progress") onProgress(message.progress);
          else if (message.kind === "trained") {
            for (const { name, included, reason } of message.manifest.algorithms)
              if (name === "text_embedder" && !included) warn(`${appId} was trained without its text model: ${reason}`);
            resolve({ manifest: message.manifest, bytes: message.bytes });
          } else if (message.kind === "nothing") reject(new Conflict("precondition", message.text));
          else reject(new Error(`Training failed: ${message.text}`));
        });
        worker.on("error", (cause) => reject(new Error("Training failed", { cause })));
        worker.on("exit", () => {
          workers.delete(worker);
          reject(new Unavailable("The training was stopped"));
        });
      }),
    async stop() {
      stopped = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
