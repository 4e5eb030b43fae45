/**
 * Offline evaluation of an app on its own data, split by time: learned from all visits but the newest tenth, judged on that
 * tenth over the whole catalogue, without sampled negatives. The catalogue has no history and is read as it is now: texts
 * of later products are known, as they would be from a feed. Availability is ignored, as it may have changed.
 */

import { type CatalogView, createCatalogViews } from "../../catalog/catalog-view.js";
import { Conflict } from "../../domain/errors.js";
import type { SnapshotBytes } from "../../domain/model.js";
import type { Product } from "../../domain/product.js";
import { standingVariants } from "../../domain/variant-group.js";
import type { Rows } from "../common/rows.js";
import { decodeContainer } from "../snapshot/container.js";
import { loadServingModel } from "../snapshot/serving-model.js";
import { decodeSessionNeighbours } from "../sources/sessions/session-neighbours.js";
import type { ServingModel } from "../sources/source.js";
import { type Dataset, readDataset } from "../training/dataset.js";
import { type TrainModelOptions, trainModel } from "../training/train-model.js";
import { baselineRankings, boughtBeforeRanking, popularityRanking } from "./baselines.js";
import { standings } from "./figures.js";
import {
  hiddenLineQuestions,
  newOnly,
  nextItemQuestions,
  nextOrderQuestions,
  notBought,
  type Question,
  type QuestionContext,
  type Questions,
  restOfOrderQuestions,
} from "./questions.js";
import { answerRanking, ask, createAnswers, type Ranking, sourceRanking } from "./rankings.js";
import type { EvaluatedTask, Evaluation } from "./report.js";
import { siblingsOf } from "./siblings.js";
import { alsoViewedTask, similarTask } from "./similar-products.js";
import { judgeSubstitutes, judgeTasks, notJudged, type TaskContext } from "./tasks.js";
import { usedFrameTask } from "./used-frame.js";
import { customersSince, interactionsBefore, interactionsById, splitByTime, visitsSince } from "./visits.js";

const NEWEST_SHARE = 0.1;
const MIN_VISITS = 20;
/** Share of the work that the training takes. */
const TRAINING_SHARE = 0.6;

export interface EvaluateAppOptions extends TrainModelOptions {
  /** Maximum questions of a task; more are sampled by the seed. */
  readonly maxQueries: number;
  readonly seed: number;
}

/**
 * Trains and judges; the same data, seed and number of questions give the same report. Rejects with
 * Conflict("not_enough_data") when there are too few visits to split.
 */
export async function evaluateApp(options: EvaluateAppOptions): Promise<Evaluation> {
  const { appId, onProgress, seed, maxQueries } = options;
  onProgress({ stage: "split", progress: 0 });
  const all: Product[] = [];
  for await (const batch of options.products.scan(appId)) all.push(...batch);
  const standing = standingVariants(all);
  const interactions = interactionsById(options.interactions, (name) => standing.get(name) ?? name);
  const split = await splitByTime(appId, interactions, NEWEST_SHARE);
  if (split === undefined || split.visitsBefore < MIN_VISITS)
    throw new Conflict(
      "not_enough_data",
      `${split?.visitsBefore ?? 0} visits before the newest tenth, ${MIN_VISITS} are needed`,
    );
  const { cutOff } = split;
  const products = { scan: () => batchesOf(all) };
  const earlier = { products, interactions: interactionsBefore(interactions, cutOff) };
  const { manifest, bytes } = await trainModel({
    ...options,
    ...earlier,
    onProgress: ({ stage, progress }) => onProgress({ stage, progress: progress * TRAINING_SHARE }),
  });
  const model = loadServingModel("", bytes, options.vectorIndexes);
  const data = await readDataset(appId, earlier);
  const visits = await visitsSince(appId, interactions, cutOff);
  const met = new Set(data.meetings.productIndices);
  const isMet = (product: number) => met.has(product);
  const context: QuestionContext = { visits, indexOf: model.indexOf, isMet, maxQueries, seed };
  const catalog = await catalogOf(all);

  const answers = createAnswers(model, catalog);
  const siblings = siblingsOf(all, model);
  const task: TaskContext = {
    ask: (question) => ask(question, model),
    popularityOf: standings(model.popularity),
    siblings,
  };
  const service = [
    answerRanking(answers, "recommended"),
    ...model.sources.map((source) => sourceRanking(source, "recommended")),
  ];
  const stage = (name: string, progress: number) => onProgress({ stage: name, progress });
  /** The task's share of the work, reported from its start. */
  const telling = (name: string, from: number, to: number): TaskContext => {
    stage(name, from);
    return { ...task, onShare: (share) => stage(name, from + share * (to - from)) };
  };
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
    const readings = [
      { name: "next_item", possible: next.possible, of: sameQuestion },
      { name: "next_new_item", possible: next.possibleNew, of: onlyNew },
    ];
    tasks.push(...judgeTasks(next.asked, readings, rankings, telling("next_item", 0.66, 0.76)));
  }

  const rest = restOfOrderQuestions(context);
  const customers = nextOrderQuestions(await customersSince(appId, interactions, cutOff), context);
  const ofOrders = rest.asked.length + customers.asked.length > 0 ? baselinesOver(data.baskets, false) : [];
  if (rest.asked.length === 0) {
    const reason = "no order of two known products since the cut-off";
    tasks.push(notJudged("hidden_line", reason), notJudged("rest_of_order", reason));
  } else {
    const rankings = [...service, ...ofOrders];
    const hidden = hiddenLineQuestions(context);
    tasks.push(...judgeOne("hidden_line", hidden, rankings, telling("hidden_line", 0.8, 0.82)));
    tasks.push(...judgeOne("rest_of_order", rest, rankings, telling("rest_of_order", 0.82, 0.84)));
  }

  if (customers.asked.length === 0) {
    const reason = "no customer of before the cut-off ordered a known product since";
    tasks.push(notJudged("next_order", reason), notJudged("next_order_new", reason));
  } else {
    const answer = answerRanking(answers, "recommended", true);
    const rankings = [answer, ...service.slice(1), ...ofOrders, boughtBeforeRanking(popularityRanking(model))];
    const readings = [
      { name: "next_order", possible: customers.possible, of: sameQuestion },
      {
        name: "next_order_new",
        possible: customers.possibleNew,
        of: (question: Question) => notBought(question, model.indexOf),
      },
    ];
    tasks.push(...judgeTasks(customers.asked, readings, rankings, telling("next_order", 0.84, 0.87)));
  }

  stage("used_frame", 0.87);
  const ofFrame = rest.asked.length > 0 ? hiddenLineQuestions(context) : next;
  tasks.push(
    ofFrame.asked.length === 0
      ? notJudged("used_frame", "no order or visit of two known products since the cut-off")
      : usedFrameTask(ofFrame, answers, model, siblings),
  );

  stage("similar_products", 0.88);
  tasks.push(await similarTask(all, model, catalogOf, options, context));
  tasks.push(alsoViewedTask(all, model, catalog, context));

  const cold = nextItemQuestions(context, true);
  tasks.push(
    ...(cold.possibleNew === 0
      ? [notJudged("cold_start", "no visit to a product that was first met since the cut-off")]
      : judgeTasks(
          cold.asked,
          [{ name: "cold_start", possible: cold.possibleNew, of: onlyNew }],
          [answerRanking(answers, "alternative"), ...service],
          telling("cold_start", 0.94, 0.97),
        )),
  );

  stage("substitutes", 0.97);
  const situations = next.asked.length > 0 ? next.asked : rest.asked;
  tasks.push(
    judgeSubstitutes(
      situations,
      (productId) => catalog.get(productId),
      (product) => catalog.get(model.productIds[product]!),
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

const sameQuestion = (question: Question) => question;

function judgeOne(name: string, { asked, possible }: Questions, rankings: readonly Ranking[], task: TaskContext) {
  return judgeTasks(asked, [{ name, possible, of: sameQuestion }], rankings, task);
}

function baselineData(model: ServingModel, data: Dataset, rows: Rows, bytes: SnapshotBytes) {
  const section = decodeContainer(bytes).sections.get("session_neighbours");
  return {
    rows,
    endedAt: data.sessionEndedAt,
    productCount: data.productIds.length,
    popularity: model.popularity,
    byPopularity: model.byPopularity,
    sessions: section && decodeSessionNeighbours(section),
  };
}

/** A catalogue in which everything may be shown. */
function catalogOf(products: readonly Product[]): Promise<CatalogView> {
  const shown = products.map((product) => ({
    ...product,
    available: true,
    hidden: false,
    validFrom: 0,
    validUntil: 0,
  }));
  return createCatalogViews({ scan: () => batchesOf(shown), watch: () => () => {} }, () => 0).of("");
}

async function* batchesOf(products: readonly Product[]): AsyncGenerator<readonly Product[]> {
  yield products;
}
