import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { hnswIndexes } from "../adapters/hnsw/vector-indexes.js";
import { Conflict } from "../domain/errors.js";
import { evaluateApp } from "../learning/evaluation/evaluate-app.js";
import { filterBots } from "../learning/training/dataset.js";
import { type TrainModelOptions, trainModel } from "../learning/training/train-model.js";
import { textEmbedding } from "./open-embedder.js";
import { openStore } from "./open-store.js";
import type { TrainingJob, TrainingMessage } from "./training-thread.js";

/** No caller waits for a training, so the store may take longer. */
const PATIENT_MS = 30_000;

/** Nice value of this thread, for machines with few processors. */
const NICENESS = 5;
// Linux has a nice value for each thread; elsewhere it would apply to the whole process, which serves.
if (process.platform === "linux" && getPriority() < NICENESS) setPriority(NICENESS);

// Entry of the training thread: reads the store, trains or evaluates, posts the result and ends.
const job: TrainingJob = workerData;
const port = parentPort;
if (port === null) throw new Error("The training worker runs as a thread of aisle serve");
const say = (message: TrainingMessage) => port.postMessage(message);

const store = await openStore(job.store, { now: Date.now, readOnly: "thread", answerMs: PATIENT_MS });
try {
  const options: TrainModelOptions = {
    appId: job.appId,
    products: store.products,
    interactions: filterBots(store.interactions),
    vectorIndexes: hnswIndexes(),
    learnedOrder: job.learnedOrder,
    embedding: textEmbedding(job.embedder, job.appId, store.models),
    textFromVisits: job.embedder.kind === "visits",
    onProgress: (progress) => say({ kind: "progress", progress }),
  };
  if (job.evaluation === undefined) {
    // Shared, so that the serving thread gets them without a copy and without a collection: see `snapshot-buffers.ts`.
    const room = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
    const { manifest, bytes } = await trainModel({ ...options, events: store.events, room });
    say({ kind: "trained", manifest, bytes });
  } else say({ kind: "evaluated", evaluation: await evaluateApp({ ...options, ...job.evaluation }) });
} catch (error) {
  if (error instanceof Conflict) say({ kind: "nothing", text: error.message });
  else say({ kind: "failed", text: error instanceof Error ? (error.stack ?? error.message) : "unknown" });
} finally {
  await store.close();
}
