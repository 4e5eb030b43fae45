/** What a recommender should at least be better than, fitted on the training part of a bench and asked in process. */
import { rowsFrom } from "../src/learning/common/rows.js";
import { createTopK } from "../src/learning/common/top-k.js";
import { linearSessionAnswers } from "../src/learning/evaluation/baselines.js";
import { createSessionRecommender, fitSessionNeighbours } from "../src/learning/session/session-neighbours.js";
import { SESSION_PRESETS } from "../src/learning/session/session-params.js";

/** Products for a history, oldest first; best first. */
export type Answer = (history: readonly string[]) => readonly string[];

/** Products given by each answer, so that 20 new ones are among them. */
const DEPTH = 60;

/** The products most often met. */
export function popularityAlone(counts: ReadonlyMap<string, number>): Record<string, Answer> {
  const popular = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, DEPTH)
    .map(([item]) => item);
  return { popularity: () => popular };
}

/** Days after which a session counts 1/e for SLIST. */
const SLIST_DAYS = 120;

/** Popularity, item kNN, VSTAN with each preset and SLIST, for the next product of a session. */
export function nextItemBaselines(
  train: readonly (readonly { readonly item: string; readonly at: number }[])[],
): Record<string, Answer> {
  const counts = new Map<string, number>();
  for (const { item } of train.flat()) counts.set(item, (counts.get(item) ?? 0) + 1);
  const names = [...counts.keys()];
  const indexOf = new Map(names.map((item, index) => [item, index]));
  const inTime = [...train].sort((a, b) => (a.at(-1)?.at ?? 0) - (b.at(-1)?.at ?? 0));
  const rows = inTime.map((session) => session.map(({ item }) => indexOf.get(item)!));
  const input = { sessions: rowsFrom(rows), endedAt: Float64Array.from(inTime, (session) => session.at(-1)?.at ?? 0) };
  const known = (history: readonly string[]) =>
    Uint32Array.from(history.map((item) => indexOf.get(item)).filter((index) => index !== undefined));
  const answers = popularityAlone(counts);
  answers["item kNN"] = itemNeighbours(rows, names, indexOf);
  for (const [preset, params] of Object.entries(SESSION_PRESETS)) {
    const recommender = createSessionRecommender(fitSessionNeighbours(input, names.length, params));
    answers[`VSTAN ${preset}`] = (history) =>
      Array.from(recommender.recommend({ items: known(history) }, DEPTH).indices, (index) => names[index]!);
  }
  const slist = linearSessionAnswers(input.sessions, input.endedAt, names.length, SLIST_DAYS);
  answers.SLIST = (history) => Array.from(slist(known(history), DEPTH).indices, (index) => names[index]!);
  return answers;
}

/** Cosine of the sets of sessions of the last product and each other one. */
function itemNeighbours(
  rows: readonly (readonly number[])[],
  names: readonly string[],
  indexOf: ReadonlyMap<string, number>,
): Answer {
  const sets = rows.map((row) => [...new Set(row)]);
  const sessionsOf: number[][] = names.map(() => []);
  for (const [s, set] of sets.entries()) for (const item of set) sessionsOf[item]!.push(s);
  const best = createTopK();
  return (history) => {
    const last = indexOf.get(history.at(-1) ?? "");
    if (last === undefined) return [];
    const shared = new Map<number, number>();
    for (const s of sessionsOf[last]!) for (const item of sets[s]!) shared.set(item, (shared.get(item) ?? 0) + 1);
    best.reset(DEPTH);
    for (const [item, count] of shared)
      if (item !== last) best.offer(item, count / Math.sqrt(sessionsOf[item]!.length));
    return Array.from(best.take().indices, (index) => names[index]!);
  };
}
