/** Visits of recorded and simulated shops in one form, to learn a forest from and to judge it on. */
import { rowsFrom } from "../../src/learning/common/rows.js";
import type { Visits } from "../../src/learning/rank/visits/visits.js";

/** A session of products, oldest step first. */
export interface ShopSession {
  readonly items: readonly string[];
  /** Time of the last step, ms. */
  readonly endedAt: number;
}

export interface Shop {
  readonly name: string;
  /** By time of their end. */
  readonly visits: Visits;
  readonly productCount: number;
}

/** Numbers for the products of these sessions, in the order in which they are met. */
export function productNumbers(sessions: readonly ShopSession[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { items } of sessions) for (const item of items) if (!numbers.has(item)) numbers.set(item, numbers.size);
  return numbers;
}

/** Sessions of known products as a training reads them. A product met several times in a row is one step with a longer run. */
export function visitsOf(sessions: readonly ShopSession[], numbers: ReadonlyMap<string, number>): Visits {
  const runs: number[] = [];
  const rows = sessions.map(({ items }) => {
    const row: number[] = [];
    for (const item of items) {
      const number = numbers.get(item);
      if (number === undefined) continue;
      if (row.at(-1) === number) runs[runs.length - 1]!++;
      else {
        row.push(number);
        runs.push(1);
      }
    }
    return row;
  });
  return {
    sessions: rowsFrom(rows),
    runs: Uint32Array.from(runs),
    endedAt: Float64Array.from(sessions, ({ endedAt }) => endedAt),
    previous: new Int32Array(sessions.length).fill(-1),
  };
}

export function shopOf(name: string, sessions: readonly ShopSession[]): Shop {
  const numbers = productNumbers(sessions);
  return { name, visits: visitsOf(sessions, numbers), productCount: numbers.size };
}
