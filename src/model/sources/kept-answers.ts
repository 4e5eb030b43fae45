import type { Candidates } from "../../algorithms/candidates.js";

/** Answers kept of a model: some 2.5 kB each with 200 candidates. */
const MOST_KEPT = 2000;

/** What a source finds for one product alone, which is the same for all visitors. */
export interface KeptAnswers {
  /** The `k` candidates that `find` finds for a product: of those asked for lately, what was found then. */
  of(product: number, k: number, find: () => Candidates): Candidates;
}

/** Keeps answers for a quarter of a model's products at most, those that were asked for last. */
export function createKeptAnswers(productCount: number): KeptAnswers {
  const most = Math.min(MOST_KEPT, Math.ceil(productCount / 4));
  // In order of the last use.
  const kept = new Map<number, { readonly k: number; readonly found: Candidates }>();
  return {
    of(product, k, find) {
      const before = kept.get(product);
      kept.delete(product);
      const answer = before?.k === k ? before : { k, found: find() };
      kept.set(product, answer);
      if (kept.size > most) {
        const [oldest] = kept.keys();
        if (oldest !== undefined) kept.delete(oldest);
      }
      return answer.found;
    },
  };
}
