import { randomBytes, randomUUID } from "node:crypto";
import { createHttpsFeedSource } from "./adapters/feeds/https-feed-source.js";
import { hnswIndexes } from "./adapters/hnsw/vector-indexes.js";
import { createHttpsHookSender } from "./adapters/hooks/https-hook-sender.js";
import { createAisle } from "./app.js";
import type { EmbedderLocation } from "./embedder-location.js";
import type { SenderLimit } from "./intake/sender-limit.js";
import { createSpreadLimit, EXCHANGE_MS } from "./intake/spread-limit.js";
import { openStoreWhenThere, type StoreLocation } from "./open-store.js";
import { createPatience, type FarStore } from "./patience.js";
import type { Metrics } from "./ports/metrics.js";
import type { TallyBoard } from "./ports/tally-board.js";
import type { Tracer } from "./ports/tracer.js";
import type { ReportInternal } from "./services/errors.js";
import type { LinkLimits } from "./subscription/link-limits.js";
import { createThreadTraining } from "./training-thread.js";
import { createUuids } from "./uuids.js";

/**
 * Times of a MongoDB store, in milliseconds. Events of a batch are many at once and take their turn, so questions and works
 * may be long; those who wait for one answer do not wait for that (`farStore`).
 */
const QUESTION_MS = 5_000;
const WORK_MS = 30_000;
const READY_MS = 900;
/** Nobody waits longer for what is read for the first time, a catalogue or a model; it goes on being read. */
const CALL_MS = 3_000;

/** What came after a training is looked for so often. */
const LIVE_MS = 500;

/** A sender waits for its app, when that is looked at anew, and then for its event: within a second by default. */
export function farStore(answerMs: number): FarStore {
  return { answerMs, historyMs: answerMs / 2, settingsMs: answerMs / 4 };
}

export type LocalServices = Awaited<ReturnType<typeof openLocalServices>>;

/** The services in this process, over a store that is opened here. */
export async function openLocalServices(options: {
  readonly store: StoreLocation;
  /** See `Config.answerMs`. */
  readonly answerMs: number;
  /** See `Config.minFreeBytes`. */
  readonly minFreeBytes: number;
  readonly embedder: EmbedderLocation;
  /** See `Config.learnedOrder`. */
  readonly learnedOrder: boolean;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly report: ReportInternal;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  /** Told in one line each what was found and done while the store was opened. */
  readonly log: (line: string) => void;
  /** Told why the store cannot be reached yet; its calls fail until it can. */
  readonly away: (line: string) => void;
  /** Told in one line what an operator should know and nothing failed of. */
  readonly warn: (line: string) => void;
  readonly senderLimit: SenderLimit | undefined;
  readonly linkLimits: LinkLimits;
  /** Where links in mails lead; undefined where that is not known. */
  readonly publicUrl: string | undefined;
  /** See `Config.privateHooks`. */
  readonly privateHooks: boolean;
  /** See `Config.privateFeeds`. */
  readonly privateFeeds: boolean;
}) {
  const now = Date.now;
  const newId = createUuids({ now, randomUuid: randomUUID });
  const { store, opening } = await openStoreWhenThere(options.store, {
    now,
    newId,
    metrics: options.metrics,
    onDamage: options.onDamage,
    log: options.log,
    away: options.away,
    answerMs: QUESTION_MS,
    workMs: WORK_MS,
    minFreeBytes: options.minFreeBytes,
  });
  const isFar = options.store.kind === "mongo";
  const readiness = createPatience({ waitMs: READY_MS, restMs: 0, monotonicNow: () => performance.now() });
  const spread = store.tallies && spreadLimit(store.tallies, newId);
  const training = createThreadTraining(options, options.warn);
  const aisle = createAisle({
    store,
    vectorIndexes: hnswIndexes(),
    runTraining: training.run,
    runEvaluation: training.evaluate,
    now,
    monotonicNow: () => performance.now(),
    newId,
    newAppId: () => randomBytes(7).toString("hex").slice(0, 13),
    newSecret: () => randomBytes(16).toString("hex"),
    publicUrl: options.publicUrl,
    sendHook: createHttpsHookSender({ allowPrivate: options.privateHooks }),
    fetchFeed: createHttpsFeedSource({ allowPrivate: options.privateFeeds }),
    senderLimit: spread?.limit ?? options.senderLimit,
    linkLimits: options.linkLimits,
    farStore: isFar ? farStore(options.answerMs) : undefined,
    metrics: options.metrics,
    tracer: options.tracer,
    report: options.report,
  });
  const liveTimer = setInterval(() => void aisle.refreshLive().catch(() => undefined), LIVE_MS).unref();
  return {
    aisle,
    /** Milliseconds in which a call of the facade is answered; undefined when they are not counted. */
    callMs: isFar ? Math.max(CALL_MS, 2 * options.answerMs) : undefined,
    /** Resolves when the store is there; undefined when it was at once. */
    opening,
    ready: () => (isFar ? readiness.wait(() => store.ready()) : store.ready()),
    /** Ends trainings and evaluations under way. */
    stopTraining: () => training.stop(),
    async close(): Promise<void> {
      clearInterval(liveTimer);
      aisle.close();
      await spread?.stop();
      await store.close();
    },
  };
}

/** The limit of backend senders over all processes that share the store. */
function spreadLimit(board: TallyBoard, newId: () => string): { readonly limit: SenderLimit; stop(): Promise<void> } {
  const holder = newId();
  const spread = createSpreadLimit({
    board,
    holder,
    newCount: newId,
    monotonicNow: () => performance.now(),
    wake: () => void setImmediate(() => exchange()),
  });
  let running: Promise<void> | undefined;
  const exchange = () => {
    running ??= spread
      .exchange()
      .catch(() => undefined) // the process goes on with the share it has; the next exchange makes up for it
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(exchange, EXCHANGE_MS).unref();
  return {
    limit: spread.limit,
    async stop() {
      clearInterval(timer);
      await running;
      await board.leave(holder).catch(() => undefined); // others take it off after a while
    },
  };
}
