import type { App } from "../src/domain/app.js";
import type { IdempotencyRecord } from "../src/domain/event.js";
import { NO_PRODUCTS } from "../src/domain/product.js";
import type { Claims, Records, RejectedEvents, Transaction, UnitOfWork } from "../src/store/ports/unit-of-work.js";

/** Records in a map, as they are; `isForgotten`: what is put is not kept. */
function records<T>(isForgotten = false): Records<T> {
  const kept = new Map<string, T>();
  return {
    get: (key) => kept.get(key),
    put: (key, value) => void (isForgotten || kept.set(key, value)),
    delete: (key) => void kept.delete(key),
  };
}

function claims(): Claims {
  const kept = records<IdempotencyRecord>();
  return { ...kept, put: (key, claim) => kept.put(key, { answer: "", ...claim, livedAt: claim.claimedAt }) };
}

const noLog: RejectedEvents = {
  get: () => undefined,
  add: () => "",
  replace: () => undefined,
  remove: () => undefined,
};

/**
 * A unit of work of one app that keeps records in maps, and events and histories not at all: what intake costs over it is
 * what intake costs without a store. Nothing is durable, and a work that throws leaves what it had put.
 */
export function memoryUnitOfWork(app: App): UnitOfWork {
  const transaction: Transaction = {
    appId: app.appId,
    app: () => app,
    putApp: () => undefined,
    frames: {
      get: () => undefined,
      write: (frame) => ({ ...frame, version: 1, experimentAt: 0 }),
      delete: () => false,
    },
    idempotency: claims(),
    events: records(true),
    rejectedEvents: noLog,
    visitors: records(),
    visitorKeys: records(),
    contacts: records(),
    contactKeys: records(),
    changes: records(true),
    ledgerHead: records(),
    networkLinks: records(),
    mailingSecrets: records(),
    confirmations: records(),
    suppressions: records(),
    outbox: records(true),
    deadHooks: records(true),
    feeds: records(true),
    products: records(),
    productSkus: records(),
    productCounts: NO_PRODUCTS,
    unconfirmedProducts: records(),
    orders: records(),
    erasures: records(),
    operations: records(),
    frameTallies: records(),
    frameExposures: records(),
    dueResults: records(),
    eventId: (proposed) => proposed,
    putInteraction: () => undefined,
    deleteInteraction: () => undefined,
    markChanged: () => undefined,
  };
  const settled = <T>(work: (tx: Transaction) => T): PromiseSettledResult<T> => {
    try {
      return { status: "fulfilled", value: work(transaction) };
    } catch (reason) {
      return { status: "rejected", reason };
    }
  };
  return {
    run: async (_appId, work) => work(transaction),
    runEach: async (_appId, works) => works.map(settled),
  };
}
