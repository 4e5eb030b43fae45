/** Lists of similar products: judged by the catalogue's categories, and by what shops themselves name beside a product. */
import type { CatalogView } from "../../catalog/catalog-view.js";
import type { Product } from "../../domain/product.js";
import { categoryOf } from "../../recommend/products/product-table.js";
import type { ServingModel, Source } from "../sources/source.js";
import { productText, semanticSource } from "../sources/texts.js";
import { learnSemantic } from "../training/semantic.js";
import { TRAINING_SEED, type TrainModelOptions } from "../training/train-model.js";
import { popularityRanking } from "./baselines.js";
import { namedQuestions, type OrderLine, type QuestionContext, type Questions, similarQuestions } from "./questions.js";
import { answerRanking, ask, createAnswers, sourceRanking } from "./rankings.js";
import type { EvaluatedTask } from "./report.js";
import { type Siblings, siblingsOf } from "./siblings.js";
import { judgeSimilar, notJudged } from "./tasks.js";

/** Sources that propose alternatives. */
const ALTERNATIVE_SOURCES: readonly Source["name"][] = ["semantic", "collaborative"];
/** Attribute that names products looked at beside one, by ids with commas or bars between. */
const ALSO_VIEWED = "also_view";

/**
 * Products of the same narrowest category are wanted. The answers are made without the categories: the built-in
 * embedder learns the other texts alone, as in a catalogue that has none, and none is preferred for its category.
 */
export async function similarTask(
  all: readonly Product[],
  model: ServingModel,
  catalogOf: (products: readonly Product[]) => Promise<CatalogView>,
  { vectorIndexes }: Pick<TrainModelOptions, "vectorIndexes">,
  context: QuestionContext,
): Promise<EvaluatedTask> {
  const classes = new Map<string, OrderLine[]>();
  for (const product of all) {
    const category = categoryOf(product);
    const index = model.indexOf(product.productId);
    if (category === undefined || index === undefined) continue;
    const members = classes.get(category) ?? [];
    if (members.length === 0) classes.set(category, members);
    members.push({ productId: product.productId, index });
  }
  const questions = similarQuestions(classes, context);
  if (classes.size < 2 || questions.asked.length === 0)
    return notJudged("similar_products", "fewer than two categories with products to tell apart");
  const bare = all.map((product) => ({ ...product, categories: [] }));
  const options = { vectorIndexes, seed: TRAINING_SEED, embedding: undefined, visits: undefined, onProgress: () => {} };
  const { semantic } = await learnSemantic(bare.map(productText), options);
  const sources = model.sources.flatMap((source) =>
    source.name !== "semantic" ? [source] : semantic ? [semanticSource(semantic, all.length)] : [],
  );
  const siblings = siblingsOf(all, model);
  return judge("similar_products", questions, { ...model, sources }, await catalogOf(bare), siblings);
}

/** Products that an attribute names beside a product are wanted, as the service answers with all that it knows. */
export function alsoViewedTask(
  all: readonly Product[],
  model: ServingModel,
  catalog: CatalogView,
  context: QuestionContext,
): EvaluatedTask {
  const named = all.flatMap((product) => {
    const index = model.indexOf(product.productId);
    const ids = (product.attributes[ALSO_VIEWED] ?? "").split(/[,|]/).map((id) => id.trim());
    const wanted = ids.map((id) => model.indexOf(id)).filter((other) => other !== undefined && other !== index);
    if (index === undefined || wanted.length === 0) return [];
    return [
      { product: { productId: product.productId, index }, wanted: wanted.filter((other) => other !== undefined) },
    ];
  });
  if (named.length === 0) return notJudged("also_view", "no product with an attribute also_view");
  return judge("also_view", namedQuestions(named, context), model, catalog, siblingsOf(all, model));
}

function judge(
  name: string,
  questions: Questions,
  model: ServingModel,
  catalog: CatalogView,
  siblings: Siblings,
): EvaluatedTask {
  const rankings = [
    answerRanking(createAnswers(model, catalog), "alternative"),
    ...model.sources
      .filter((source) => ALTERNATIVE_SOURCES.includes(source.name))
      .map((source) => sourceRanking(source, "alternative")),
    popularityRanking(model),
  ];
  const task = {
    ask: (question: Questions["asked"][number]) => ask(question, model),
    popularityOf: new Float64Array(0),
    siblings,
  };
  return judgeSimilar(name, questions, rankings, task);
}
