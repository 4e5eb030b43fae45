/** What a source finds for one product alone, which is the same for all visitors. */
export interface KeptAnswers<Found> {
  /** The `k` candidates that `find` finds for a product: of those asked for lately, what was found then. */
  of(product: number, k: number, find: () => Found): Found;
}

/** Keeps answers for `most` products, and for a quarter of a model's products at most: those that were asked for last. */
export function createKeptAnswers<Found>(productCount: number, most: number): KeptAnswers<Found> {
  const mostKept = Math.min(most, Math.ceil(productCount / 4));
  // In order of the last use.
  const kept = new Map<number, { readonly k: number; readonly found: Found }>();
  return {
    of(product, k, find) {
      const before = kept.get(product);
      kept.delete(product);
      const answer = before?.k === k ? before : { k, found: find() };
      kept.set(product, answer);
      if (kept.size > mostKept) {
        const [oldest] = kept.keys();
        if (oldest !== undefined) kept.delete(oldest);
      }
      return answer.found;
    },
  };
}
