import type { Visitor } from "../../domain/visitor.js";
import { keyOf } from "../keys.js";
import type { VisitorStore } from "../ports/visitor-store.js";
import type { Tables } from "./tables.js";

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
