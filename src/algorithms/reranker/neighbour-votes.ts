/**
 * Several votes of the same session neighbours at once: finding neighbours costs most of a query, counting them in
 * another way costs little. Neighbours are those of `session-neighbours.ts`.
 */
import type { SessionNeighbours } from "../session-neighbours.js";
import { createTopK } from "../top-k.js";
import { ScoreBoard, type Slots } from "./score-board.js";

export interface NeighbourVotes {
  /** By closeness to the anchor: the score of session neighbours. */
  readonly close: ScoreBoard;
  /** By similarity of the session alone. */
  readonly plain: ScoreBoard;
  /** By what stands right behind the anchor. */
  readonly next: ScoreBoard;
  /** How many neighbours hold the product. */
  readonly holders: ScoreBoard;
  /** Similarity of the neighbours that share two products or more with the query. */
  readonly shared: ScoreBoard;
  /**
   * Fills the boards for a query, oldest item first; returns how many neighbours there are. The boards are by the slots
   * they were made with.
   */
  ask(items: Uint32Array): number;
}

export function createNeighbourVotes(model: SessionNeighbours, slots: Slots): NeighbourVotes {
  const { params, sessions, sessionWeights, postings, postingOffsets, similarityIdf, scoreIdf, productCount } = model;
  const { offsets, items: held } = sessions;
  const board = () => new ScoreBoard(productCount);
  const [close, plain, next, holders, shared] = [board(), board(), board(), board(), board()];
  // By session; all zero between queries.
  const overlaps = new Float64Array(sessionWeights.length);
  const anchors = new Uint32Array(sessionWeights.length);
  const touched = new Uint32Array(sessionWeights.length);
  const asked = new Uint32Array(params.queryItems);
  const askedWeights = new Float64Array(params.queryItems);
  const neighbours = createTopK();
  const decay = Float64Array.from({ length: params.sessionItems }, (_, d) => Math.exp(-d / params.neighbourDecay));

  function readQuery(items: Uint32Array): number {
    let count = 0;
    for (let at = items.length - 1; at >= 0 && count < asked.length; at--) {
      const item = items[at]!;
      if (item >= productCount || asked.subarray(0, count).includes(item)) continue;
      asked[count] = item;
      askedWeights[count++] = Math.exp(-(items.length - 1 - at) / params.queryDecay);
    }
    return count;
  }

  function findNeighbours(queryLength: number): number {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      const weight = askedWeights[q]! * similarityIdf[asked[q]!]!;
      if (!(weight > 0)) continue;
      for (let at = postingOffsets[asked[q]!]!; at < postingOffsets[asked[q]! + 1]!; at++) {
        const session = postings[at]!;
        if (overlaps[session] === 0) {
          anchors[session] = q;
          touched[count++] = session;
        }
        overlaps[session]! += weight;
      }
    }
    neighbours.reset(params.k);
    for (let t = 0; t < count; t++) {
      const session = touched[t]!;
      const overlap = overlaps[session]!;
      const similarity = (params.sharpness === 1 ? overlap : overlap ** params.sharpness) * sessionWeights[session]!;
      if (similarity > 0) neighbours.offer(session, similarity);
    }
    return count;
  }

  function countVotes(session: number, similarity: number): void {
    const q = anchors[session]!;
    const anchor = asked[q]!;
    const end = offsets[session + 1]!;
    let anchorAt = end - 1;
    while (held[anchorAt] !== anchor) anchorAt--;
    const vote = similarity * askedWeights[q]! ** params.anchorPower;
    const sharesMore = overlaps[session]! > askedWeights[q]! * similarityIdf[anchor]! * 1.0001;
    for (let at = offsets[session]!; at < end; at++) {
      const item = held[at]!;
      const closeness =
        item === anchor
          ? params.repeat
          : at > anchorAt
            ? decay[at - anchorAt - 1]!
            : params.before * decay[anchorAt - at - 1]!;
      const score = vote * closeness * scoreIdf[item]!;
      const slot = slots.of(item);
      if (score > 0) close.add(slot, score);
      plain.add(slot, similarity);
      holders.add(slot, 1);
      if (sharesMore) shared.add(slot, similarity);
    }
    if (anchorAt + 1 < end) next.add(slots.of(held[anchorAt + 1]!), vote);
  }

  return {
    close,
    plain,
    next,
    holders,
    shared,
    ask(items) {
      const touchedCount = findNeighbours(readQuery(items));
      const count = neighbours.size();
      for (let n = 0; n < count; n++) countVotes(neighbours.indexAt(n), neighbours.scoreAt(n));
      for (let t = 0; t < touchedCount; t++) overlaps[touched[t]!] = 0;
      return count;
    },
  };
}
