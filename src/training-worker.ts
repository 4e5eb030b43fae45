import { parentPort, workerData } from "node:worker_threads";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { Conflict } from "./domain/errors.js";
import { openStore } from "./open-store.js";
import { trainModel } from "./training/train-model.js";
import type { TrainingJob, TrainingMessage } from "./training-thread.js";

/** Nobody waits for a training, so that the store may take its time. */
const PATIENT_MS = 30_000;

// Entry of the training thread: reads the store, learns, hands the bytes over and ends.
const job: TrainingJob = workerData;
const port = parentPort;
if (port === null) throw new Error("The training worker runs as a thread of aisle serve");
const say = (message: TrainingMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const store = await openStore(job.store, { now: Date.now, readOnly: true, answerMs: PATIENT_MS });
try {
  const { manifest, bytes } = await trainModel({
    appId: job.appId,
    products: store.products,
    interactions: store.interactions,
    vectorIndexes: hnswIndexes(),
    onProgress: (progress) => say({ kind: "progress", progress }),
  });
  say({ kind: "trained", manifest, bytes }, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []);
} catch (error) {
  if (error instanceof Conflict) say({ kind: "nothing", text: error.message });
  else say({ kind: "failed", text: error instanceof Error ? (error.stack ?? error.message) : "unknown" });
} finally {
  await store.close();
}
