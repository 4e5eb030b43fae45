/** A generator of numbers that follow from its seed alone. */
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

/** Mulberry32 by Tommy Ettinger (public domain): 32 bits of state, good enough to simulate a shop, not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
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

/** 32 bits that follow from a text (FNV-1a), as a seed. */
export function seedFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function lastOf<T>(items: readonly T[]): T {
  const last = items.at(-1);
  if (last === undefined) throw new RangeError("nothing to choose from");
  return last;
}
