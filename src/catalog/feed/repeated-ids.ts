import { createIdSet } from "./id-set.js";

/** Entries of one file whose id an earlier entry has. The catalogue keeps the last one of an id. */
export interface RepeatedIds {
  readonly count: number;
  /** Line or number of the first such entry; 0 for none. */
  readonly first: number;
  note(id: string, position: number): void;
}

export function createRepeatedIds(): RepeatedIds {
  const seen = createIdSet();
  let count = 0;
  let first = 0;
  return {
    get count() {
      return count;
    },
    get first() {
      return first;
    },
    note(id, position) {
      const before = seen.size;
      seen.add(id);
      if (seen.size > before) return;
      count += 1;
      if (count === 1) first = position;
    },
  };
}
