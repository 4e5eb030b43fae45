import { randomBytes, randomUUID } from "node:crypto";
import { hnswIndexes } from "../adapters/hnsw/vector-indexes.js";
import { createHttpsFeedSource } from "../adapters/http/https-feed-source.js";
import { createHttpsHookSender } from "../adapters/http/https-hook-sender.js";
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Tracer } from "../adapters/tracer.js";
import type { LearnProducts } from "../catalog/learn-products.js";
import type { Clock, Now } from "../domain/clock.js";
import { createSeal, type Seal, SecretKeyMissing } from "../domain/secret-encryption.js";
import { resealSecrets } from "../identity/hooks/reseal-secrets.js";
import type { LinkLimits } from "../identity/links/link-limits.js";
import { rekeyContacts } from "../identity/rekey-contacts.js";
import { createReplicaSenderLimit, EXCHANGE_MS } from "../intake/replica-sender-limit.js";
import type { SenderLimit } from "../intake/sender-limit.js";
import type { ReportInternal } from "../services/errors/errors.js";
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
 * Timeouts of a MongoDB store, in milliseconds. The events of a batch are many and take their turn, so its operations
 * may be long. Callers that wait for one answer have shorter timeouts (`remoteStore`).
 */
const QUESTION_MS = 5_000;
const WORK_MS = 30_000;
const READY_MS = 900;
/** Maximum wait for the first load of a catalogue or model, ms. The load itself continues. */
const CALL_MS = 3_000;

/** Interval for reading products and events newer than the model, ms. */
const LIVE_MS = 1000;

/** A sender may wait for a fresh copy of its app and then for its event: together within a second by default. */
export function remoteStore(answerMs: number): RemoteStore {
  return { answerMs, historyMs: answerMs / 2, settingsMs: answerMs / 4 };
}

interface LocalServicesOptions {
  readonly store: StoreLocation;
  readonly clock: Clock;
  /** See `Config.answerMs`. */
  readonly answerMs: number;
  /** See `Config.minFreeBytes`. */
  readonly minFreeBytes: number;
  /** See `Config.memoryBytes`. */
  readonly memoryBytes: number;
  /** See `Config.secretKeys`. */
  readonly secretKeys: SecretKeys;
  readonly embedder: EmbedderLocation;
  /** See `Config.learnedOrder`. */
  readonly learnedOrder: boolean;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly report: ReportInternal;
  readonly reportFailure: ReportFailure;
  /** Called with the table name of each damaged value. */
  readonly onDamage: (table: string) => void;
  /** Called once, when the store stopped accepting writes: another process must open it anew. */
  readonly latched: (cause: unknown) => void;
  /** For an embedded store: opens only the one with this id, and creates none. */
  readonly expectedStoreId: string | undefined;
  /** Called with a line for each step of opening the store. */
  readonly log: (line: string) => void;
  /** Called with the reason why the store cannot be reached yet; its calls fail until it can. */
  readonly away: (line: string) => void;
  /** Called with a warning for the operator. */
  readonly warn: (line: string) => void;
  readonly learnProducts: LearnProducts;
  readonly linkLimits: LinkLimits;
  /** Public address of links in mails; undefined when unknown. */
  readonly publicUrl: string | undefined;
  /** See `Config.privateHooks`. */
  readonly privateHooks: boolean;
  /** See `Config.privateFeeds`. */
  readonly privateFeeds: boolean;
}

const newSecret = () => randomBytes(16).toString("hex");

/** The services in this process, over a store that is opened here. */
export async function openLocalServices(options: LocalServicesOptions) {
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
  const prepare = async (): Promise<void> => {
    await sealSecrets(store, seal, options);
    await rekeyStoredContacts(store, { now, newId }, options);
  };
  const opening = found?.then(prepare);
  opening?.catch(() => undefined); // everyone who waits for it gets the error
  if (opening === undefined) await prepare();
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
    newSecret,
    publicUrl: options.publicUrl,
    sendHook: createHttpsHookSender({ allowPrivate: options.privateHooks }),
    seal,
    fetchFeed: createHttpsFeedSource({ allowPrivate: options.privateFeeds }),
    senderLimit: spread?.limit,
    learnProducts: options.learnProducts,
    memoryBytes: options.memoryBytes,
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
    /** Time limit of the facade's calls in milliseconds; undefined without one. */
    callMs: isFar ? Math.max(CALL_MS, 2 * options.answerMs) : undefined,
    /** Resolves when the store is open; undefined when it was open at once. */
    opening,
    ready: () => (isFar ? readiness.wait(() => store.ready()) : store.ready()),
    /** For an embedded store that is open. */
    storeId: () => (isFar ? undefined : store.copies.storeId),
    /** Stops running trainings and evaluations. */
    stopTraining: () => training.stop(),
    async close(): Promise<void> {
      stopLive();
      aisle.close();
      await spread?.stop();
      await store.close();
    },
  };
}

/**
 * Encrypts secrets that are in plain text or under the previous key. Without the key it closes the store and rejects
 * with StoreNotOpened.
 */
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

/** Brings the keys of contacts into the form of this version, in a store of an earlier one. */
async function rekeyStoredContacts(
  { apps, copies, unitOfWork }: Store,
  sources: { readonly now: Now; readonly newId: () => string },
  { log }: { readonly log: (line: string) => void },
): Promise<void> {
  const contacts = await rekeyContacts({ apps, copies, unitOfWork, ...sources, newSalt: newSecret });
  if (contacts > 0)
    log(`${contacts} ${contacts === 1 ? "contact is" : "contacts are"} found by today's keys of addresses`);
}

/** Refreshes data newer than the model until it is stopped. */
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
      .catch((error: unknown) => reportFailure("sender_limit", error)) // the process continues with its share; the next exchange compensates
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
      await board.leave(holder).catch((error: unknown) => reportFailure("sender_limit", error)); // others remove it after a while
    },
  };
}
