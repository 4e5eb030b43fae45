/**
 * Learns one forest from several shops. In each shop sources are fitted on the older sessions and asked at the steps of
 * the newest ones, as in a training; questions of all shops are learned from together, each shop counting alike.
 */
import { createRandom } from "../../src/learning/common/random.js";
import { evenly, rowCount } from "../../src/learning/common/rows.js";
import { learnBinsOfParts } from "../../src/learning/rank/trees/bins.js";
import type { Forest } from "../../src/learning/rank/trees/forest.js";
import { BOOSTING_DEFAULTS, type BoostingParams, boostRanking } from "../../src/learning/rank/trees/listwise.js";
import { createRankedGroups } from "../../src/learning/rank/trees/ranked-groups.js";
import { type CandidateFeatures, createCandidateFeatures } from "../../src/learning/rank/visits/candidate-features.js";
import { FEATURE_COUNT, FEATURES } from "../../src/learning/rank/visits/feature-names.js";
import { addQuestion } from "../../src/learning/rank/visits/learn-ranker.js";
import { type Question, queryOf, questionsFrom } from "../../src/learning/rank/visits/questions.js";
import { fitRankerSources } from "../../src/learning/rank/visits/ranker-sources.js";
import { firstVisits } from "../../src/learning/rank/visits/visits.js";
import { fitSessionNeighbours } from "../../src/learning/sources/sessions/session-neighbours.js";
import { chooseSessionParams } from "../../src/learning/sources/sessions/session-tuning.js";
import type { Shop } from "./shops.js";

/** Share of a shop's newest sessions that are asked. */
const ASKED = 0.1;
/** Of so many sessions one stops the boosting. */
const HELD_OUT = 5;
const PILOT = 12;

/** No tree asks for what grows with the number of sessions, as shares among candidates do not. */
const SIZE_DEPENDENT: ReadonlySet<string> = new Set(["neighbours"]);

interface ForestOptions {
  readonly questionsPerShop: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const BOOSTING: BoostingParams = {
  ...BOOSTING_DEFAULTS,
  trees: 120,
  leaves: 12,
  learningRate: 0.15,
  minHessian: 10,
  patience: 20,
  focus: 0.2,
  thinAfter: 10,
  thinTo: 32,
};

export function learnForest(shops: readonly Shop[], { seed, questionsPerShop, say }: ForestOptions): Forest {
  const asked = shops.map((shop) => ({ shop, ...askedOf(shop, seed) }));
  const masked = FEATURES.map((name) => SIZE_DEPENDENT.has(name));
  const pilots = asked.map(({ shop, features, questions }) =>
    pilotRows(features(), shop, evenly(questions, PILOT), masked),
  );
  const bins = learnBinsOfParts(pilots, FEATURE_COUNT);
  const learned = createRankedGroups(bins);
  const heldOut = createRankedGroups(bins);
  for (const { shop, features, questions } of asked) {
    const made = features();
    const chosen = evenly(questions, questionsPerShop);
    for (const question of chosen)
      addQuestion(
        question.session % HELD_OUT === 0 ? heldOut : learned,
        made,
        queryOf(shop.visits, question),
        question.next,
      );
  }
  const { forest, losses, featureGains } = boostRanking(
    bins,
    learned.all(),
    heldOut.all(),
    BOOSTING,
    createRandom(seed),
  );
  const gains = [...featureGains.entries()].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const total = featureGains.reduce((a, b) => a + b, 0);
  say(`${learned.all().answers.length} questions, ${forest.roots.length} trees, loss ${losses.at(-1)?.toFixed(3)}`);
  say(gains.map(([f, gain]) => `${FEATURES[f]} ${((100 * gain) / total).toFixed(0)}`).join(", "));
  return forest;
}

/** The questions of a shop's newest sessions, and features from sources of the sessions before. */
function askedOf({ visits, productCount }: Shop, seed: number) {
  const total = rowCount(visits.sessions);
  const first = total - Math.max(1, Math.floor(total * ASKED));
  const older = firstVisits(visits, first);
  const known = new Set(older.sessions.items);
  const { params } = chooseSessionParams(older, productCount);
  let made: CandidateFeatures | undefined;
  return {
    questions: [...questionsFrom(visits, first)].filter(({ next }) => known.has(next)),
    features: () => {
      made ??= createCandidateFeatures(
        fitRankerSources(older, fitSessionNeighbours(older, productCount, params), seed),
      );
      return made;
    },
  };
}

function pilotRows(
  features: CandidateFeatures,
  { visits }: Shop,
  questions: readonly Question[],
  masked: readonly boolean[],
): Float32Array {
  const rows: number[] = [];
  for (const question of questions) {
    const count = features.make(queryOf(visits, question));
    for (let at = 0; at < count * FEATURE_COUNT; at++) rows.push(masked[at % FEATURE_COUNT] ? 0 : features.rows[at]!);
  }
  return Float32Array.from(rows);
}
