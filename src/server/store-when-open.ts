import type { Store } from "../store/ports/store.js";

/** A store that may not be open yet. Until it is, every call fails with the error of `opened`. */
export function storeWhenOpen(opened: () => Store, close: () => Promise<void>): Store {
  return {
    apps: {
      create: async (app) => opened().apps.create(app),
      get: async (appId) => opened().apps.get(appId),
      list: async (after, limit) => opened().apps.list(after, limit),
      delete: async (appId, check) => opened().apps.delete(appId, check),
      getFrame: async (appId, frameId) => opened().apps.getFrame(appId, frameId),
      listFrames: async (appId, after, limit) => opened().apps.listFrames(appId, after, limit),
      frameVersions: async (appId, frameId) => opened().apps.frameVersions(appId, frameId),
    },
    events: {
      get: async (appId, eventId) => opened().events.get(appId, eventId),
      list: async (appId, from, limit, newestFirst) => opened().events.list(appId, from, limit, newestFirst),
      count: async (appId, from, limit) => opened().events.count(appId, from, limit),
      position: async (appId, from) => opened().events.position(appId, from),
      after: async (appId, position, limit, upTo) => opened().events.after(appId, position, limit, upTo),
    },
    rejectedEvents: {
      get: async (appId, rejectedId) => opened().rejectedEvents.get(appId, rejectedId),
      list: async (appId, before, limit) => opened().rejectedEvents.list(appId, before, limit),
    },
    visitors: {
      find: async (appId, keys) => opened().visitors.find(appId, keys),
      get: async (appId, visitorIds) => opened().visitors.get(appId, visitorIds),
      exposure: async (appId, key) => opened().visitors.exposure(appId, key),
    },
    interactions: {
      recent: async (appId, visitorIds, limit) => opened().interactions.recent(appId, visitorIds, limit),
      scan: (appId) => opened().interactions.scan(appId),
    },
    contacts: {
      get: async (appId, contactId) => opened().contacts.get(appId, contactId),
      find: async (appId, contactKey) => opened().contacts.find(appId, contactKey),
      list: async (appId, after, limit) => opened().contacts.list(appId, after, limit),
      changes: async (appId, contactId, after, limit) => opened().contacts.changes(appId, contactId, after, limit),
    },
    hooks: {
      secrets: async (appId) => opened().hooks.secrets(appId),
      apps: async (after, limit) => opened().hooks.apps(after, limit),
      due: async (appId, now, limit) => opened().hooks.due(appId, now, limit),
      dead: async (appId, after, limit) => opened().hooks.dead(appId, after, limit),
    },
    feeds: {
      list: async (appId) => opened().feeds.list(appId),
      all: async (after, limit) => opened().feeds.all(after, limit),
    },
    products: {
      get: async (appId, productId) => opened().products.get(appId, productId),
      get getNow() {
        return opened().products.getNow;
      },
      getBySku: async (appId, sku) => opened().products.getBySku(appId, sku),
      list: async (appId, after, limit) => opened().products.list(appId, after, limit),
      scan: (appId) => opened().products.scan(appId),
      watch: (appId, listener) => opened().products.watch(appId, listener),
    },
    operations: {
      get: async (appId, operationId) => opened().operations.get(appId, operationId),
      list: async (appId, before, limit) => opened().operations.list(appId, before, limit),
    },
    orders: {
      get: async (appId, orderId) => opened().orders.get(appId, orderId),
      scan: (appId) => opened().orders.scan(appId),
    },
    models: {
      put: async (appId, record, bytes, madeAt, lease) => opened().models.put(appId, record, bytes, madeAt, lease),
      read: async (appId, modelId) => opened().models.read(appId, modelId),
      list: async (appId) => opened().models.list(appId),
      pointer: async (appId) => opened().models.pointer(appId),
      setPointer: async (appId, move, lease) => opened().models.setPointer(appId, move, lease),
      prune: async (appId, keep) => opened().models.prune(appId, keep),
      activity: async (appId) => opened().models.activity(appId),
    },
    leases: {
      acquire: async (appId, holder, forMs) => opened().leases.acquire(appId, holder, forMs),
      renew: async (appId, lease, forMs) => opened().leases.renew(appId, lease, forMs),
      release: async (appId, lease) => opened().leases.release(appId, lease),
    },
    get copies() {
      return opened().copies;
    },
    tallies: {
      exchange: async (own) => opened().tallies?.exchange(own) ?? [],
      leave: async (holder) => opened().tallies?.leave(holder),
    },
    unitOfWork: {
      run: async (appId, work) => opened().unitOfWork.run(appId, work),
      runEach: async (appId, works) => opened().unitOfWork.runEach(appId, works),
    },
    scrub: async (appId) => opened().scrub(appId),
    ready: async () => opened().ready(),
    close,
  };
}
