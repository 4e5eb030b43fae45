import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import { DataDamaged } from "../../domain/errors.js";
import { MAX_FEEDS } from "../../domain/feed.js";
import { KEPT_VERSIONS } from "../../domain/frame.js";
import { outboxKey } from "../../domain/hook.js";
import type { Visitor } from "../../domain/visitor.js";
import { versionsOf } from "../frame-versions.js";
import type { KeyClock } from "../idempotency-records.js";
import { appIdOf } from "../keys.js";
import type { AppStore } from "../ports/app-store.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { FeedStore } from "../ports/feed-store.js";
import type { HookStore } from "../ports/hook-store.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { OrderStore } from "../ports/order-store.js";
import type { ProductStore } from "../ports/product-store.js";
import type { RejectedEventStore } from "../ports/rejected-event-store.js";
import type { VisitorStore } from "../ports/visitor-store.js";
import type { Environment } from "./environment.js";
import { after, appKey, FIRST, keyOf, keysOf, keysOwnedBy, LAST } from "./keys.js";
import type { ProductWatchers } from "./product-watch.js";
import type { Removals } from "./removal.js";
import { scanValues } from "./scan.js";
import { TimedIdempotencyRecords } from "./unit-of-work.js";
import type { Writer } from "./writer.js";

export function createAppStore({ tables }: Environment, writer: Writer, removals: Removals, clock: KeyClock): AppStore {
  return {
    create: async (app, claimed) => {
      const key = appKey(app.appId);
      for (;;) {
        const made = await writer.run((staged) => {
          if (staged.removals.get(key) !== undefined) return undefined;
          if (staged.apps.get(key) !== undefined) return false;
          staged.apps.put(key, app);
          if (claimed !== undefined)
            new TimedIdempotencyRecords(app.appId, staged, clock).put(claimed.key, claimed.claim);
          return true;
        });
        if (made !== undefined) return made;
        await removals.finish(app.appId);
      }
    },

    get: async (appId) => tables.apps.getKept(appKey(appId)),

    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return tables.apps.entries({ start, end: LAST, limit }).map((entry) => entry.value);
    },

    delete: (appId, check) => removals.remove(appId, check),

    getFrame: async (appId, frameId) => tables.frames.getKept(keyOf(appId, frameId)),

    listFrames: async (appId, from, limit) => {
      return tables.frames.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },

    frameVersions: async (appId, frameId) => {
      const range = { ...keysOwnedBy(appId, frameId), limit: KEPT_VERSIONS + 1 };
      return versionsOf(tables.frameVersions.entries(range));
    },
  };
}

export function createContactStore({ tables }: Environment): ContactStore {
  const find = (appId: string, contactKey: string): Contact | undefined => {
    const contactId = tables.contactKeys.get(keyOf(appId, contactKey));
    return contactId === undefined ? undefined : tables.contacts.get(keyOf(appId, contactId));
  };
  return {
    get: async (appId, contactId) => tables.contacts.get(keyOf(appId, contactId)) ?? find(appId, `i:${contactId}`),

    find: async (appId, contactKey) => find(appId, contactKey),

    list: async (appId, from, limit) =>
      tables.contacts.entries({ ...keysOf(appId, from), limit }).map(({ value }) => value),

    changes: async (appId, contactId, from, limit) => {
      if (contactId === "") {
        return tables.changes.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
      }
      return tables.contactChanges
        .entries({ ...keysOwnedBy(appId, contactId, from), limit })
        .map((entry) => changeNamed(appId, entry.value));
    },
  };

  function changeNamed(appId: string, changeId: string): SubscriptionChange {
    const change = tables.changes.get(keyOf(appId, changeId));
    if (change === undefined) throw new DataDamaged("An entry of the consent ledger is missing");
    return change;
  }
}

export function createFeedStore({ tables }: Environment): FeedStore {
  return {
    list: async (appId) => tables.feeds.entries({ ...keysOf(appId), limit: MAX_FEEDS }).map(({ value }) => value),
    all: async (behind, limit) => {
      const start = behind === undefined ? FIRST : after(keyOf(behind.appId, behind.feedId));
      return tables.feeds
        .entries({ start, end: LAST, limit })
        .map(({ key, value }) => ({ appId: appIdOf(key), feed: value }));
    },
  };
}

export function createHookStore({ tables }: Environment): HookStore {
  return {
    secrets: async (appId) => tables.mailingSecrets.get(appKey(appId)),
    apps: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return tables.mailingSecrets
        .entries({ start, end: LAST, limit })
        .map(({ key, value }) => ({ appId: appIdOf(key), secrets: value }));
    },
    due: async (appId, now, limit) => {
      const { start } = keysOf(appId);
      const end = keyOf(appId, outboxKey({ nextAt: now + 1, messageId: "" }));
      return tables.outbox.entries({ start, end, limit }).map((entry) => entry.value);
    },
    dead: async (appId, from, limit) =>
      tables.deadHooks.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value),
  };
}

export function createOperationStore({ tables }: Environment): OperationStore {
  return {
    get: async (appId, operationId) => tables.operations.get(keyOf(appId, operationId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit };
      return tables.operations.backwards(range).map(({ value }) => value);
    },
  };
}

export function createOrderStore({ tables }: Environment): OrderStore {
  return {
    get: async (appId, orderId) => tables.orders.get(keyOf(appId, orderId)),
    scan: (appId) => scanValues(tables.orders, appId),
  };
}

export function createProductStore({ tables }: Environment, watchers: ProductWatchers): ProductStore {
  return {
    get: async (appId, productId) => tables.products.get(keyOf(appId, productId)),

    getNow: (appId, productId) => tables.products.get(keyOf(appId, productId)),

    getBySku: async (appId, sku) => {
      const productId = tables.productSkus.get(keyOf(appId, sku));
      return productId === undefined ? undefined : tables.products.get(keyOf(appId, productId));
    },

    list: async (appId, from, limit) => {
      return tables.products.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
    },

    scan: (appId) => scanValues(tables.products, appId),

    watch: (appId, listener) => watchers.watch(appId, listener),
  };
}

export function createRejectedEventStore({ tables }: Environment): RejectedEventStore {
  return {
    get: async (appId, rejectedId) => tables.rejectedEvents.get(keyOf(appId, rejectedId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit };
      return tables.rejectedEvents.backwards(range).map((entry) => entry.value);
    },
  };
}

export function createVisitorStore({ tables }: Environment): VisitorStore {
  return {
    find: async (appId, keys) => {
      const found = new Map<string, Visitor>();
      for (const key of keys) {
        const visitorId = tables.visitorKeys.get(keyOf(appId, key));
        if (visitorId === undefined || found.has(visitorId)) continue;
        const visitor = tables.visitors.get(keyOf(appId, visitorId));
        if (visitor !== undefined) found.set(visitorId, visitor);
      }
      return [...found.values()];
    },
    get: async (appId, visitorIds) =>
      visitorIds.map((id) => tables.visitors.get(keyOf(appId, id))).filter((visitor) => visitor !== undefined),
    exposure: async (appId, key) => tables.frameExposures.get(keyOf(appId, key)),
  };
}
