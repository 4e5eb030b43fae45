import { type Candidates, type Explanation, NO_CANDIDATES } from "../../common/candidates.js";
import { createTopK } from "../../common/top-k.js";
import type { SessionNeighbours } from "./session-neighbours.js";

/** A visitor's interactions with products that the model knows. */
export interface SessionQuery {
  /** Oldest first; repeats allowed. Items out of the model's range are passed over. */
  readonly items: Uint32Array;
  /** Weight of each item, for example by type of interaction; 1 when absent. Items of weight 0 only take up a step. */
  readonly weights?: Float32Array;
}

/** What the neighbours of a query say of products. */
export interface SessionScores {
  /** The first `count` are products with a score, in no order, and their scores; overwritten by the next query. */
  readonly products: Uint32Array;
  readonly scores: Float64Array;
  readonly count: number;
  readonly neighbours: number;
}

/** Answers queries in scratch space of its own; calls must not overlap, which synchronous calls never do. */
export interface SessionRecommender {
  scoresOf(query: SessionQuery): SessionScores;
  /** The `k` best products. Products of the query may be among them: repeats are a prediction like any other. */
  recommend(query: SessionQuery, k: number): Candidates;
  /** Why a product is proposed; undefined when it is not. */
  explain(query: SessionQuery, productIndex: number): Explanation | undefined;
}

/** Makes a recommender for many queries. Scratch space: 4 bytes a session and 20 a product. */
export function createSessionRecommender(model: SessionNeighbours): SessionRecommender {
  const { params, sessions, strengths, sessionWeights, postingOffsets, postings, similarityIdf, scoreIdf } = model;
  const { offsets, items } = sessions;
  /** By session: its number among those met + 1; all zero between queries. */
  const numbers = new Uint32Array(sessionWeights.length);
  // Sessions that share something with the query, as they are met: what they share, their newest item of the query.
  const touched = new Uint32Array(Math.min(sessionWeights.length, params.queryItems * params.sessionsPerItem));
  const shared = new Float64Array(touched.length);
  const anchors = new Uint32Array(touched.length);
  /** By product; all zero between queries. */
  const votes = new Float64Array(model.productCount);
  // The products that got votes.
  const products = new Uint32Array(model.productCount);
  const scores = new Float64Array(model.productCount);
  // The newest distinct items of the query, newest first.
  const queryItems = new Uint32Array(params.queryItems);
  const queryWeights = new Float64Array(params.queryItems);
  const neighbours = createTopK();
  const best = createTopK();

  const after = decayTable(params.neighbourDecay, params.sessionItems);

  function readQuery(query: SessionQuery): number {
    let count = 0;
    const { items: asked, weights } = query;
    for (let at = asked.length - 1; at >= 0 && count < queryItems.length; at--) {
      const item = asked[at]!;
      if (item >= model.productCount || queryItems.subarray(0, count).includes(item)) continue;
      const weight = Math.exp(-(asked.length - 1 - at) / params.queryDecay) * (weights?.[at] ?? 1);
      if (!(weight > 0)) continue;
      queryItems[count] = item;
      queryWeights[count++] = weight;
    }
    return count;
  }

  /** Fills `neighbours` with the k most similar sessions; returns how many were met, which `forget` needs. */
  function findNeighbours(queryLength: number): number {
    let count = 0;
    for (let q = 0; q < queryLength; q++) {
      const item = queryItems[q]!;
      const weight = queryWeights[q]! * similarityIdf[item]!;
      if (!(weight > 0)) continue;
      const end = postingOffsets[item + 1]!;
      for (let at = postingOffsets[item]!; at < end; at++) {
        const session = postings[at]!;
        const number = numbers[session]!;
        if (number !== 0) shared[number - 1]! += weight;
        else {
          touched[count] = session;
          shared[count] = weight;
          anchors[count++] = q;
          numbers[session] = count;
        }
      }
    }
    neighbours.reset(params.k);
    for (let t = 0; t < count; t++) {
      const session = touched[t]!;
      const overlap = shared[t]!;
      const similarity = (params.sharpness === 1 ? overlap : overlap ** params.sharpness) * sessionWeights[session]!;
      if (similarity > 0) neighbours.offer(session, similarity);
    }
    return count;
  }

  function forget(met: number): void {
    for (let t = 0; t < met; t++) numbers[touched[t]!] = 0;
  }

  /** The newest item of the query that a session which was met holds, by its place in the query. */
  function anchorOf(session: number): number {
    return anchors[numbers[session]! - 1]!;
  }

  /** A neighbour's vote for the item at a place of it, without the item's IDF. */
  function closeness(at: number, anchorAt: number, anchor: number): number {
    const strength = strengths ? strengths[at]! : 1;
    if (items[at] === anchor) return strength * params.repeat;
    return at > anchorAt ? strength * after[at - anchorAt - 1]! : strength * params.before * after[anchorAt - at - 1]!;
  }

  /** The last place of the anchor in a session that holds it. */
  function anchorPlace(session: number, anchor: number): number {
    let at = offsets[session + 1]! - 1;
    while (items[at] !== anchor) at--;
    return at;
  }

  function vote(n: number): number {
    return neighbours.scoreAt(n) * queryWeights[anchorOf(neighbours.indexAt(n))]! ** params.anchorPower;
  }

  function scoresOf(query: SessionQuery): SessionScores {
    const queryLength = readQuery(query);
    if (queryLength === 0) return { products, scores, count: 0, neighbours: 0 };
    const met = findNeighbours(queryLength);
    let count = 0;
    for (let n = 0; n < neighbours.size(); n++) {
      const session = neighbours.indexAt(n);
      const anchor = queryItems[anchorOf(session)]!;
      const anchorAt = anchorPlace(session, anchor);
      const ballot = vote(n);
      for (let at = offsets[session]!; at < offsets[session + 1]!; at++) {
        const item = items[at]!;
        const added = ballot * closeness(at, anchorAt, anchor);
        if (!(added > 0)) continue;
        if (votes[item] === 0) products[count++] = item;
        votes[item]! += added;
      }
    }
    forget(met);
    for (let c = 0; c < count; c++) {
      const item = products[c]!;
      scores[c] = votes[item]! * scoreIdf[item]!;
      votes[item] = 0;
    }
    return { products, scores, count, neighbours: neighbours.size() };
  }

  return {
    scoresOf,

    recommend(query, k) {
      const { count } = scoresOf(query);
      if (count === 0) return NO_CANDIDATES;
      best.reset(k);
      for (let c = 0; c < count; c++) best.offer(products[c]!, scores[c]!);
      return best.take();
    },

    explain(query, productIndex) {
      const queryLength = readQuery(query);
      if (queryLength === 0) return undefined;
      const met = findNeighbours(queryLength);
      const because = new Float64Array(queryLength);
      let holding = 0;
      for (let n = 0; n < neighbours.size(); n++) {
        const session = neighbours.indexAt(n);
        const anchor = queryItems[anchorOf(session)]!;
        const anchorAt = anchorPlace(session, anchor);
        let added = 0;
        for (let at = offsets[session]!; at < offsets[session + 1]!; at++) {
          if (items[at] === productIndex) added += vote(n) * closeness(at, anchorAt, anchor);
        }
        if (!(added > 0)) continue;
        holding++;
        const row = items.subarray(offsets[session]!, offsets[session + 1]!);
        for (let q = 0; q < queryLength; q++) if (row.includes(queryItems[q]!)) because[q]! += added;
      }
      forget(met);
      if (holding === 0) return undefined;
      const order = Array.from(because.keys()).filter((q) => because[q]! > 0);
      order.sort((a, b) => because[b]! - because[a]! || a - b);
      return {
        becauseOf: order.map((q) => queryItems[q]!),
        counts: { neighbours: holding, similar_sessions: neighbours.size() },
      };
    },
  };
}

/** exp(-step / decay) for every step within a session. */
function decayTable(decay: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, step) => Math.exp(-step / decay));
}
