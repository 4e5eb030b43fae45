import { createFeedSettings } from "../catalog/feed/schedule/feed-settings.js";
import { createReadFeeds } from "../catalog/feed/schedule/read-feeds.js";
import { createHideUnlisted } from "../catalog/hide-unlisted.js";
import { createPreload } from "../catalog/preload.js";
import { createProductGroups } from "../catalog/product-groups.js";
import { sightingsOf } from "../catalog/unconfirmed-products.js";
import { createFindUnknownProducts } from "../catalog/unknown-products.js";
import { createUpdateProduct, createUpdateProducts } from "../catalog/update-products.js";
import { createDeleteProduct, createUpsertProducts } from "../catalog/write-products.js";
import { createImportContacts } from "../identity/import-contacts.js";
import { createVerifyLedger } from "../identity/ledger/verify-ledger.js";
import { createSweepRetention } from "../identity/privacy/retention.js";
import { createSetSubscription } from "../identity/set-subscription.js";
import { createSuppressAddresses } from "../identity/suppress-addresses.js";
import { createReplayRejectedEvent } from "../intake/replay-rejected-event.js";
import { createEvaluator } from "../learning/evaluation/evaluator.js";
import { createFrameReporter } from "../results/frame-report.js";
import { createWritePastResults } from "../results/past-results.js";
import { createAppService } from "../services/app-service.js";
import { createCatalogService } from "../services/catalog-service.js";
import { createEventService } from "../services/event-service.js";
import { feedRunResult } from "../services/feed-handlers.js";
import { createHookService } from "../services/hook-service.js";
import { createModelService } from "../services/model-service.js";
import { createMutations } from "../services/mutations.js";
import { createOperationService } from "../services/operation-service.js";
import { createPrivacyService } from "../services/privacy-service.js";
import { createRecommendationService } from "../services/recommendation-service.js";
import { createSubscriptionService } from "../services/subscription-service.js";
import { WatchLimit } from "../services/watch-limit.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import { createAppMemory } from "./app-memory.js";
import { endpointsOf } from "./service-endpoints.js";
import {
  type AppDependencies,
  type Stages,
  wireIdentity,
  wireIntake,
  wireLearning,
  wireRecommending,
  wireStores,
} from "./stages.js";

export type Aisle = ReturnType<typeof createAisle>;

/** Wires stages, services and clients over a store. Nothing listens yet, and no background task runs. */
export function createAisle(deps: AppDependencies) {
  const stores = wireStores(deps);
  const learning = wireLearning(deps, stores);
  const intake = wireIntake(deps, stores);
  const recommending = wireRecommending(deps, stores, learning, intake);
  const identity = wireIdentity(deps, stores, intake);
  /** Drops what is in memory of an app. */
  const forgetApp = (appId: string): void => {
    for (const held of [stores.catalogViews, learning.registry, recommending.liveLayer, recommending.countedPopularity])
      held.forget(appId);
  };
  /** Keeps the indexes of the catalogue where it can; false when all was dropped. */
  const letGoApp = (appId: string): boolean => {
    for (const held of [learning.registry, recommending.liveLayer, recommending.countedPopularity]) held.forget(appId);
    const isKept = stores.catalogViews.letGo(appId);
    if (!isKept) stores.catalogViews.forget(appId);
    return isKept;
  };
  const stages = { ...stores, ...learning, ...intake, ...recommending, ...identity, forgetApp, letGoApp };
  return withBackgroundWork(deps, endpointsOf(wireServices(deps, stages)), stages);
}

type WiredStages = Stages & {
  readonly forgetApp: (appId: string) => void;
  readonly letGoApp: (appId: string) => boolean;
};

function wireServices(deps: AppDependencies, stages: WiredStages) {
  const { store, now, newId, metrics, report } = deps;
  const { events, visitors, contacts, products, models } = store;
  const { apps, changes, copies, unitOfWork, spans, recordEvent, mailing, signedEvents, catalogViews } = stages;
  const { operations, suppressions } = stages;
  const watches = new WatchLimit(metrics);
  const hasTitles = async (appId: string) => (await catalogViews.of(appId)).hasTitles;
  const { tried } = stages;
  const mutation = createMutations({ changes, tried, seal: stages.seal, now, newId, report });
  const bulkWrites = (works: UnitOfWork) => ({
    upsertProducts: createUpsertProducts({ unitOfWork: works, now }),
    updateProducts: createUpdateProducts({ unitOfWork: works, now }),
    hideUnlisted: createHideUnlisted({ products, unitOfWork: works, now }),
  });
  const importing = (works: UnitOfWork) => ({
    importContacts: createImportContacts({ unitOfWork: works, now, newId, newSalt: deps.newSecret, suppressions }),
  });
  return {
    events: createEventService({
      now,
      recordEvent: spans.around("intake record", recordEvent),
      recordEvents: spans.around("intake record batch", stages.recordEvents),
      verifySignature: signedEvents.verify,
      apps,
      events,
      orders: store.orders,
      watches,
      rejectedEvents: store.rejectedEvents,
      rejecting: stages.rejecting,
      replayRejectedEvent: createReplayRejectedEvent({
        unitOfWork,
        take: stages.take,
        now,
        newEventId: newId,
        metrics,
      }),
      tried: stages.triedRecording,
      mutation,
      report,
    }),
    subscriptions: createSubscriptionService({
      getStatus: stages.getStatus,
      setSubscription: createSetSubscription({ unitOfWork, now, newId, newSalt: deps.newSecret, suppressions }),
      suppressAddresses: createSuppressAddresses({
        unitOfWork,
        suppressions,
        now,
        newId,
        newSalt: deps.newSecret,
        newKey: () => deps.newSecret() + deps.newSecret(),
      }),
      verifyLedger: createVerifyLedger({ apps, contacts, copies }),
      ...importing(unitOfWork),
      tried: importing(tried),
      apps,
      contacts,
      copies,
      visitors: store.visitors,
      watches,
      links: mailing.links,
      linkUrl: mailing.linkUrl,
      mutation,
      report,
    }),
    hooks: createHookService({ hooks: mailing.hooks, kept: store.hooks, apps, mutation, report }),
    recommendations: createRecommendationService({
      apps,
      contacts,
      findProducts: stages.findProducts,
      answer: stages.answer,
      report,
    }),
    catalog: createCatalogService({
      ...bulkWrites(unitOfWork),
      tried: bulkWrites(tried),
      updateProduct: createUpdateProduct({ unitOfWork, now }),
      deleteProduct: createDeleteProduct({ unitOfWork, now }),
      feeds: createFeedSettings({ feeds: store.feeds, unitOfWork, now, newId }),
      operations,
      now,
      apps,
      products,
      sightingsOf: (appId, productId) =>
        unitOfWork.run(appId, (tx) => sightingsOf(tx.unconfirmedProducts, productId, now())),
      groups: createProductGroups({ apps, changes, now }),
      hasTitles,
      findUnknownProducts: createFindUnknownProducts({ events: store.events, catalogOf: catalogViews.of }),
      mutation,
      report,
    }),
    apps: createAppService({
      apps,
      changes,
      copies,
      hasTitles,
      now,
      newAppId: deps.newAppId,
      frameReport: createFrameReporter({ apps, copies, settle: stages.frameResults.settle }),
      catalogs: catalogViews,
      signedEvents,
      onDeleted: stages.forgetApp,
      mutation,
      report,
    }),
    models: createModelService({
      trainer: stages.trainer,
      operations,
      evaluator: createEvaluator({ apps, runEvaluation: deps.runEvaluation }),
      apps,
      models,
      registry: stages.registry,
      now,
      mutation,
      report,
    }),
    operations: createOperationService({ operations, apps, report }),
    privacy: createPrivacyService({
      visitors,
      contacts,
      copies,
      erasures: stages.erasures,
      operations,
      apps,
      now,
      mutation,
      report,
    }),
  };
}

/** The services, and the steps of their background tasks (`background-tasks.ts`). */
function withBackgroundWork(deps: AppDependencies, endpoints: ReturnType<typeof endpointsOf>, stages: WiredStages) {
  const { store, now, settledNow = now, metrics, reportFailure } = deps;
  const { unitOfWork, copies, registry, catalogViews, mailing } = stages;
  const limitBytes = deps.memoryBytes ?? Number.POSITIVE_INFINITY;
  const memory = createAppMemory({
    limitBytes,
    catalogs: catalogViews,
    models: registry,
    letGo: stages.letGoApp,
    forget: stages.forgetApp,
    metrics,
  });
  const retained = { apps: store.apps, copies, unitOfWork, scrub: store.scrub };
  return {
    ...endpoints,
    /** Whether one more event would be refused now. */
    isFull: stages.admission.isFull,
    trainer: stages.trainer,
    automaticTraining: stages.automaticTraining,
    /** Stops erasures, and resolves when the other operations of this process have ended. */
    async settleOperations(): Promise<void> {
      await Promise.all([stages.operations.settled(), stages.erasures.stop()]);
    },
    /** Resumes erasures of dead processes; see `Erasures.resume`. */
    resumeErasures: stages.erasures.resume,
    /** Removes expired records. */
    sweepRetention: createSweepRetention({ ...retained, now: settledNow, metrics }),
    /** Sends the hook messages that are due. */
    deliverHooks: mailing.deliverHooks,
    /** Reads products and events that are newer than the models. */
    refreshLive: stages.liveLayer.refresh,
    /** Writes the counts of frames; with `all` also the newest ones. */
    writeFrameCounts: stages.frameResults.flush,
    settleFrameCounts: stages.frameResults.settleAll,
    /** Writes frames with the results of simulated visits. */
    writePastResults: createWritePastResults({ unitOfWork }),
    /** Reads catalogues and models into memory before the first request. */
    preload: createPreload({
      apps: store.apps,
      views: catalogViews,
      models: registry,
      reportFailure,
      isWanted: memory.isReadAhead,
    }),
    /** Lets apps go that were asked for longest ago when the others need their memory. */
    evictApps: memory.evict,
    /** Reads the feeds that are due. */
    readFeeds: createReadFeeds({
      ...deps,
      feeds: store.feeds,
      unitOfWork,
      catalog: endpoints.clients.catalog,
      resultOf: feedRunResult,
    }),
    /** Looks up models that other processes published. */
    lookForModels: registry.lookAgain,
    close(): void {
      catalogViews.close();
    },
  };
}
