import type { ShownList } from "../domain/frame-exposure.js";
import type { VisitorKey } from "../domain/ids.js";
import { withList } from "../recommend/passed-over.js";
import type { Shown } from "../recommend/shown.js";
import type { ShownAt } from "./fold.js";

/** Lists that were shown and are not written yet: the next request of the visitor in this process should see them. */
export interface UnwrittenLists {
  add(waiting: ShownAt): void;
  remove(waiting: readonly ShownAt[]): void;
  /** The stored lists with those that wait. */
  over(appId: string, visitorKey: VisitorKey, stored: readonly ShownList[]): readonly ShownList[];
  /** Whether a list adds to those that wait. */
  isNew(shown: Shown, at: number): boolean;
}

export function createUnwrittenLists(): UnwrittenLists {
  const byVisitor = new Map<string, ShownAt[]>();
  const keyOf = (appId: string, visitorKey: VisitorKey) => `${appId}/${visitorKey}`;
  const over: UnwrittenLists["over"] = (appId, visitorKey, stored) =>
    (byVisitor.get(keyOf(appId, visitorKey)) ?? []).reduce(
      (lists, { shown, at }) => withList(lists, shown, at),
      stored,
    );
  return {
    add: (waiting) => {
      const key = keyOf(waiting.shown.appId, waiting.shown.visitorKey);
      const found = byVisitor.get(key);
      if (found === undefined) byVisitor.set(key, [waiting]);
      else found.push(waiting);
    },
    remove: (waiting) => {
      for (const one of waiting) {
        const key = keyOf(one.shown.appId, one.shown.visitorKey);
        const left = byVisitor.get(key)?.filter((other) => other !== one) ?? [];
        if (left.length === 0) byVisitor.delete(key);
        else byVisitor.set(key, left);
      }
    },
    over,
    isNew: (shown, at) => {
      const waiting = over(shown.appId, shown.visitorKey, []);
      return withList(waiting, shown, at) !== waiting;
    },
  };
}
