import type { ShownList } from "../domain/frame-exposure.js";
import type { VisitorKey } from "../domain/ids.js";
import { withList } from "../recommend/frames/rotation.js";
import type { Shown } from "../recommend/frames/shown.js";
import type { ShownAt } from "./fold.js";

/** Answers of one app that wait to be written. */
export class WaitingAnswers {
  private readonly all = new Set<ShownAt>();
  private readonly byKey = new Map<VisitorKey, ShownAt[]>();

  get size(): number {
    return this.all.size;
  }

  add(one: ShownAt): void {
    this.all.add(one);
    for (const key of one.shown.visitorKeys) {
      const list = this.byKey.get(key);
      if (list === undefined) this.byKey.set(key, [one]);
      else list.push(one);
    }
  }

  /** Takes out those of a visitor, oldest first. */
  takeOf(keys: readonly VisitorKey[]): readonly ShownAt[] {
    const found = new Set<ShownAt>();
    for (const key of keys) {
      for (const one of this.byKey.get(key) ?? []) if (this.all.delete(one)) found.add(one);
      this.byKey.delete(key);
    }
    return [...found].sort((a, b) => a.at - b.at);
  }

  takeAll(): readonly ShownAt[] {
    const found = [...this.all];
    this.all.clear();
    this.byKey.clear();
    return found;
  }
}

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
