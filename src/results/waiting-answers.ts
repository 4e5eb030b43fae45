import type { VisitorKey } from "../domain/ids.js";
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
