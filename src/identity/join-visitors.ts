import type { Now } from "../domain/clock.js";
import { type VisitorIds, visitorKeys } from "../domain/ids.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { joinVisitor } from "./visitors.js";

/** Joins ids that were seen together into one visitor. Writes only when something changes. */
export type JoinVisitors = (appId: string, ids: VisitorIds) => Promise<void>;

export function createJoinVisitors(deps: {
  readonly visitors: VisitorStore;
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  readonly newId: () => string;
}): JoinVisitors {
  return async (appId, ids) => {
    const keys = visitorKeys({ ...ids, userId: "" });
    if (keys.length < 2) return;
    const found = await deps.visitors.find(appId, keys);
    if (found.length === 1 && keys.every((key) => found[0]?.keys.includes(key))) return;
    const id = deps.newId();
    const at = deps.now();
    await deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() !== undefined)
        joinVisitor(tx, { ...ids, userId: "" }, id, { at, by: id, recordedAt: at, admission: undefined });
    });
  };
}
