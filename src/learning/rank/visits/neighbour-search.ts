import { createTopK } from "../../common/top-k.js";
import type { SessionNeighbours } from "../../sources/sessions/session-neighbours.js";
import { mostMet } from "../../sources/sessions/session-recommender.js";
import { createLowerBound } from "./lower-bound.js";

/** The sessions most like a query, in the order they are chosen. Overwritten by the next query. */
export interface NeighbourSearch {
  readonly sessions: Uint32Array;
  readonly similarities: Float64Array;
  /** The newest item of the query that the session holds, and the weight of a vote by it. */
  readonly anchors: Uint32Array;
  readonly anchorWeights: Float64Array;
  /** 1 for a session that shares two items or more with the query, else 0. */
  readonly sharesMore: Uint8Array;
  /** Finds the neighbours of a query, oldest item first; returns how many. */
  find(items: Uint32Array): number;
}

/** Sums of one weight and of several differ by rounding: more than this means another item. */
const MORE_THAN_ONE = 1.0001;

/** Finds the same neighbours as `session-neighbours.ts`. */
export function createNeighbourSearch(model: SessionNeighbours): NeighbourSearch {
  const { params, sessionWeights, postings, postingOffsets, similarityIdf, productCount } = model;
  const { sharpness } = params;
  /** By session: its number among those met + 1; 0 for the others. */
  const numbers = new Uint32Array(sessionWeights.length);
  // Sessions that share something with the query, as they are met: what they share, their newest item of the query.
  const met = new Uint32Array(mostMet(model));
  const overlaps = new Float64Array(met.length);
  const metAnchors = new Uint32Array(met.length);
  const metSimilarities = new Float64Array(met.length);
  const halves = new Uint32Array(metSimilarities.buffer);
  // By item of the query, newest first: the item, what sharing it alone adds up to, that to the power of the sharpness,
  // and what a neighbour anchored in it votes with.
  const asked = new Uint32Array(params.queryItems);
  const lone = new Float64Array(params.queryItems);
  const loneSharp = new Float64Array(params.queryItems);
  const voteWeights = new Float64Array(params.queryItems);
  const best = createTopK();
  const bound = createLowerBound();
  const sharp = (overlap: number) => (sharpness === 1 ? overlap : overlap ** sharpness);
  // The neighbours.
  const sessions = new Uint32Array(params.k);
  const similarities = new Float64Array(params.k);
  const anchors = new Uint32Array(params.k);
  const anchorWeights = new Float64Array(params.k);
  const sharesMore = new Uint8Array(params.k);

  function readQuery(items: Uint32Array): number {
    let count = 0;
    for (let at = items.length - 1; at >= 0 && count < asked.length; at--) {
      const item = items[at]!;
      if (item >= productCount || asked.subarray(0, count).includes(item)) continue;
      const weight = Math.exp(-(items.length - 1 - at) / params.queryDecay);
      asked[count] = item;
      lone[count] = weight * similarityIdf[item]!;
      loneSharp[count] = sharp(lone[count]!);
      voteWeights[count++] = weight ** params.anchorPower;
    }
    return count;
  }

  /** Adds up what each session shares with the query; returns how many sessions share something. */
  function addOverlaps(queryLength: number): number {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      if (!(lone[q]! > 0)) continue;
      const weight = lone[q]!;
      const end = postingOffsets[asked[q]! + 1]!;
      for (let at = postingOffsets[asked[q]!]!; at < end; at++) {
        const session = postings[at]!;
        const number = numbers[session]!;
        if (number !== 0) overlaps[number - 1]! += weight;
        else {
          met[count] = session;
          overlaps[count] = weight;
          metAnchors[count++] = q;
          numbers[session] = count;
        }
      }
    }
    return count;
  }

  function writeSimilarities(metCount: number): void {
    for (let m = 0; m < metCount; m++) {
      const overlap = overlaps[m]!;
      const q = metAnchors[m]!;
      // Most sessions share one item alone, whose power is known.
      metSimilarities[m] = (overlap === lone[q]! ? loneSharp[q]! : sharp(overlap)) * sessionWeights[met[m]!]!;
    }
  }

  function choose(n: number, m: number): void {
    const q = metAnchors[m]!;
    sessions[n] = met[m]!;
    similarities[n] = metSimilarities[m]!;
    anchors[n] = asked[q]!;
    anchorWeights[n] = voteWeights[q]!;
    sharesMore[n] = overlaps[m]! > lone[q]! * MORE_THAN_ONE ? 1 : 0;
  }

  /** Chooses the most similar sessions; returns how many. */
  function chooseMostSimilar(metCount: number): number {
    let count = 0;
    if (metCount <= params.k) {
      for (let m = 0; m < metCount; m++) if (metSimilarities[m]! > 0) choose(count++, m);
      return count;
    }
    const least = bound.of(halves, 0, metCount, 1, params.k);
    best.reset(params.k);
    for (let m = 0; m < metCount; m++)
      if (metSimilarities[m]! > 0 && metSimilarities[m]! >= least) best.offer(met[m]!, metSimilarities[m]!);
    for (; count < best.size(); count++) choose(count, numbers[best.indexAt(count)]! - 1);
    return count;
  }

  return {
    sessions,
    similarities,
    anchors,
    anchorWeights,
    sharesMore,
    find(items) {
      const metCount = addOverlaps(readQuery(items));
      writeSimilarities(metCount);
      const count = chooseMostSimilar(metCount);
      for (let m = 0; m < metCount; m++) numbers[met[m]!] = 0;
      return count;
    },
  };
}
