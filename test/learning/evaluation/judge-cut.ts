/** Asks the service's answer and known methods the same questions about a young shop. */
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import { createCatalogViews } from "../../../src/catalog/catalog-view.js";
import { createRandom } from "../../../src/learning/common/random.js";
import { baselineRankings } from "../../../src/learning/evaluation/baselines.js";
import {
  hiddenLineQuestions,
  newOnly,
  nextItemQuestions,
  type Question,
} from "../../../src/learning/evaluation/questions.js";
import { answerRanking, ask, createAnswers, type Ranking } from "../../../src/learning/evaluation/rankings.js";
import { decodeContainer } from "../../../src/learning/snapshot/container.js";
import { loadServingModel } from "../../../src/learning/snapshot/serving-model.js";
import { decodeSessionNeighbours } from "../../../src/learning/sources/sessions/session-neighbours.js";
import { readDataset } from "../../../src/learning/training/dataset.js";
import { trainModel } from "../../../src/learning/training/train-model.js";
import type { CutShop } from "./cut-shop.js";

const DEPTH = 20;
const DRAWS = 1000;
const SEED = 20_261_124;

/** A figure, and how far it may be from the truth: 95 % of the bootstrap's draws of visits or orders. */
interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

interface RankingFigures {
  readonly name: string;
  /** How much the service's answer is above it, on the same questions. */
  readonly hitRateLead: Interval;
  readonly reciprocalRankLead: Interval;
}

interface JudgedTask {
  readonly task: "next_item" | "next_new_item" | "hidden_line";
  /** The service's answer first. */
  readonly rankings: readonly RankingFigures[];
}

export interface JudgedCut {
  readonly tasks: readonly JudgedTask[];
}

export async function judgeCut(cut: CutShop, isOrders: boolean, maxQueries: number): Promise<JudgedCut> {
  const options = { appId: "shop", vectorIndexes: hnswIndexes(), onProgress: () => undefined, ...cut.stores };
  const { bytes } = await trainModel(options);
  const model = loadServingModel("", bytes, options.vectorIndexes);
  const data = await readDataset("shop", cut.stores);
  const views = createCatalogViews({ ...cut.stores.products, watch: () => () => {} }, () => 0);
  const section = decodeContainer(bytes).sections.get("session_neighbours");
  const baselines = baselineRankings(
    {
      rows: isOrders ? data.baskets : data.sessions,
      endedAt: data.sessionEndedAt,
      productCount: data.productIds.length,
      popularity: model.popularity,
      byPopularity: model.byPopularity,
      sessions: section && decodeSessionNeighbours(section),
    },
    !isOrders,
  );
  const rankings = [answerRanking(createAnswers(model, await views.of("shop")), "recommended"), ...baselines];
  const met = new Set(data.meetings.productIndices);
  const context = {
    visits: cut.later,
    indexOf: model.indexOf,
    isMet: (product: number) => met.has(product),
    maxQueries: Number.POSITIVE_INFINITY,
    seed: SEED,
  };
  const { asked } = isOrders ? hiddenLineQuestions(context) : nextItemQuestions(context, false);
  const knows = ({ steps }: Question) => steps.some(({ productId }) => model.indexOf(productId) !== undefined);
  const questions = drawn(asked.filter(knows), maxQueries);
  const answered = questions.map((question) => ({
    question,
    lists: rankings.map((ranking) => Array.from(ranking.answer(ask(question, model), DEPTH + 40))),
  }));
  const placesFor = (read: (question: Question) => Question | undefined) =>
    answered.flatMap(({ question, lists }) => {
      const each = read(question);
      if (each === undefined) return [];
      const answer = each.next ?? [...each.wanted][0]!;
      const place = (list: readonly number[]) => list.filter((p) => !each.excluded.has(p)).indexOf(answer);
      return [{ unit: unitOf(question), places: lists.map(place) }];
    });
  const task = (name: JudgedTask["task"], read: (question: Question) => Question | undefined) =>
    figuresOf(name, rankings, placesFor(read));
  const tasks = isOrders
    ? [task("hidden_line", (question) => question)]
    : [
        task("next_item", (question) => question),
        task("next_new_item", (question) => newOnly(question, model.indexOf)),
      ];
  return { tasks };
}

/** Steps of one visit belong together: they begin at one time. */
function unitOf({ steps }: Question): number {
  return steps[0]?.at ?? 0;
}

interface Placed {
  readonly unit: number;
  /** Place of the answer in each ranking, from 0; -1 for none. */
  readonly places: readonly number[];
}

function figuresOf(task: JudgedTask["task"], rankings: readonly Ranking[], placed: readonly Placed[]): JudgedTask {
  const hit = (place: number) => (place >= 0 && place < DEPTH ? 1 : 0);
  const reciprocal = (place: number) => hit(place) / (place + 1 || 1);
  const units = placed.map(({ unit }) => unit);
  const interval = (worthOf: (places: readonly number[]) => number) =>
    bootstrap(
      placed.map(({ places }) => worthOf(places)),
      units,
    );
  return {
    task,
    rankings: rankings.map(({ name }, r) => ({
      name,
      hitRateLead: interval((places) => hit(places[0]!) - hit(places[r]!)),
      reciprocalRankLead: interval((places) => reciprocal(places[0]!) - reciprocal(places[r]!)),
    })),
  };
}

/** The mean, and the middle 95 % of the means of as many units drawn with replacement. */
function bootstrap(values: readonly number[], units: readonly number[]): Interval {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [i, value] of values.entries()) {
    const { sum, count } = sums.get(units[i]!) ?? { sum: 0, count: 0 };
    sums.set(units[i]!, { sum: sum + value, count: count + 1 });
  }
  const all = [...sums.values()];
  const random = createRandom(SEED);
  const means = Float64Array.from({ length: DRAWS }, () => {
    let sum = 0;
    let count = 0;
    for (let i = 0; i < all.length; i++) {
      const unit = all[Math.floor(random() * all.length)]!;
      sum += unit.sum;
      count += unit.count;
    }
    return sum / Math.max(1, count);
  }).sort();
  const value = values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
  return { value, low: means[Math.floor(0.025 * DRAWS)]!, high: means[Math.floor(0.975 * DRAWS)]! };
}

/** So many of them, drawn by the seed, in their order. */
function drawn<T>(all: readonly T[], most: number): readonly T[] {
  const random = createRandom(SEED);
  const keyed = all.map((one, at) => ({ one, at, key: random() }));
  const chosen = keyed.sort((a, b) => a.key - b.key).slice(0, most);
  return chosen.sort((a, b) => a.at - b.at).map(({ one }) => one);
}
