import { randomBytes, randomUUID } from "node:crypto";
import { hnswIndexes } from "../adapters/hnsw/vector-indexes.js";
import { createHttpsFeedSource } from "../adapters/http/https-feed-source.js";
import { createHttpsHookSender } from "../adapters/http/https-hook-sender.js";
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Tracer } from "../adapters/tracer.js";
import type { LearnProducts } from "../catalog/learn-products.js";
import type { Clock } from "../domain/clock.js";
import { createSeal, type Seal, SecretKeyMissing } from "../domain/secret-encryption.js";
import { resealSecrets } from "../identity/hooks/reseal-secrets.js";
import type { LinkLimits } from "../identity/links/link-limits.js";
import { createReplicaSenderLimit, EXCHANGE_MS } from "../intake/replica-sender-limit.js";
import type { SenderLimit } from "../intake/sender-limit.js";
import type { ReportInternal } from "../services/wire/errors.js";
import type { Store } from "../store/ports/store.js";
import type { TallyBoard } from "../store/ports/tally-board.js";
import { createAisle } from "./app.js";
import { openStoreWhenThere, type StoreLocation, StoreNotOpened } from "./open-store.js";
import type { EmbedderLocation } from "./settings/embedder-location.js";
import type { SecretKeys } from "./settings/secret-keys.js";
import { createCircuitBreaker, type RemoteStore } from "./store-circuit-breaker.js";
import { createThreadTraining } from "./training-thread.js";
import { createUuids } from "./uuids.js";

/**
 * Times of a MongoDB store, in milliseconds. Events of a batch are many at once and take their turn, so questions and works
 * may be long; those who wait for one answer do not wait for that (`remoteStore`).
 */
const QUESTION_MS = 5_000;
const WORK_MS = 30_000;
const READY_MS = 900;
/** Longest wait for the first reading of a catalogue or model, ms. The reading itself goes on. */
const CALL_MS = 3_000;

/** How often products and events newer than the model are read, ms. */
const LIVE_MS = 500;

/** A sender may wait for a fresh copy of its app and then for its event: within a second by default. */
export function remoteStore(answerMs: number): RemoteStore {
  return { answerMs, historyMs: answerMs / 2, settingsMs: answerMs / 4 };
}

/** The services in this process, over a store that is opened here. */
export async function openLocalServices(options: {
  readonly store: StoreLocation;
  readonly clock: Clock;
  /** See `Config.answerMs`. */
  readonly answerMs: number;
  /** See `Config.minFreeBytes`. */
  readonly minFreeBytes: number;
  /** See `Config.secretKeys`. */
  readonly secretKeys: SecretKeys;
  readonly embedder: EmbedderLocation;
  /** See `Config.learnedOrder`. */
  readonly learnedOrder: boolean;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly report: ReportInternal;
  readonly reportFailure: ReportFailure;
  /** Told of each damaged value that was met, by the name of its table. */
  readonly onDamage: (table: string) => void;
  /** Told once, when the store stopped accepting writes and must be opened anew, by another process. */
  readonly latched: (cause: unknown) => void;
  /** Of an embedded store: only the one with this id is opened, and none is made. */
  readonly expectedStoreId: string | undefined;
  /** Told in one line each what was found and done while the store was opened. */
  readonly log: (line: string) => void;
  /** Told why the store cannot be reached yet; its calls fail until it can. */
  readonly away: (line: string) => void;
  /** Told in one line what an operator should know and nothing failed of. */
  readonly warn: (line: string) => void;
  readonly senderLimit: SenderLimit | undefined;
  readonly learnProducts: LearnProducts;
  readonly linkLimits: LinkLimits;
  /** Where links in mails lead; undefined where that is not known. */
  readonly publicUrl: string | undefined;
  /** See `Config.privateHooks`. */
  readonly privateHooks: boolean;
  /** See `Config.privateFeeds`. */
  readonly privateFeeds: boolean;
}) {
  const { clock, reportFailure } = options;
  const { now, monotonicNow } = clock;
  const newId = createUuids({ now: clock.idNow, randomUuid: randomUUID });
  const { store, opening: found } = await openStoreWhenThere(options.store, {
    now,
    clock,
    newId,
    metrics: options.metrics,
    reportFailure,
    onDamage: options.onDamage,
    onLatched: options.latched,
    log: options.log,
    away: options.away,
    answerMs: QUESTION_MS,
    workMs: WORK_MS,
    minFreeBytes: options.minFreeBytes,
    ...(options.expectedStoreId !== undefined && { expectedId: options.expectedStoreId }),
  });
  const seal = createSeal(options.secretKeys.current, options.secretKeys.previous);
  const opening = found?.then(() => sealSecrets(store, seal, options));
  opening?.catch(() => undefined); // whoever waits for it learns of it
  if (opening === undefined) await sealSecrets(store, seal, options);
  const isFar = options.store.kind === "mongo";
  const readiness = createCircuitBreaker({ waitMs: READY_MS, restMs: 0, monotonicNow });
  const spread = store.tallies && replicaSenderLimit(store.tallies, newId, reportFailure);
  const training = createThreadTraining(options, options.warn);
  const aisle = createAisle({
    store,
    vectorIndexes: hnswIndexes(),
    runTraining: training.run,
    runEvaluation: training.evaluate,
    now,
    settledNow: clock.settledNow,
    monotonicNow,
    newId,
    newAppId: () => randomBytes(7).toString("hex").slice(0, 13),
    newSecret: () => randomBytes(16).toString("hex"),
    publicUrl: options.publicUrl,
    sendHook: createHttpsHookSender({ allowPrivate: options.privateHooks }),
    seal,
    fetchFeed: createHttpsFeedSource({ allowPrivate: options.privateFeeds }),
    senderLimit: spread?.limit ?? options.senderLimit,
    learnProducts: options.learnProducts,
    linkLimits: options.linkLimits,
    remoteStore: isFar ? remoteStore(options.answerMs) : undefined,
    metrics: options.metrics,
    tracer: options.tracer,
    report: options.report,
    reportFailure,
    warn: options.warn,
  });
  const stopLive = refreshLiveOften(aisle, reportFailure);
  return {
    aisle,
    /** Milliseconds in which a call of the facade is answered; undefined when they are not counted. */
    callMs: isFar ? Math.max(CALL_MS, 2 * options.answerMs) : undefined,
    /** Resolves when the store is there; undefined when it was at once. */
    opening,
    ready: () => (isFar ? readiness.wait(() => store.ready()) : store.ready()),
    /** Of an embedded store that is there. */
    storeId: () => (isFar ? undefined : store.copies.storeId),
    /** Ends trainings and evaluations under way. */
    stopTraining: () => training.stop(),
    async close(): Promise<void> {
      stopLive();
      aisle.close();
      await spread?.stop();
      await store.close();
    },
  };
}

/** Seals what lies in the store plainly or under the previous key. Rejects with StoreNotOpened, and the store closed, without the key. */
export async function sealSecrets(
  store: Store,
  seal: Seal,
  { log, reportFailure }: { readonly log: (line: string) => void; readonly reportFailure: ReportFailure },
): Promise<void> {
  try {
    const apps = await resealSecrets({ kept: store.hooks, unitOfWork: store.unitOfWork, seal });
    if (apps > 0) log(`The secrets of ${apps} ${apps === 1 ? "app were" : "apps were"} encrypted with the current key`);
  } catch (cause) {
    if (!(cause instanceof SecretKeyMissing)) return reportFailure("secrets", cause); // the next start tries again
    await store.close();
    throw new StoreNotOpened(`AISLE_SECRET_KEY: ${cause.message}`, 2, false, { cause });
  }
}

/** Refreshes what came after a training until it is stopped. */
export function refreshLiveOften(
  { refreshLive }: { refreshLive(): Promise<void> },
  reportFailure: ReportFailure,
): () => void {
  const refresh = () => refreshLive().catch((error: unknown) => reportFailure("live_refresh", error));
  const timer = setInterval(() => void refresh(), LIVE_MS).unref();
  return () => clearInterval(timer);
}

/** The limit of backend senders over all processes that share the store. */
export function replicaSenderLimit(
  board: TallyBoard,
  newId: () => string,
  reportFailure: ReportFailure,
): { readonly limit: SenderLimit; stop(): Promise<void> } {
  const holder = newId();
  const spread = createReplicaSenderLimit({
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
      .catch((error: unknown) => reportFailure("sender_limit", error)) // the process goes on with the share it has; the next exchange makes up for it
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
      await board.leave(holder).catch((error: unknown) => reportFailure("sender_limit", error)); // others take it off after a while
    },
  };
}
