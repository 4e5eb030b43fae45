import { createRandom } from "../../../learning/common/random.js";

/** Random choices that follow from a seed alone. */
export interface Random {
  /** The next number, from 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  /** True with the given chance, 0 to 1. */
  chance(chance: number): boolean;
  /** One of the items. Throws a RangeError when there are none. */
  pick<T>(items: readonly T[]): T;
  /** One of the items, as often as its weight says. Throws a RangeError when there are none. */
  pickWeighted<T>(items: readonly T[], weightOf: (item: T) => number): T;
  /** As many hexadecimal digits as asked for. */
  hex(digits: number): string;
}

/** A shop can be simulated with it; it is no source of secrets. */
export function createSeededRandom(seed: number): Random {
  const next = createRandom(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  const pickWeighted = <T>(items: readonly T[], weightOf: (item: T) => number): T => {
    let left = next() * items.reduce((sum, item) => sum + weightOf(item), 0);
    for (const item of items) {
      left -= weightOf(item);
      if (left < 0) return item;
    }
    return lastOf(items);
  };
  return {
    next,
    below,
    chance: (chance) => next() < chance,
    pick: (items) => items[below(items.length)] ?? lastOf(items),
    pickWeighted,
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(""),
  };
}

function lastOf<T>(items: readonly T[]): T {
  const last = items.at(-1);
  if (last === undefined) throw new RangeError("nothing to choose from");
  return last;
}
