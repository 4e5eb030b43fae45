import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { createAisle } from "./app.js";
import type { SenderLimit } from "./intake/sender-limit.js";
import { openStore, type StoreLocation } from "./open-store.js";
import type { Metrics } from "./ports/metrics.js";
import type { ReportInternal } from "./services/errors.js";
import { createThreadTraining } from "./training-thread.js";

/** Calls of a store that does not answer are given up after this time, so that senders hear of it within a second. */
const ANSWER_MS = 800;

export type LocalServices = Awaited<ReturnType<typeof openLocalServices>>;

/** The services in this process, over a store that is opened here. */
export async function openLocalServices(options: {
  readonly store: StoreLocation;
  readonly metrics: Metrics;
  readonly report: ReportInternal;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  /** Told in one line each what was found and done while the store was opened. */
  readonly log: (line: string) => void;
  readonly senderLimit: SenderLimit | undefined;
}) {
  const now = Date.now;
  const store = await openStore(options.store, {
    now,
    newId: uuidv7,
    metrics: options.metrics,
    onDamage: options.onDamage,
    log: options.log,
    answerMs: ANSWER_MS,
  });
  const training = createThreadTraining(options.store);
  const aisle = createAisle({
    store,
    vectorIndexes: hnswIndexes(),
    runTraining: training.run,
    now,
    monotonicNow: () => performance.now(),
    newId: uuidv7,
    newAppId: () => randomBytes(7).toString("hex").slice(0, 13),
    senderLimit: options.senderLimit,
    metrics: options.metrics,
    report: options.report,
  });
  return {
    aisle,
    ready: () => store.ready(),
    /** Ends trainings under way. */
    stopTraining: () => training.stop(),
    async close(): Promise<void> {
      aisle.close();
      await store.close();
    },
  };
}
