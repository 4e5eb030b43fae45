import type { Now } from "../domain/clock.js";
import { type VisitorIds, visitorKeys } from "../domain/ids.js";
import type { Visitor } from "../domain/visitor.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { joinVisitor } from "./visitors.js";

/**
 * Joins ids that were seen together into one visitor. Writes only when something changes. Returns the visitors of the ids,
 * without one that this call made: nothing is known of it.
 */
export type JoinVisitors = (appId: string, ids: VisitorIds) => Promise<readonly Visitor[]>;

export function createJoinVisitors(deps: {
  readonly visitors: VisitorStore;
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  readonly newId: () => string;
}): JoinVisitors {
  return async (appId, ids) => {
    const all = visitorKeys(ids);
    const found = await deps.visitors.find(appId, all);
    const device = visitorKeys({ ...ids, userId: "" });
    if (device.length < 2 || found.some(({ keys }) => device.every((key) => keys.includes(key)))) return found;
    const id = deps.newId();
    const at = deps.now();
    const joined = await deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) return undefined;
      return joinVisitor(tx, { ...ids, userId: "" }, id, { at, by: id, recordedAt: at, admission: undefined }).visitor;
    });
    const isNew = joined?.visitorId === id && all.length === device.length;
    return isNew ? [] : deps.visitors.find(appId, all);
  };
}
