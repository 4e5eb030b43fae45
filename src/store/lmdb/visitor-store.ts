import type { Visitor } from "../../domain/visitor.js";
import type { VisitorStore } from "../ports/visitor-store.js";
import type { Environment } from "./environment.js";
import { keyOf } from "./keys.js";

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
