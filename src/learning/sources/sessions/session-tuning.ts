/**
 * Chooses among presets of session neighbours by the app's own data: a model of all but the newest sessions predicts the
 * newest ones, step by step. The best HR@20 + MRR@20 wins; a preset other than the default must win by more than chance.
 *
 * Costs one fit for each preset and some tenths of a second of queries; deterministic.
 */
import { type Rows, rowCount } from "../../common/rows.js";
import { fitSessionNeighbours, SESSION_PRESETS, type SessionInput, type SessionParams } from "./session-neighbours.js";
import { createSessionRecommender } from "./session-recommender.js";

const DEPTH = 20;
/** Share of the newest sessions that is predicted. */
const NEWEST = 0.1;
/** Predictions made with each preset at most, spread over the newest sessions. */
const MAX_STEPS = 3000;
/** With fewer predictions the differences are chance: the default stays. */
const MIN_STEPS = 300;
/** What another preset must gain over the default. */
const MARGIN = 0.005;

export interface TriedPreset {
  readonly name: keyof typeof SESSION_PRESETS;
  readonly hitRate: number;
  readonly reciprocalRank: number;
}

export interface ChosenParams {
  readonly name: keyof typeof SESSION_PRESETS;
  readonly params: SessionParams;
  /** Empty when there was too little data to try. */
  readonly tried: readonly TriedPreset[];
}

/** `input.sessions` in order of time. */
export function chooseSessionParams(input: SessionInput, productCount: number): ChosenParams {
  const total = rowCount(input.sessions);
  const first = total - Math.floor(total * NEWEST);
  const queries = stepsOf(input.sessions, first);
  const unchosen = { name: "browsing", params: SESSION_PRESETS.browsing, tried: [] } as const;
  if (queries.length < MIN_STEPS) return unchosen;
  const older = before(input, first);
  const names = ["browsing", "quick", "returning"] as const;
  const tried = names.map((name): TriedPreset => {
    const recommender = createSessionRecommender(fitSessionNeighbours(older, productCount, SESSION_PRESETS[name]));
    let hits = 0;
    let reciprocal = 0;
    for (const { items, next } of queries) {
      const rank = recommender.recommend({ items }, DEPTH).indices.indexOf(next);
      if (rank < 0) continue;
      hits++;
      reciprocal += 1 / (rank + 1);
    }
    return { name, hitRate: hits / queries.length, reciprocalRank: reciprocal / queries.length };
  });
  const worth = (preset: TriedPreset) =>
    preset.hitRate + preset.reciprocalRank + (preset.name === unchosen.name ? MARGIN : 0);
  const best = tried.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  return { name: best.name, params: SESSION_PRESETS[best.name], tried };
}

/** Prefixes of the sessions from `first` on, and what came next; every n-th when there are too many. */
function stepsOf({ offsets, items }: Rows, first: number): { readonly items: Uint32Array; readonly next: number }[] {
  const steps: { items: Uint32Array; next: number }[] = [];
  let count = 0;
  for (let s = first; s + 1 < offsets.length; s++) count += Math.max(0, offsets[s + 1]! - offsets[s]! - 1);
  const every = Math.ceil(count / MAX_STEPS);
  let n = 0;
  for (let s = first; s + 1 < offsets.length; s++) {
    for (let at = offsets[s]! + 1; at < offsets[s + 1]!; at++) {
      if (n++ % every === 0) steps.push({ items: items.subarray(offsets[s]!, at), next: items[at]! });
    }
  }
  return steps;
}

/** The sessions before row `first`. */
function before({ sessions, endedAt, strengths }: SessionInput, first: number): SessionInput {
  const end = sessions.offsets[first]!;
  return {
    sessions: { offsets: sessions.offsets.subarray(0, first + 1), items: sessions.items.subarray(0, end) },
    endedAt: endedAt.subarray(0, first),
    ...(strengths && { strengths: strengths.subarray(0, end) }),
  };
}
