import type { Contact } from "../../domain/contact.js";
import { MAX_FEEDS } from "../../domain/feed.js";
import { KEPT_VERSIONS } from "../../domain/frame.js";
import { outboxKey } from "../../domain/hook.js";
import type { Visitor } from "../../domain/visitor.js";
import { versionsOf } from "../frame-versions.js";
import { IdempotencyRecords, type KeyClock } from "../idempotency-records.js";
import { after, appIdOf, appKey, FIRST, keyOf, keysOf, keysOwnedBy } from "../keys.js";
import type { AppStore } from "../ports/app-store.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { FeedStore } from "../ports/feed-store.js";
import type { HookStore } from "../ports/hook-store.js";
import type { OperationStore } from "../ports/operation-store.js";
import type { OrderStore } from "../ports/order-store.js";
import type { ProductStore } from "../ports/product-store.js";
import type { RejectedEventStore } from "../ports/rejected-event-store.js";
import type { VisitorStore } from "../ports/visitor-store.js";
import type { ProductWatchers } from "./product-watch.js";
import type { Removals } from "./removal.js";
import { scanValues } from "./scan.js";
import type { Tables } from "./tables.js";
import type { Writer } from "./writer.js";

export function createAppStore(
  { apps, frames, frameVersions }: Tables,
  writer: Writer,
  removals: Removals,
  clock: KeyClock,
): AppStore {
  return {
    create: async (app, claimed) => {
      const key = appKey(app.appId);
      for (;;) {
        const made = await writer.run(app.appId, ({ tables }) => {
          if (tables.removals.get(key) !== undefined) return undefined;
          if (tables.apps.get(key) !== undefined) return false;
          tables.apps.put(key, app);
          if (claimed !== undefined)
            new IdempotencyRecords(keyOf(app.appId, ""), tables.idempotency, clock).put(claimed.key, claimed.claim);
          return true;
        });
        if (made !== undefined) return made;
        await removals.finish(app.appId);
      }
    },

    get: (appId) => apps.get(appKey(appId)),

    list: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      return (await apps.entriesAcross(start, limit)).map((entry) => entry.value);
    },

    delete: (appId, check) => removals.remove(appId, check),

    getFrame: (appId, frameId) => frames.get(keyOf(appId, frameId)),

    listFrames: async (appId, from, limit) => (await frames.list(appId, from, limit)).map((entry) => entry.value),

    frameVersions: async (appId, frameId) => {
      const range = { ...keysOwnedBy(appId, frameId), limit: KEPT_VERSIONS + 1 };
      return versionsOf(await frameVersions.entries(range));
    },
  };
}

export function createContactStore({ contacts, contactKeys, changes }: Tables): ContactStore {
  const find = async (appId: string, contactKey: string): Promise<Contact | undefined> => {
    const contactId = await contactKeys.get(keyOf(appId, contactKey));
    return contactId === undefined ? undefined : contacts.get(keyOf(appId, contactId));
  };
  return {
    get: async (appId, contactId) =>
      (await contacts.get(keyOf(appId, contactId))) ?? (await find(appId, `i:${contactId}`)),

    find,

    list: async (appId, from, limit) => (await contacts.list(appId, from, limit)).map(({ value }) => value),

    changes: async (appId, contactId, from, limit) => {
      const of = contactId === "" ? {} : { app: appId, kind: changes.name, "v.contactId": contactId };
      return (await changes.list(appId, from, limit, of)).map((entry) => entry.value);
    },
  };
}

export function createFeedStore({ feeds }: Tables): FeedStore {
  return {
    list: async (appId) => (await feeds.list(appId, "", MAX_FEEDS)).map(({ value }) => value),
    all: async (behind, limit) => {
      const start = behind === undefined ? FIRST : after(keyOf(behind.appId, behind.feedId));
      const found = await feeds.entriesAcross(start, limit);
      return found.map(({ key, value }) => ({ appId: appIdOf(key), feed: value }));
    },
  };
}

export function createHookStore({ mailingSecrets, outbox, deadHooks }: Tables): HookStore {
  return {
    secrets: (appId) => mailingSecrets.get(appKey(appId)),
    apps: async (from, limit) => {
      const start = from === "" ? FIRST : after(appKey(from));
      const found = await mailingSecrets.entriesAcross(start, limit);
      return found.map(({ key, value }) => ({ appId: appIdOf(key), secrets: value }));
    },
    due: async (appId, now, limit) => {
      const { start } = keysOf(appId);
      const end = keyOf(appId, outboxKey({ nextAt: now + 1, messageId: "" }));
      return (await outbox.entries({ start, end, limit })).map((entry) => entry.value);
    },
    dead: async (appId, from, limit) => (await deadHooks.list(appId, from, limit)).map((entry) => entry.value),
  };
}

export function createOperationStore({ operations }: Tables): OperationStore {
  return {
    get: (appId, operationId) => operations.get(keyOf(appId, operationId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit, backwards: true };
      return (await operations.entries(range)).map(({ value }) => value);
    },
  };
}

export function createOrderStore({ orders }: Tables): OrderStore {
  return {
    get: (appId, orderId) => orders.get(keyOf(appId, orderId)),
    scan: (appId) => scanValues(orders, appId),
  };
}

export function createProductStore({ products, productSkus }: Tables, watchers: ProductWatchers): ProductStore {
  return {
    get: (appId, productId) => products.get(keyOf(appId, productId)),

    getBySku: async (appId, sku) => {
      const productId = await productSkus.get(keyOf(appId, sku));
      return productId === undefined ? undefined : products.get(keyOf(appId, productId));
    },

    list: async (appId, from, limit) => (await products.list(appId, from, limit)).map((entry) => entry.value),

    scan: (appId) => scanValues(products, appId),

    watch: (appId, listener) => watchers.watch(appId, listener),
  };
}

export function createRejectedEventStore({ rejectedEvents }: Tables): RejectedEventStore {
  return {
    get: (appId, rejectedId) => rejectedEvents.get(keyOf(appId, rejectedId)),
    list: async (appId, before, limit) => {
      const { start, end } = keysOf(appId);
      const range = { start, end: before === "" ? end : keyOf(appId, before), limit, backwards: true };
      return (await rejectedEvents.entries(range)).map((entry) => entry.value);
    },
  };
}

export function createVisitorStore({ visitors, visitorKeys, frameExposures }: Tables): VisitorStore {
  return {
    find: async (appId, keys) => {
      if (keys.length === 0) return [];
      const ids = await visitorKeys.many([...new Set(keys)].map((key) => keyOf(appId, key)));
      if (ids.size === 0) return [];
      const records = await visitors.many([...new Set(ids.values())].map((id) => keyOf(appId, id)));
      const found = new Set<Visitor>();
      for (const key of keys) {
        const id = ids.get(keyOf(appId, key));
        const visitor = id === undefined ? undefined : records.get(keyOf(appId, id));
        if (visitor !== undefined) found.add(visitor);
      }
      return [...found];
    },
    get: async (appId, visitorIds) => {
      if (visitorIds.length === 0) return [];
      const records = await visitors.many(visitorIds.map((id) => keyOf(appId, id)));
      return visitorIds.map((id) => records.get(keyOf(appId, id))).filter((visitor) => visitor !== undefined);
    },
    exposure: (appId, key) => frameExposures.get(keyOf(appId, key)),
  };
}
