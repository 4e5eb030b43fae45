import { withCopies } from "./app-copies.js";
import { stageSpans } from "./app-spans.js";
import { createCatalogViews } from "./catalog/catalog-view.js";
import { createHideUnlisted } from "./catalog/hide-unlisted.js";
import { learnProducts } from "./catalog/learn-products.js";
import { createLoadAhead } from "./catalog/load-ahead.js";
import { createProductGroups } from "./catalog/product-groups.js";
import { createDeleteProduct, createUpsertProducts } from "./catalog/write-products.js";
import type { Now } from "./domain/clock.js";
import { doorsOf } from "./doors.js";
import { createEvaluator, type RunEvaluation } from "./evaluation/evaluator.js";
import type { FetchFeed } from "./feed/fetch-feed.js";
import { createReadFeeds } from "./feeds/read-feeds.js";
import { createFeedSettings } from "./feeds/settings.js";
import { keepHistory } from "./intake/history.js";
import { keepOrderBook } from "./intake/order-book.js";
import { createRecordEvent, createTakeEvent } from "./intake/record-event.js";
import { createRecordEvents } from "./intake/record-events.js";
import { createRejectedEvents } from "./intake/rejected-events.js";
import { createReplayRejectedEvent } from "./intake/replay-rejected-event.js";
import { createSenderLimit, type SenderLimit } from "./intake/sender-limit.js";
import { createRecordSentEvent } from "./intake/without-profile.js";
import { createMailing, type MailingOptions } from "./mailing.js";
import { createModelRegistry } from "./model/registry.js";
import { loadBesideServing } from "./model/serving-model.js";
import { createPatience, type FarStore } from "./patience.js";
import type { Copies } from "./ports/copies.js";
import type { Metrics } from "./ports/metrics.js";
import type { Store } from "./ports/store.js";
import type { Tracer } from "./ports/tracer.js";
import type { VectorIndexes } from "./ports/vector-index.js";
import { createErasures } from "./privacy/erasures.js";
import { createSweepRetention } from "./privacy/retention.js";
import { createAnswerVisitor, firstVersion } from "./recommend/answer-visitor.js";
import { createFrameCounts } from "./recommend/frame-counts.js";
import { createFrameReporter } from "./recommend/frame-report.js";
import { createLiveLayer } from "./recommend/live-layer.js";
import { createRecommender } from "./recommend/recommend.js";
import { createAppService } from "./services/app-service.js";
import { createCatalogService } from "./services/catalog-service.js";
import type { ReportInternal } from "./services/errors.js";
import { createEventService } from "./services/event-service.js";
import { createHookService } from "./services/hook-service.js";
import { createModelService } from "./services/model-service.js";
import { createPrivacyService } from "./services/privacy-service.js";
import { createRecommendationService } from "./services/recommendation-service.js";
import { createSubscriptionService } from "./services/subscription-service.js";
import { createApplySubscription } from "./subscription/apply-event.js";
import { createIdentify } from "./subscription/identify.js";
import { createImportContacts } from "./subscription/import-contacts.js";
import { createJoinVisitors } from "./subscription/join-visitors.js";
import { LINK_LIMITS, type LinkLimits } from "./subscription/link-limits.js";
import { createSetSubscription } from "./subscription/set-subscription.js";
import { createGetStatus } from "./subscription/status.js";
import { createVerifyLedger } from "./subscription/verify-ledger.js";
import { createTrainer, type RunTraining } from "./training/trainer.js";

export interface AppDependencies extends MailingOptions {
  readonly store: Store;
  readonly vectorIndexes: VectorIndexes;
  readonly runTraining: RunTraining;
  readonly runEvaluation: RunEvaluation;
  readonly now: Now;
  /** Milliseconds that never go back. */
  readonly monotonicNow: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newId: () => string;
  /** 13 hex characters. */
  readonly newAppId: () => string;
  /** 32 hex digits that nobody can guess. */
  readonly newSecret: () => string;
  readonly fetchFeed?: FetchFeed | undefined;
  /** Of backend senders, where several processes share one limit. Else it is kept in this process. */
  readonly senderLimit?: SenderLimit | undefined;
  /** Of a store that is some way off: how long its answers are waited for. Nothing, for one that is near. */
  readonly farStore?: FarStore | undefined;
  /** What anybody may link in a day; `LINK_LIMITS` when not given. */
  readonly linkLimits?: LinkLimits | undefined;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  readonly report: ReportInternal;
}

/** Nobody waits for a store that has answered nobody for this long after the last who did. */
const REST_MS = 1000;

export type Aisle = ReturnType<typeof createAisle>;

/** Wires stages, services and clients over a store. Nothing listens yet, and nothing runs by itself. */
export function createAisle(deps: AppDependencies) {
  const { store, now, newId, metrics, report } = deps;
  const { events, visitors, interactions, contacts, products, models } = store;
  const spans = stageSpans(deps.tracer);
  const unitOfWork = spans.unitOfWork(store.unitOfWork);
  const { farStore, monotonicNow } = deps;
  const patience = (waitMs: number) => createPatience({ waitMs, restMs: REST_MS, monotonicNow });
  const apps =
    farStore === undefined
      ? store.apps
      : withCopies(store.apps, { patience: patience(farStore.settingsMs), monotonicNow, metrics });

  const catalogViews = createCatalogViews(products);
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
    publish: registry.publish,
    now,
    newModelId: newId,
    newLeaseHolder: newId,
  });

  const take = createTakeEvent({
    identify: createIdentify({ limits: deps.linkLimits ?? LINK_LIMITS, newSecret: deps.newSecret }),
    effects: [createApplySubscription(deps.newSecret), learnProducts, keepHistory, keepOrderBook],
  });
  const rejecting = createRejectedEvents({ apps, unitOfWork, now, monotonicNow, metrics });
  const frameCounts = createFrameCounts({ apps: store.apps, unitOfWork, now, metrics });
  const recordEvent = createRecordEvent({
    apps,
    unitOfWork,
    acts: frameCounts,
    take,
    rejectedEvents: rejecting,
    senderLimit: deps.senderLimit ?? createSenderLimit(monotonicNow),
    answerMs: farStore?.answerMs,
    now,
    newEventId: newId,
    metrics,
  });
  const recordEvents = createRecordEvents({
    apps,
    unitOfWork,
    acts: frameCounts,
    take,
    rejectedEvents: rejecting,
    now,
    newEventId: newId,
    metrics,
  });
  const liveLayer = createLiveLayer({ events });
  const answer = createAnswerVisitor({
    apps,
    visitors,
    interactions,
    joinVisitors: createJoinVisitors({ visitors, unitOfWork, now, newId }),
    ...spans.wait("recommend history", farStore && patience(farStore.historyMs).wait),
    liveOf: liveLayer.of,
    catalogOf: spans.around("recommend catalogue", catalogViews.of),
    modelOf: spans.around("recommend model", async (appId: string) => {
      const serving = await registry.current(appId);
      return serving && { model: serving.model, version: serving.pointer.version };
    }),
    recommend: spans.around("recommend rank", createRecommender({ metrics })),
    shown: frameCounts.shown,
    now,
    metrics,
  });

  // A store that is not open yet has no copies to take out of it.
  const copies: Pick<Copies, "scan"> = {
    scan: async (appId, table, after, limit) => store.copies.scan(appId, table, after, limit),
  };
  const erasures = createErasures({
    apps: store.apps,
    visitors,
    contacts,
    copies,
    unitOfWork,
    scrub: store.scrub,
    settled: async () => {
      await Promise.all([rejecting.settled(), frameCounts.flush(true)]);
    },
    now,
    newId,
    metrics,
  });
  const mailing = createMailing({ ...deps, hookStore: store.hooks, unitOfWork });

  const getStatus = createGetStatus({ apps, visitors, contacts });
  const { wait: inTime } = patience(farStore?.answerMs ?? 0);

  const services = {
    events: createEventService({
      recordEvent: spans.around("intake record", createRecordSentEvent({ recordEvent, apps, metrics })),
      recordEvents: spans.around("intake record batch", recordEvents),
      apps,
      events,
      rejectedEvents: store.rejectedEvents,
      rejecting,
      replayRejectedEvent: createReplayRejectedEvent({ unitOfWork, take, now, newEventId: newId, metrics }),
      report,
    }),
    subscriptions: createSubscriptionService({
      getStatus: farStore === undefined ? getStatus : (...asked) => inTime(() => getStatus(...asked)),
      setSubscription: createSetSubscription({ unitOfWork, now, newId, newSalt: deps.newSecret }),
      verifyLedger: createVerifyLedger({ apps, contacts, copies }),
      importContacts: createImportContacts({ unitOfWork, now, newId, newSalt: deps.newSecret }),
      apps,
      contacts,
      links: mailing.links,
      linkUrl: mailing.linkUrl,
      report,
    }),
    hooks: createHookService({ hooks: mailing.hooks, kept: store.hooks, apps, report }),
    recommendations: createRecommendationService({ answer, newRequestId: newId, report }),
    catalog: createCatalogService({
      upsertProducts: createUpsertProducts({ unitOfWork, now }),
      deleteProduct: createDeleteProduct({ unitOfWork, now }),
      hideUnlisted: createHideUnlisted({ products, unitOfWork, now }),
      feeds: createFeedSettings({ feeds: store.feeds, unitOfWork, now }),
      now,
      apps,
      products,
      groups: createProductGroups({ apps, now }),
      hasTitles: async (appId) => (await catalogViews.of(appId)).hasTitles,
      report,
    }),
    apps: createAppService({
      apps,
      now,
      newAppId: deps.newAppId,
      frameReport: createFrameReporter({ apps, copies }),
      onDeleted: (appId) => {
        catalogViews.forget(appId);
        registry.forget(appId);
        liveLayer.forget(appId);
      },
      report,
    }),
    models: createModelService({
      trainer,
      evaluate: createEvaluator({ apps, runEvaluation: deps.runEvaluation }),
      apps,
      models,
      activate: registry.activate,
      report,
    }),
    privacy: createPrivacyService({ visitors, contacts, copies, erasures, apps, now, report }),
  };

  const doors = doorsOf(services);
  const { catalog } = doors.clients;
  return {
    ...doors,
    trainer,
    /** Goes on with erasures that a process has left; see `Erasures.resume`. */
    resumeErasures: erasures.resume,
    /** Removes what apps keep no longer. */
    sweepRetention: createSweepRetention({ apps: store.apps, copies, unitOfWork, scrub: store.scrub, now, metrics }),
    /** Sends the messages to hooks that are due. */
    deliverHooks: mailing.deliverHooks,
    /** Takes in products and events that came after the trainings. */
    refreshLive: liveLayer.refresh,
    /** Writes what was counted of frames; with `all` also the newest of it. */
    writeFrameCounts: frameCounts.flush,
    /** Reads catalogues and models into memory before they are asked for. */
    loadAhead: createLoadAhead({ apps: store.apps, views: catalogViews, models: registry }),
    /** Reads the feeds that are due. */
    readFeeds: createReadFeeds({ ...deps, feeds: store.feeds, unitOfWork, catalog }),
    /** Takes note of models that other processes published. */
    lookForModels: registry.lookAgain,
    close(): void {
      catalogViews.close();
    },
  };
}
