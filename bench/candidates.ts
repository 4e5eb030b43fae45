/**
 * How often the next product is among the candidates, which the learned order cannot add to: recall@50, 100 and 200 of
 * their union and of each source alone, by length of history. By the algorithms alone, without HTTP.
 *
 *   npm run bench -- candidates [diginetica|yoochoose_100k|tmall …] [--every N] [--held-back] [--missed]
 *
 * Learns from train, asks every N-th session of dev (8 when absent); with `--held-back` the newest sessions of train.
 * `union` are the candidates in the order in which they are collected, `all` their number on average and the share of
 * answers among all of them. `--missed` learns the order, too. Plain session neighbours (cosine of sets, SKNN) have
 * answers among their first 20 that it has not: the option tells at which places the order has these.
 */
import { parseArgs } from "node:util";
import { createCandidateFeatures } from "../src/learning/ranking/reranker/candidate-features.js";
import { SCORES } from "../src/learning/ranking/reranker/feature-names.js";
import { type Question, queryOf } from "../src/learning/ranking/reranker/questions.js";
import { fitRankerSources } from "../src/learning/ranking/reranker/ranker-sources.js";
import { type ScoreBoard, type Slots, scoreAt } from "../src/learning/ranking/reranker/score-board.js";
import { fitSessionNeighbours } from "../src/learning/session/session-neighbours.js";
import { chooseSessionParams } from "../src/learning/session/session-tuning.js";
import { needsSharedData } from "../test/fixtures/shared-data.js";
import { judgeMissed } from "./candidates/missed.js";
import { readSessionData, type SessionData } from "./session-data.js";

const SEED = 20_261_121;
const DATA_SETS = ["diginetica", "yoochoose_100k", "tmall"];
const DEPTHS = [50, 100, 200] as const;
const HISTORIES = [
  { label: "1", least: 1, most: 1 },
  { label: "2", least: 2, most: 2 },
  { label: "3-4", least: 3, most: 4 },
  { label: "5+", least: 5, most: Number.POSITIVE_INFINITY },
] as const;

/** Place of an answer, from 0; -1 when it was not proposed. */
interface Outcome {
  readonly steps: number;
  readonly place: number;
}

/** How many products a board scores better than the answer; -1 when it does not score it. */
function placeOn(board: ScoreBoard, slots: Slots, answer: number): number {
  const own = scoreAt(board, slots.of(answer));
  if (!(own > 0)) return -1;
  let better = 0;
  for (let slot = 0; slot < slots.count; slot++) if (scoreAt(board, slot) > own) better++;
  return better;
}

function recall(outcomes: readonly Outcome[], depth: number): string {
  const found = outcomes.filter(({ place }) => place >= 0 && place < depth).length;
  return outcomes.length === 0 ? "-" : (found / outcomes.length).toFixed(3);
}

function line(title: string, outcomes: readonly Outcome[]): string {
  const groups = HISTORIES.map(({ least, most }) => outcomes.filter(({ steps }) => steps >= least && steps <= most));
  const cells = [outcomes, ...groups].map((group) => DEPTHS.map((depth) => recall(group, depth)).join(" "));
  return [title.padEnd(14), ...cells].join("   ");
}

function judge({ productCount, visits, judged, questions }: SessionData, name: string): void {
  const { sessions, endedAt } = visits;
  const { params } = chooseSessionParams({ sessions, endedAt }, productCount);
  const neighbours = fitSessionNeighbours({ sessions, endedAt }, productCount, params);
  const features = createCandidateFeatures(fitRankerSources(visits, neighbours, SEED));
  const outcomes = new Map<string, Outcome[]>(["union", ...SCORES].map((source) => [source, []]));
  let candidateCount = 0;
  let found = 0;
  const ask = (question: Question) => {
    const query = queryOf(judged, question);
    const count = features.make(query);
    const steps = query.runs.reduce((sum, run) => sum + run, 0);
    const place = features.candidates.subarray(0, count).indexOf(question.next);
    candidateCount += count;
    if (place >= 0) found++;
    outcomes.get("union")?.push({ steps, place });
    for (const source of SCORES)
      outcomes.get(source)?.push({ steps, place: placeOn(features.boards[source], features.slots, question.next) });
  };
  for (const question of questions) ask(question);
  const all = `all: ${(candidateCount / questions.length).toFixed(0)} candidates, ${(found / questions.length).toFixed(3)}`;
  console.log(`\n${name}: ${questions.length} steps; recall@${DEPTHS.join(", ")}; ${all}`);
  const heads = ["all steps", ...HISTORIES.map(({ label }) => `history of ${label}`)];
  console.log(["".padEnd(14), ...heads.map((head) => head.padEnd(17))].join("   ").trimEnd());
  for (const [source, its] of outcomes) console.log(line(source, its));
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string", default: "8" },
    "held-back": { type: "boolean", default: false },
    missed: { type: "boolean", default: false },
  },
});
for (const name of positionals.length > 0 ? positionals : DATA_SETS) {
  if (!DATA_SETS.includes(name) || !needsSharedData("behaviour", name)) process.exit(2);
  const data = readSessionData(name, Number(values.every), values["held-back"]);
  judge(data, name);
  if (values.missed) judgeMissed(data, SEED);
}
