import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { openEmbeddedStore } from "./adapters/embedded/store.js";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { createAisle } from "./app.js";
import type { Config } from "./config.js";
import type { SenderLimit } from "./intake/sender-limit.js";
import type { Metrics } from "./ports/metrics.js";
import type { ReportInternal } from "./services/errors.js";
import { createThreadTraining } from "./training-thread.js";

export type LocalServices = Awaited<ReturnType<typeof openLocalServices>>;

/** The services in this process, over a store that is opened here. */
export async function openLocalServices(options: {
  readonly store: Config["store"];
  readonly embedder: Config["embedder"];
  readonly metrics: Metrics;
  readonly report: ReportInternal;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  /** Told in one line what an operator should know and nothing failed of. */
  readonly warn: (line: string) => void;
  readonly senderLimit: SenderLimit | undefined;
}) {
  const { directory } = options.store;
  const now = Date.now;
  const store = await openEmbeddedStore({
    directory,
    now,
    newId: uuidv7,
    metrics: options.metrics,
    onDamage: options.onDamage,
  });
  const training = createThreadTraining(directory, options.embedder, options.warn);
  const aisle = createAisle({
    store,
    vectorIndexes: hnswIndexes(),
    runTraining: training.run,
    runEvaluation: training.evaluate,
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
    /** Ends trainings and evaluations under way. */
    stopTraining: () => training.stop(),
    async close(): Promise<void> {
      aisle.close();
      await store.close();
    },
  };
}
