/**
 * Offline evaluation of an app on its own data, parted by time: learned from all visits but the newest tenth, judged on
 * these over the whole catalogue, no negatives sampled. The catalogue has no history: it is read as it is now, so texts
 * of products that came later are known, as are those of a shop whose feed runs ahead of its visitors; availability is
 * not looked at, as it may have been another.
 */
import type { Rows } from "../algorithms/rows.js";
import { decodeSessionNeighbours } from "../algorithms/session-neighbours.js";
import { createCatalogViews } from "../catalog/catalog-view.js";
import { Conflict } from "../domain/errors.js";
import type { Product } from "../domain/product.js";
import { decodeContainer } from "../model/container.js";
import { loadServingModel } from "../model/serving-model.js";
import type { ServingModel, Source } from "../model/source.js";
import { semanticSource } from "../model/sources/semantic.js";
import { type Dataset, readDataset } from "../training/dataset.js";
import { learnSemantic } from "../training/semantic.js";
import { TRAINING_SEED, type TrainModelOptions, trainModel } from "../training/train-model.js";
import { baselineRankings, popularityRanking } from "./baselines.js";
import { standings } from "./figures.js";
import {
  hiddenLineQuestions,
  newOnly,
  nextItemQuestions,
  type OrderLine,
  type QuestionContext,
  type Questions,
  restOfOrderQuestions,
  similarQuestions,
} from "./questions.js";
import { answerRanking, ask, createAnswers, type Ranking, sourceRanking } from "./rankings.js";
import type { EvaluatedTask, Evaluation } from "./report.js";
import { judgeSimilar, judgeSubstitutes, judgeTasks, notJudged, type TaskContext } from "./tasks.js";
import { interactionsBefore, splitByTime, visitsSince } from "./visits.js";

const NEWEST_SHARE = 0.1;
const MIN_VISITS = 20;
/** Share of the work that training is. */
const TRAINING_SHARE = 0.6;
/** Sources that propose alternatives. */
const ALTERNATIVE_SOURCES: readonly Source["name"][] = ["semantic", "collaborative"];

export interface EvaluateAppOptions extends TrainModelOptions {
  /** Most questions of a task; a draw by the seed beyond. */
  readonly maxQueries: number;
  readonly seed: number;
}

/**
 * Learns and judges; the same data, seed and number of questions give the same report. Rejects with
 * Conflict("precondition") when there are too few visits to part.
 */
export async function evaluateApp(options: EvaluateAppOptions): Promise<Evaluation> {
  const { appId, onProgress, seed, maxQueries } = options;
  onProgress({ stage: "split", progress: 0 });
  const split = await splitByTime(appId, options.interactions, NEWEST_SHARE);
  if (split === undefined || split.visitsBefore < MIN_VISITS)
    throw new Conflict(
      "precondition",
      `${split?.visitsBefore ?? 0} visits before the newest tenth, ${MIN_VISITS} are needed`,
    );
  const { cutOff } = split;
  const all: Product[] = [];
  for await (const batch of options.products.scan(appId)) all.push(...batch);
  const products = { scan: () => batchesOf(all) };
  const earlier = { products, interactions: interactionsBefore(options.interactions, cutOff) };
  const { manifest, bytes } = await trainModel({
    ...options,
    ...earlier,
    onProgress: ({ stage, progress }) => onProgress({ stage, progress: progress * TRAINING_SHARE }),
  });
  const model = loadServingModel("", bytes, options.vectorIndexes);
  const data = await readDataset(appId, earlier);
  const visits = await visitsSince(appId, options.interactions, cutOff);
  const met = new Set(data.meetings.productIndices);
  const isMet = (product: number) => met.has(product);
  const context: QuestionContext = { visits, indexOf: model.indexOf, isMet, maxQueries, seed };
  const catalog = await createCatalogViews({
    scan: () => batchesOf(all.map((product) => ({ ...product, available: true, hidden: false }))),
    watch: () => () => {},
  }).of(appId);

  const answers = createAnswers(model, catalog);
  const task: TaskContext = { ask: (question) => ask(question, model), popularityOf: standings(model.popularity) };
  const service = [
    answerRanking(answers, "recommended"),
    ...model.sources.map((source) => sourceRanking(source, "recommended")),
  ];
  const stage = (name: string, progress: number) => onProgress({ stage: name, progress });
  const baselinesOver = (rows: Rows, ordered: boolean) => {
    stage("baselines", ordered ? 0.62 : 0.76);
    return baselineRankings(baselineData(model, data, rows, bytes), ordered);
  };

  const onlyNew = (question: Question) => newOnly(question, model.indexOf);

  const tasks: EvaluatedTask[] = [];
  const next = nextItemQuestions(context, false);
  if (next.asked.length === 0) {
    const reason = "no visit of two products since the cut-off";
    tasks.push(notJudged("next_item", reason), notJudged("next_new_item", reason));
  } else {
    const rankings = [...service, ...baselinesOver(data.sessions, true)];
    stage("next_item", 0.66);
    const readings = [
      { name: "next_item", possible: next.possible, of: sameQuestion },
      { name: "next_new_item", possible: next.possibleNew, of: onlyNew },
    ];
    tasks.push(...judgeTasks(next.asked, readings, rankings, task));
  }

  const rest = restOfOrderQuestions(context);
  if (rest.asked.length === 0) {
    const reason = "no order of two known products since the cut-off";
    tasks.push(notJudged("hidden_line", reason), notJudged("rest_of_order", reason));
  } else {
    const rankings = [...service, ...baselinesOver(data.baskets, false)];
    stage("orders", 0.8);
    tasks.push(...judgeOne("hidden_line", hiddenLineQuestions(context), rankings, task));
    tasks.push(...judgeOne("rest_of_order", rest, rankings, task));
  }

  stage("similar_products", 0.88);
  tasks.push(await similarTask(all, model, catalog, options, context));

  stage("cold_start", 0.94);
  const cold = nextItemQuestions(context, true);
  tasks.push(
    ...(cold.possibleNew === 0
      ? [notJudged("cold_start", "no visit to a product that was first met since the cut-off")]
      : judgeTasks(
          cold.asked,
          [{ name: "cold_start", possible: cold.possibleNew, of: onlyNew }],
          [answerRanking(answers, "alternative"), ...service],
          task,
        )),
  );

  stage("substitutes", 0.97);
  const categoryOf = (productId: string) => categoryIdOf(catalog.get(productId));
  const situations = next.asked.length > 0 ? next.asked : rest.asked;
  tasks.push(
    judgeSubstitutes(
      situations,
      categoryOf,
      (product) => categoryOf(model.productIds[product]!),
      (question) => answers(question, {}),
    ),
  );
  return {
    cutOff,
    seed,
    dataCounts: {
      products: all.length,
      products_met: met.size,
      learned_visits: split.visitsBefore,
      learned_orders: data.baskets.offsets.length - 1,
      judged_visits: visits.length,
      judged_orders: visits.flat().filter(({ type }) => type === "order").length,
    },
    tasks,
    algorithms: manifest.algorithms,
  };
}

type Question = Questions["asked"][number];

const sameQuestion = (question: Question) => question;

function judgeOne(name: string, { asked, possible }: Questions, rankings: readonly Ranking[], task: TaskContext) {
  return judgeTasks(asked, [{ name, possible, of: sameQuestion }], rankings, task);
}

function baselineData(model: ServingModel, data: Dataset, rows: Rows, bytes: Uint8Array) {
  const section = decodeContainer(bytes).sections.get("session_neighbours");
  return {
    rows,
    productCount: data.productIds.length,
    popularity: model.popularity,
    byPopularity: model.byPopularity,
    sessions: section && decodeSessionNeighbours(section),
  };
}

/**
 * Products of the same narrowest category are wanted. What is told from texts is told without the categories here: the
 * built-in embedder learns the other texts alone, as in a catalogue that has none.
 */
async function similarTask(
  all: readonly Product[],
  model: ServingModel,
  catalog: Parameters<typeof createAnswers>[1],
  { vectorIndexes }: EvaluateAppOptions,
  context: QuestionContext,
): Promise<EvaluatedTask> {
  const classes = new Map<string, OrderLine[]>();
  for (const product of all) {
    const category = categoryIdOf(product);
    const index = model.indexOf(product.productId);
    if (category === undefined || index === undefined) continue;
    const members = classes.get(category) ?? [];
    if (members.length === 0) classes.set(category, members);
    members.push({ productId: product.productId, index });
  }
  const questions = similarQuestions(classes, context);
  if (classes.size < 2 || questions.asked.length === 0)
    return notJudged("similar_products", "fewer than two categories with products to tell apart");
  const { semantic } = await learnSemantic(
    all.map((product) => ({ ...product, categories: [] })),
    { vectorIndexes, seed: TRAINING_SEED, embedding: undefined, onProgress: () => {} },
  );
  const sources = model.sources.flatMap((source) =>
    source.name !== "semantic" ? [source] : semantic ? [semanticSource(semantic, all.length)] : [],
  );
  const plain = { ...model, sources };
  const rankings = [
    answerRanking(createAnswers(plain, catalog), "alternative"),
    ...sources
      .filter(({ name }) => ALTERNATIVE_SOURCES.includes(name))
      .map((source) => sourceRanking(source, "alternative")),
    popularityRanking(model),
  ];
  const task = { ask: (question: Question) => ask(question, plain), popularityOf: new Float64Array(0) };
  return judgeSimilar(questions, rankings, task);
}

function categoryIdOf(product: Product | undefined): string | undefined {
  return product?.categories.at(-1)?.categoryId;
}

async function* batchesOf(products: readonly Product[]): AsyncGenerator<readonly Product[]> {
  yield products;
}
