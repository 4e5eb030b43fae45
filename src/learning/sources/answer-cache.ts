import type { Candidates } from "../common/candidates.js";

/** Caches a source's answer for one product alone, which is the same for all visitors. */
export interface AnswerCache {
  /**
   * The `k` best candidates of a product, from the cache if it was asked for lately. `find` gives that many, best first. The
   * result is valid until the next call.
   */
  of(product: number, k: number, find: (k: number) => Candidates): Candidates;
}

/** Longer answers are not cached. */
const MOST_CANDIDATES = 400;
/** Answers that there is made room for at a time. */
const TOGETHER = 256;

/**
 * Keeps answers with `most` candidates together, and of a quarter of a model's products at most: of those that were not
 * asked for since it last came by, one after the other makes room (the second chance of Corbato: A paging experiment with
 * the Multics system, 1968). They lie in arrays of their own, 12 bytes a candidate, so that there is nothing to collect.
 */
export function createAnswerCache(productCount: number, most: number): AnswerCache {
  /** By product: where its answer lies + 1; 0 for none. */
  const slots = new Uint32Array(productCount);
  let mostKept = 0;
  // By slot.
  let products = new Uint32Array(0);
  let counts = new Uint16Array(0);
  let isAsked = new Uint8Array(0);
  let blocks: { readonly indices: Uint32Array; readonly scores: Float64Array }[] = [];
  /** Candidates of each answer that is kept: as many as were asked for at the most. */
  let width = 0;
  let kept = 0;
  let next = 0;

  function widen(k: number): void {
    for (let slot = 0; slot < kept; slot++) slots[products[slot]!] = 0;
    mostKept = Math.min(Math.max(1, Math.floor(most / k)), Math.ceil(productCount / 4));
    products = new Uint32Array(mostKept);
    counts = new Uint16Array(mostKept);
    isAsked = new Uint8Array(mostKept);
    blocks = [];
    width = k;
    kept = 0;
    next = 0;
  }

  /** A slot that nothing lies in. */
  function room(): number {
    if (kept < mostKept) {
      if (kept === blocks.length * TOGETHER) {
        const length = width * Math.min(TOGETHER, mostKept - kept);
        blocks.push({ indices: new Uint32Array(length), scores: new Float64Array(length) });
      }
      return kept++;
    }
    for (; isAsked[next] === 1; next = (next + 1) % kept) isAsked[next] = 0;
    const slot = next;
    next = (next + 1) % kept;
    slots[products[slot]!] = 0;
    return slot;
  }

  function keep(product: number, found: Candidates): number {
    const slot = room();
    const block = blocks[Math.floor(slot / TOGETHER)]!;
    const at = (slot % TOGETHER) * width;
    block.indices.set(found.indices, at);
    block.scores.set(found.scores, at);
    counts[slot] = found.indices.length;
    products[slot] = product;
    slots[product] = slot + 1;
    return slot;
  }

  return {
    of(product, k, find) {
      if (k > MOST_CANDIDATES) return find(k);
      if (k > width) widen(k);
      let slot = slots[product]! - 1;
      if (slot < 0) slot = keep(product, find(width));
      else isAsked[slot] = 1;
      const { indices, scores } = blocks[Math.floor(slot / TOGETHER)]!;
      const at = (slot % TOGETHER) * width;
      const end = at + Math.min(k, counts[slot]!);
      return { indices: indices.subarray(at, end), scores: scores.subarray(at, end) };
    },
  };
}
