import type { VisitQuery } from "./visits.js";

/** What a visit itself says of its products. */
export interface VisitFacts {
  read(query: VisitQuery): void;
  /** Different products of the visit, newest first. */
  products(): readonly number[];
  /** The first of them. */
  newest(): readonly number[];
  /** Steps, different products, length of the run at the end, share of repeated steps, returns, whether the last step is one. */
  situation(): readonly number[];
  /**
   * Of a product of the visit: steps since it was met, how often it was, different products since, whether it followed
   * the last one before. All are 0 for other products.
   */
  write(product: number, rows: Float32Array, at: number): void;
}

const MAX_NEWEST = 30;

export function createVisitFacts(productCount: number): VisitFacts {
  // By product; 0 for those the visit does not hold.
  const since = new Uint32Array(productCount);
  const times = new Uint32Array(productCount);
  const others = new Uint32Array(productCount);
  let met: number[] = [];
  let followed = -1;
  let steps = 0;
  let run = 0;
  let returns = 0;
  let lastReturned = 0;

  return {
    read({ items, runs }) {
      for (const product of met) times[product] = 0;
      met = [];
      steps = 0;
      returns = 0;
      followed = -1;
      const last = items.length - 1;
      run = runs[last]!;
      for (let at = last; at >= 0; at--) {
        const product = items[at]!;
        if (times[product] === 0) {
          met.push(product);
          since[product] = steps + 1;
          others[product] = met.length;
        } else {
          returns++;
          // The step after an earlier meeting with the last product, the newest of them.
          if (product === items[last] && followed === -1) followed = items[at + 1]!;
        }
        times[product]! += runs[at]!;
        steps += runs[at]!;
      }
      lastReturned = times[items[last]!]! > run ? 1 : 0;
    },
    products: () => met,
    newest: () => met.slice(0, MAX_NEWEST),
    situation: () => [steps, met.length, run, 1 - met.length / steps, returns, lastReturned],
    write(product, rows, at) {
      rows[at] = since[product]!;
      rows[at + 1] = times[product]!;
      rows[at + 2] = others[product]!;
      rows[at + 3] = product === followed ? 1 : 0;
    },
  };
}
