import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Tracer } from "../adapters/tracer.js";
import type { VectorIndexes } from "../adapters/vector-index.js";
import { createCatalogViews } from "../catalog/catalog-view.js";
import type { FetchFeed } from "../catalog/feed/fetch-feed.js";
import type { LearnProducts } from "../catalog/learn-products.js";
import { createKnownProductCounts } from "../catalog/unknown-products.js";
import type { Now } from "../domain/clock.js";
import { createSeal, type Seal } from "../domain/secret-encryption.js";
import { createJoinVisitors } from "../identity/join-visitors.js";
import type { LinkLimits } from "../identity/links/link-limits.js";
import { createErasures } from "../identity/privacy/erasure.js";
import { createGetStatus } from "../identity/subscription-status.js";
import { createSuppressions } from "../identity/suppressions.js";
import type { ConcurrencyLimits } from "../intake/admission.js";
import { createRecordEvent, type TakeEvent } from "../intake/record-event.js";
import { createRecordEvents } from "../intake/record-events.js";
import { createRejectedEvents } from "../intake/rejected-events.js";
import { createReplayRejectedEvent } from "../intake/replay-rejected-event.js";
import { createSenderLimit, type SenderLimit } from "../intake/sender-limit.js";
import { createSignedEvents } from "../intake/signed-events.js";
import type { RunEvaluation } from "../learning/evaluation/evaluator.js";
import { createModelRegistry } from "../learning/snapshot/registry.js";
import { loadBesideServing } from "../learning/snapshot/serving-model.js";
import { createAutomaticTraining } from "../learning/training/automatic-training.js";
import { createTrainer, type RunTraining } from "../learning/training/trainer.js";
import { createOperations } from "../operations/operations.js";
import { createAnswerVisitor, firstVersion } from "../recommend/answer-visitor.js";
import { createFindProducts } from "../recommend/find-products.js";
import { createCountedPopularity } from "../recommend/gather/counted-popularity.js";
import { createLiveLayer } from "../recommend/products/new-product-watch.js";
import { createRecommender } from "../recommend/recommend.js";
import { createFrameResults } from "../results/frame-results.js";
import { erasureResult } from "../services/erasure-messages.js";
import type { ReportInternal } from "../services/errors/errors.js";
import { faultOf } from "../services/operation-messages.js";
import type { Copies } from "../store/ports/copies.js";
import type { Store } from "../store/ports/store.js";
import { rolledBack } from "../store/rolled-back.js";
import { admissionTo } from "./admission.js";
import { withCachedApps } from "./cached-apps.js";
import { createEventTaker } from "./event-effects.js";
import { createMailing, type MailingOptions } from "./mailing.js";
import { stageSpans } from "./stage-spans.js";
import { createCircuitBreaker, type RemoteStore } from "./store-circuit-breaker.js";

export interface AppDependencies extends MailingOptions {
  readonly store: Store;
  readonly vectorIndexes: VectorIndexes;
  readonly runTraining: RunTraining;
  readonly runEvaluation: RunEvaluation;
  readonly now: Now;
  /** The time for deletions by age; see `Clock.settledNow`. */
  readonly settledNow?: Now;
  /** Milliseconds that never go back. */
  readonly monotonicNow: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newId: () => string;
  /** 13 hex characters. */
  readonly newAppId: () => string;
  /** Returns 32 random hex digits. */
  readonly newSecret: () => string;
  /** Encrypts stored secrets. Default: plain text. */
  readonly seal?: Seal | undefined;
  readonly fetchFeed?: FetchFeed | undefined;
  /** The limit of backend senders shared by several processes. Default: one in this process. */
  readonly senderLimit?: SenderLimit | undefined;
  /** Timeout of a remote store; undefined for a store in this process. */
  readonly remoteStore?: RemoteStore | undefined;
  /** Called with a line about overload. */
  readonly warn?: ((line: string) => void) | undefined;
  /** Maximum events in flight in the store. Default: by its distance. */
  readonly inFlight?: ConcurrencyLimits | undefined;
  /** Maximum links in a day. Default: `LINK_LIMITS`. */
  readonly linkLimits?: LinkLimits | undefined;
  /** Estimated bytes of catalogues and models in memory. Default: no limit. */
  readonly memoryBytes?: number | undefined;
  /** Whether events add products to the catalogue. Default: `auto`. */
  readonly learnProducts?: LearnProducts | undefined;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  readonly report: ReportInternal;
  /** Called with errors after which a call continues without the failed part. */
  readonly reportFailure: ReportFailure;
}

/** Pause of the circuit breaker after a store answered no read: reads fail at once. */
const REST_MS = 1000;

type Stores = ReturnType<typeof wireStores>;
type Learning = ReturnType<typeof wireLearning>;
type Intake = ReturnType<typeof wireIntake>;
type Recommending = ReturnType<typeof wireRecommending>;
type Identity = ReturnType<typeof wireIdentity>;
/** The dependencies of the services. */
export type Stages = Stores & Learning & Intake & Recommending & Identity;

/** The store for the stages: with spans, a limit on works in flight, and cached apps of a remote store. */
export function wireStores(deps: AppDependencies) {
  const { store, remoteStore, monotonicNow, metrics } = deps;
  const spans = stageSpans(deps.tracer);
  const { admission, unitOfWork } = admissionTo(spans.unitOfWork(store.unitOfWork), remoteStore?.answerMs, deps);
  const patience = (waitMs: number) => createCircuitBreaker({ waitMs, restMs: REST_MS, monotonicNow });
  const tried = rolledBack(unitOfWork);
  const { apps, changes } =
    remoteStore === undefined
      ? { apps: store.apps, changes: unitOfWork }
      : withCachedApps(store.apps, unitOfWork, { patience: patience(remoteStore.settingsMs), monotonicNow, metrics });
  // A store that is not open yet has no stale copies.
  const copies: Pick<Copies, "scan"> = {
    scan: async (appId, table, after, limit) => store.copies.scan(appId, table, after, limit),
  };
  const catalogViews = createCatalogViews(store.products, deps.now);
  const seal = deps.seal ?? createSeal(undefined);
  const suppressions = createSuppressions({ seal });
  return { spans, admission, unitOfWork, tried, patience, apps, changes, copies, catalogViews, seal, suppressions };
}

/** Models: training, publication and reading. */
export function wireLearning(deps: AppDependencies, { apps, spans, unitOfWork }: Stores) {
  const { store, now, newId, metrics } = deps;
  const { models } = store;
  const registry = createModelRegistry({
    models,
    load: (modelId, bytes) =>
      loadBesideServing(modelId, bytes, deps.vectorIndexes, () => metrics.count("models_read_in_part")),
    now,
    firstVersionOf: async (appId) => {
      const app = await apps.get(appId);
      return app === undefined ? "" : firstVersion(app);
    },
  });
  const trainer = createTrainer({
    apps,
    models,
    leases: store.leases,
    runTraining: spans.training(deps.runTraining),
    publish: async (appId, record, ...rest) => {
      const pointer = await registry.publish(appId, record, ...rest);
      metrics.count("trainings", { reason: record.reason });
      return pointer;
    },
    now,
    newModelId: newId,
    newLeaseHolder: newId,
  });
  const automaticTraining = createAutomaticTraining({
    apps,
    models,
    events: store.events,
    productCounts: (appId) => unitOfWork.run(appId, (tx) => tx.productCounts),
    trainIfPossible: trainer.trainIfPossible,
    now,
  });
  return { registry, trainer, automaticTraining };
}

/** Events: single and bulk recording, and rejected ones. */
export function wireIntake(deps: AppDependencies, stores: Stores) {
  const { apps, unitOfWork, admission, catalogViews } = stores;
  const { store, now, newId, metrics, reportFailure, monotonicNow } = deps;
  const frameResults = createFrameResults({
    apps: store.apps,
    visitors: store.visitors,
    copies: stores.copies,
    unitOfWork,
    now,
    metrics,
    reportFailure,
  });
  const take = createEventTaker({ ...deps, suppressions: stores.suppressions, splits: frameResults.splits });
  const rejecting = createRejectedEvents({ apps, unitOfWork, now, monotonicNow, metrics, reportFailure });
  const recording = {
    apps,
    unitOfWork,
    listeners: [frameResults, createKnownProductCounts(catalogViews, metrics)],
    take,
    rejectedEvents: rejecting,
    now,
    newEventId: newId,
    metrics,
  };
  const recordEvent = createRecordEvent({
    ...recording,
    senderLimit: deps.senderLimit ?? createSenderLimit(monotonicNow),
    admission,
    answerMs: deps.remoteStore?.answerMs,
  });
  return {
    take,
    rejecting,
    frameResults,
    recordEvent,
    recordEvents: createRecordEvents(recording),
    triedRecording: wireTriedRecording(deps, stores, take),
  };
}

/** Recording that changes nothing: neither records nor metrics, limits and the log of rejected events. */
function wireTriedRecording({ now, monotonicNow, newId }: AppDependencies, { apps, tried }: Stores, take: TakeEvent) {
  const recording = {
    apps,
    unitOfWork: tried,
    take,
    rejectedEvents: { keep: () => undefined },
    now,
    newEventId: newId,
    metrics: { count: () => undefined, observe: () => undefined },
  };
  return {
    recordEvent: createRecordEvent({ ...recording, senderLimit: createSenderLimit(monotonicNow) }),
    recordEvents: createRecordEvents(recording),
    replayRejectedEvent: createReplayRejectedEvent(recording),
  };
}

/** Answers to visitors, from the catalogue, the model and what is newer than it. */
export function wireRecommending(
  deps: AppDependencies,
  { apps, unitOfWork, catalogViews, spans, patience }: Stores,
  { registry }: Learning,
  { frameResults }: Intake,
) {
  const { store, now, newId, metrics, reportFailure, remoteStore } = deps;
  const { visitors, interactions } = store;
  const liveLayer = createLiveLayer({ events: store.events, reportFailure });
  const countedPopularity = createCountedPopularity({ events: store.events, now, reportFailure });
  const modelOf = spans.around("recommend model", async (appId: string) => {
    const serving = await registry.current(appId);
    return serving && { model: serving.model, version: serving.pointer.version };
  });
  const answer = createAnswerVisitor({
    apps,
    visitors,
    contacts: store.contacts,
    interactions,
    joinVisitors: createJoinVisitors({ visitors, unitOfWork, now, newId }),
    ...spans.wait("recommend history", remoteStore && patience(remoteStore.historyMs).wait),
    liveOf: liveLayer.of,
    catalogOf: spans.around("recommend catalogue", catalogViews.of),
    modelOf,
    countedOf: countedPopularity.of,
    random: Math.random,
    recommend: spans.around("recommend rank", createRecommender({ metrics, reportFailure })),
    newRequestId: newId,
    shown: frameResults.shown,
    shownTo: frameResults.shownTo,
    now,
    metrics,
    reportFailure,
  });
  const findProducts = createFindProducts({ catalogOf: catalogViews.of, modelOf, liveOf: liveLayer.of, now });
  return { liveLayer, countedPopularity, answer, findProducts };
}

/** Persons: erasure, mailing, signed events and status. */
export function wireIdentity(
  deps: AppDependencies,
  { apps, unitOfWork, copies, patience, seal, suppressions }: Stores,
  { rejecting, frameResults }: Intake,
) {
  const { store, now, newId, metrics, remoteStore } = deps;
  const { visitors, contacts } = store;
  const erasures = createErasures({
    suppressions,
    newKey: () => deps.newSecret() + deps.newSecret(),
    apps: store.apps,
    visitors,
    contacts,
    events: store.events,
    rejectedEvents: store.rejectedEvents,
    copies,
    unitOfWork,
    scrub: store.scrub,
    settled: async (appId) => {
      await Promise.all([rejecting.settled(), frameResults.settle(appId)]);
    },
    resultOf: erasureResult,
    now,
    newId,
    metrics,
    reportFailure: deps.reportFailure,
  });
  const status = createGetStatus({ apps, visitors, contacts });
  const { wait: inTime } = patience(remoteStore?.answerMs ?? 0);
  const getStatus: typeof status = remoteStore === undefined ? status : (...asked) => inTime(() => status(...asked));
  return {
    operations: createOperations({ ...deps, stored: store.operations, copies, unitOfWork, faultOf }),
    erasures,
    getStatus,
    mailing: createMailing({ ...deps, seal, suppressions, hookStore: store.hooks, unitOfWork }),
    signedEvents: createSignedEvents({ ...deps, apps, kept: store.hooks, unitOfWork, seal }),
  };
}
