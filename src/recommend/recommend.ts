import type { ProductText } from "../algorithms/embedder.js";
import { DEFAULT_FRAME_ID, type FrameConfiguration } from "../domain/app.js";
import type { Interaction } from "../domain/interaction.js";
import type { Product } from "../domain/product.js";
import { productText } from "../model/product-text.js";
import type { List, ServingModel } from "../model/source.js";
import type { Metrics } from "../ports/metrics.js";
import { type Blended, createBlender } from "./blend.js";
import { arrangement } from "./diversity.js";
import { explain } from "./explain.js";
import { leftToAlternative } from "./parting.js";
import { propose, weightsOf } from "./propose.js";
import type { RecommendAnswer, RecommendQuery } from "./query.js";
import { type Catalog, ROTATION_POOL, Selection } from "./selection.js";
import { sourceQuery } from "./source-query.js";
import { preferSubstitutes, sameCategory, toReplace } from "./substitutes.js";
import { chain, flat, namesOf } from "./tiers.js";
import { type VisitorContext, visitorContext } from "./visitor-context.js";

/** Candidates each source is asked for at least. */
const CANDIDATES = 200;
const NO_IDS: readonly string[] = [];
/** Current products whose texts are placed while a visitor waits, some 0.1 ms each. */
const MAX_UNSEEN = 5;

/** All that one answer is made from. */
export interface Situation {
  readonly query: RecommendQuery;
  readonly frame: FrameConfiguration;
  /** What the server knows of the visitor, newest first. */
  readonly known: readonly Interaction[];
  readonly catalog: Catalog;
  /** Undefined before the first training. */
  readonly model: ServingModel | undefined;
  readonly version: string;
  readonly now: number;
}

/** Fills a frame. Synchronous: everything it reads is in memory. A source that fails is left out and counted. */
export type Recommender = (situation: Situation, withReasons: boolean) => RecommendAnswer;

export function createRecommender(deps: { readonly metrics: Metrics }): Recommender {
  const blenders = new WeakMap<ServingModel, ReturnType<typeof createBlender>>();
  return (situation, withReasons) => {
    const { query, frame, catalog, model } = situation;
    const missing = new Set<string>();
    const context = visitorContext(query.interactions, situation.known, (sku) => catalog.idOfSku(sku), situation.now);
    const current = currentProducts(query, catalog);
    for (const productId of current) if (catalog.get(productId) === undefined) missing.add(productId);
    if (query.frameId !== "" && query.frameId !== frame.frameId) missing.add(query.frameId);
    const allowed = allowedProducts(query.anyGroup, catalog, missing);
    const selection = new Selection(
      catalog,
      {
        excluded: excludedProducts(query, frame, context, current),
        last: frame.includeViewed ? new Set() : context.viewed,
        allowed,
      },
      frame.includeViewed ? [] : current,
    );
    const turn = turnOf(situation);
    const unseen = model && unseenTexts(current, catalog, model);
    const asked = model && { ...sourceQuery(context, current, model, situation.now), unseen };
    const within = allowed ?? categoryProducts(query, catalog);
    const replaced = toReplace(current, asked, model, catalog);
    const fallback = () => fallbackProducts(situation, within);
    const alike = () => sameCategory(replaced, catalog);
    function* alternativeFallback() {
      const products = alike();
      if (products !== undefined) yield byPopularity(products, model);
      yield* fallback();
    }

    const blended = (list: List, count: number) => {
      if (model === undefined || asked === undefined || count === 0) return undefined;
      let blend = blenders.get(model);
      if (blend === undefined) {
        blend = createBlender(model.productIds.length);
        blenders.set(model, blend);
      }
      return blend(propose(model, asked, list, candidateCount(count), deps.metrics));
    };
    const recommendedCount = query.recommendedCount ?? frame.recommendedCount;
    const alternativeCount = query.alternativeCount ?? frame.alternativeCount;
    const wanted = recommendedCount + alternativeCount;
    const complements = blended("recommended", recommendedCount);
    const similar = blended("alternative", alternativeCount);
    const substitutes =
      model && similar && preferSubstitutes(similar, replaced, (index) => catalog.get(model.productIds[index]!));
    // What is merely popular must not take from `alternative` what belongs there.
    const pool = recommendedCount === 0 ? 0 : wanted;
    const spared = selection.foresee(namesOf(substitutes?.indices, model), turn === 0 ? pool : pool * ROTATION_POOL);
    // In a shop too small for both lists `recommended` leaves `alternative` its share of what belongs there.
    const there =
      spared.length === 0
        ? wanted
        : selection.foresee(allowed ?? flat(fallbackProducts(situation, undefined)), wanted).length;
    const due = Math.min(spared.length, Math.floor((there * alternativeCount) / wanted));
    const share = there < wanted ? Math.min(recommendedCount, there - due) : recommendedCount;
    const left = leftToAlternative(
      replaced,
      spared.slice(0, turn === 0 ? alternativeCount : alternativeCount * ROTATION_POOL),
      catalog,
    );
    const completing = complements && {
      ...complements,
      indices: complements.indices.filter((index) => !left.has(model?.productIds[index] ?? "")),
    };
    const fill = (blend: Blended | undefined, count: number, diversity: number, rest = fallback, sparing = NO_IDS) => {
      const arranged = arrangement({ diversity, count, vectorOf: (product) => vectorOf(product, model) });
      return selection.pick(
        chain(blend?.indices, model, rest, sparing),
        count,
        Math.ceil((turn * count) / 2),
        arranged,
      );
    };
    const recommended = fill(completing, share, frame.diversity, fallback, spared);
    // Substitutes are to be like one product, and so like each other: what diversity would put first is no substitute.
    const alternative = fill(substitutes, alternativeCount, 0, alternativeFallback);
    const reasons = (list: List, products: readonly Product[], blend: Blended | undefined, count: number) => {
      if (!withReasons) return [];
      const weights = model && asked && weightsOf(list, asked, model).weights;
      return explain(products, {
        model,
        query: asked,
        list,
        blended: blend,
        weights,
        candidateCount: candidateCount(count),
        within: (list === "alternative" ? alike() : undefined) ?? within,
      });
    };
    const first = current[0];
    return {
      version: situation.version,
      trackerProduct: first === undefined ? null : { productId: first, known: catalog.get(first) },
      recommended,
      alternative,
      frameId: frame.frameId,
      variant: "",
      modelId: model?.modelId ?? "",
      missingIds: [...missing],
      recommendedReasons: reasons("recommended", recommended, complements, recommendedCount),
      alternativeReasons: reasons("alternative", alternative, substitutes, alternativeCount),
    };
  };
}

function candidateCount(count: number): number {
  return Math.max(CANDIDATES, count * 10);
}

function vectorOf({ productId }: Product, model: ServingModel | undefined): Float32Array | undefined {
  const index = model?.indexOf(productId);
  return index === undefined ? undefined : model?.vectorOf?.(index);
}

/**
 * What is popular, in tiers: within the groups asked for or the categories being viewed first, then (unless groups were
 * asked for) overall; products the model does not know come last.
 */
function* fallbackProducts(
  { model, query, catalog }: Situation,
  within: ReadonlySet<string> | undefined,
): Generator<Iterable<string>> {
  if (within !== undefined) yield byPopularity(within, model);
  if (query.anyGroup.length > 0) return;
  yield namesOf(model?.byPopularity, model);
  yield unknownProducts(catalog, model);
}

function* unknownProducts(catalog: Catalog, model: ServingModel | undefined): Generator<string> {
  for (const { productId } of catalog.products()) if (model?.indexOf(productId) === undefined) yield productId;
}

function byPopularity(productIds: ReadonlySet<string>, model: ServingModel | undefined): string[] {
  const score = (productId: string) => {
    const index = model?.indexOf(productId);
    return index === undefined ? 0 : (model?.popularity[index] ?? 0);
  };
  return [...productIds]
    .map((productId) => ({ productId, score: score(productId) }))
    .sort((a, b) => b.score - a.score || (a.productId < b.productId ? -1 : 1))
    .map(({ productId }) => productId);
}

/** Current products by id, then those given by SKU only; each once. */
function currentProducts(query: RecommendQuery, catalog: Catalog): string[] {
  const ids = new Set(query.currentProductIds);
  if (query.currentProductIds.length === 0) for (const sku of query.currentSkus) ids.add(catalog.idOfSku(sku) ?? sku);
  return [...ids];
}

/** Texts of current products that the model does not know yet. */
function unseenTexts(current: readonly string[], catalog: Catalog, model: ServingModel): ProductText[] {
  const products = current.slice(0, MAX_UNSEEN).filter((productId) => model.indexOf(productId) === undefined);
  return products
    .map((productId) => catalog.get(productId))
    .filter((product) => product !== undefined)
    .map(productText);
}

function excludedProducts(
  query: RecommendQuery,
  frame: FrameConfiguration,
  context: VisitorContext,
  current: readonly string[],
): Set<string> {
  const excluded = new Set([...query.excludeProductIds, ...context.cart]);
  if (!frame.includeViewed) for (const productId of current) excluded.add(productId);
  if (!frame.includeBought) for (const productId of context.bought) excluded.add(productId);
  return excluded;
}

/** The products a group filter lets through; undefined without a filter. */
function allowedProducts(
  groups: readonly string[],
  catalog: Catalog,
  missing: Set<string>,
): ReadonlySet<string> | undefined {
  if (groups.length === 0) return undefined;
  const allowed = new Set<string>();
  for (const groupId of groups) {
    const group = catalog.group(groupId);
    if (group === undefined) missing.add(groupId);
    else for (const productId of group) allowed.add(productId);
  }
  return allowed;
}

function categoryProducts(query: RecommendQuery, catalog: Catalog): ReadonlySet<string> | undefined {
  const products = new Set<string>();
  for (const categoryId of query.currentCategoryIds)
    for (const productId of catalog.group(categoryId) ?? []) products.add(productId);
  return products.size === 0 ? undefined : products;
}

/**
 * How often the visitor used this frame since the engine's last update: the list turns by half its length each time,
 * so that it shows something new. Uses of unknown frames count for the default frame.
 */
function turnOf({ query, frame, version }: Situation): number {
  if (query.clientVersion !== "" && query.clientVersion !== version) return 0;
  const isDefault = frame.frameId === DEFAULT_FRAME_ID;
  return query.frameInteractions.filter((use) => use.frameId === frame.frameId || (isDefault && use.frameId === ""))
    .length;
}
