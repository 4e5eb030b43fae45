import type { Product } from "../domain/product.js";
import type { List, ServingModel, SourceQuery } from "../model/source.js";
import type { Metrics } from "../ports/metrics.js";
import { type Narrowing, narrowing } from "./ask-source.js";
import { type Blended, createBlender } from "./blend.js";
import { arrangement } from "./diversity.js";
import { explain } from "./explain.js";
import { byPopularity, fallbackProducts, insteadOf, popularIn, withinOf } from "./fallback.js";
import { createFewCache } from "./few.js";
import { type Asked, askedOn, decidingKind } from "./page-kind.js";
import { besideAlternative, boughtTogether, recommendedShare } from "./parting.js";
import { passing, wantsInStock } from "./passing.js";
import { createProductTables } from "./product-facts.js";
import { type ListWeights, propose, weightsOf, weightsOfFrame } from "./propose.js";
import type { RecommendAnswer } from "./query.js";
import { ROTATION_POOL, Selection } from "./selection.js";
import { type Proposal, Shelf } from "./shelf.js";
import {
  asShown,
  categoryProducts,
  currentProducts,
  excludedProducts,
  ownedVariants,
  type Situation,
  tracked,
  turnOf,
  unseenTexts,
} from "./situation.js";
import { sourceQuery } from "./source-query.js";
import { likenessAmong, sameCategory, toReplace } from "./substitutes.js";
import { chain, flat, ownFirst, without } from "./tiers.js";
import { type VisitorContext, visitorContext } from "./visitor-context.js";
import { liveSimilar, liveTogether } from "./with-live.js";

/** Candidates each source is asked for at least. */
const CANDIDATES = 200;

/** Fills a frame. Synchronous: everything it reads is in memory. A source that fails is left out and counted. */
export type Recommender = (situation: Situation, withReasons: boolean) => RecommendAnswer;

export function createRecommender({ metrics }: { readonly metrics: Metrics }): Recommender {
  const blenders = new WeakMap<ServingModel, ReturnType<typeof createBlender>>();

  const fewOf = createFewCache();
  const tableOf = createProductTables();

  function blended(
    model: ServingModel,
    asked: SourceQuery,
    list: List,
    count: number,
    weights: ListWeights,
    to: Narrowing | undefined,
    raisedBy?: (productIndex: number) => number,
  ) {
    if (count === 0) return undefined;
    let blend = blenders.get(model);
    if (blend === undefined) {
      blend = createBlender(model.productIds.length);
      blenders.set(model, blend);
    }
    return blend(propose(model, asked, list, candidateCount(count), metrics, weights, to), list, raisedBy);
  }

  return (situation, withReasons) => {
    const { query, frame, catalog, model } = situation;
    const shelf = new Shelf(catalog, model, model && tableOf(model, catalog));
    const missing = new Set<string>();
    const context = visitorContext(query.interactions, situation.known, (sku) => catalog.idOfSku(sku), situation.now);
    const current = currentProducts(query, catalog);
    for (const productId of current) if (catalog.get(productId) === undefined) missing.add(productId);
    if (query.frameId !== "" && query.frameId !== frame.frameId) missing.add(query.frameId);
    const filter = passing(situation.filters, catalog, situation.app.groups, missing, fewOf);
    const ofCategories = categoryProducts(query, catalog);
    const within = withinOf(ofCategories, filter, model);
    const to = narrowing(filter, shelf);
    const kind = decidingKind(frame);
    const onPage = askedOn(kind, context, current);
    const queryOf = (about: Asked) =>
      model && {
        ...sourceQuery(about.context, about.current, model, situation.now),
        unseen: unseenTexts(about.current, catalog, model),
        among: to?.among,
      };
    const here = queryOf({ context, current });
    const asked = { recommended: onPage.context === context ? here : queryOf(onPage), alternative: here };
    const replaced = toReplace(current, asked.alternative, model, catalog);
    const selection = new Selection(
      shelf,
      {
        excluded: excludedProducts(situation, context, current),
        last: frame.includeViewed ? new Set() : context.viewed,
        passes: filter?.passes,
        inStockOnly: wantsInStock(situation.filters, frame),
        learnedAfterVisitors: situation.app.learnedAfterVisitors,
      },
      ownedVariants(situation, context, current),
      situation.shown,
    );

    for (const productId of frame.pinnedProductIds) if (catalog.get(productId) === undefined) missing.add(productId);
    const asks = {
      recommended: query.recommendedCount ?? frame.recommendedCount,
      alternative: query.alternativeCount ?? frame.alternativeCount,
    };
    const pinnedIn: List = asks.recommended > 0 ? "recommended" : "alternative";
    const pinned = selection.pin(frame.pinnedProductIds, asks[pinnedIn]);
    const counts = { ...asks, [pinnedIn]: asks[pinnedIn] - pinned.length };
    const weights = (list: List) => {
      const about = asked[list];
      return model && about && (weightsOfFrame(frame) ?? weightsOf(list, about, model, kind));
    };
    const proposed = (list: List, raisedBy?: (productIndex: number) => number) => {
      const [about, chosen] = [asked[list], weights(list)];
      return model && about && chosen && blended(model, about, list, counts[list], chosen, to, raisedBy);
    };
    const complements = proposed("recommended");
    const substitutes = proposed("alternative", shelf.table && likenessAmong(replaced, shelf.table));

    const question = { live: situation.live, model, asked: asked.alternative, catalog, passes: filter?.passes };
    const alike = liveSimilar(substitutes, replaced, candidateCount(counts.alternative), {
      ...question,
      weights: counts.alternative === 0 ? undefined : weights("alternative"),
    });
    const together = liveTogether(complements, metNow(onPage.current, onPage.context), question);

    const turn = turnOf(situation);
    const turned = (count: number) => (turn === 0 ? count : count * ROTATION_POOL);
    const wanted = counts.recommended + counts.alternative;
    // What is merely popular must not take from `alternative` what belongs there.
    const spared = selection.foresee(alike.products, counts.recommended === 0 ? 0 : turned(wanted));
    // All that is spared is among what the fallback has.
    const there =
      spared.length === 0 || spared.length >= wanted || !frame.fallback
        ? wanted
        : selection.foresee(flat(fallbackProducts(situation, { ...within, first: undefined })), wanted).length;
    const completing = besideAlternative(
      together.products,
      replaced.map(({ productId }) => shelf.proposal(productId)),
      spared.slice(0, turned(counts.alternative)),
      (proposal) => shelf.category(proposal),
      boughtTogether(model, asked.alternative),
    );

    const own = kind === "category" ? ofCategories : undefined;
    const popular = (sparing: readonly Proposal[]) =>
      own && frame.fallback ? without(new Set(sparing), byPopularity(own, model)) : [];
    const inPlace = (
      proposals: Iterable<Proposal>,
      sparing: readonly Proposal[],
      tiers: Iterable<Iterable<Proposal>>,
    ) => (own === undefined ? tiers : ownFirst(own, proposals, popular(sparing), tiers, shelf));

    // On the page of a product its substitutes have the first choice.
    const chosenFirst = kind === "product" ? selection.pick([alike.products], counts.alternative, turn) : [];
    const picked = selection.pick(
      inPlace(
        completing,
        spared,
        frame.fallback ? chain(completing, fallbackProducts(situation, within), spared) : [completing],
      ),
      recommendedShare(counts, spared.length, there),
      turn,
      arrangement({
        diversity: frame.diversity,
        count: counts.recommended,
        vectorOf: (product) => vectorOf(product, model),
      }),
    );
    // Substitutes are to be like one product, and so like each other: what diversity would put first is no substitute.
    const instead = [
      ...chosenFirst,
      ...selection.pick(
        inPlace(
          alike.products,
          [],
          chain(alike.products, frame.fallback ? insteadOf(replaced, situation, within) : []),
        ),
        counts.alternative - chosenFirst.length,
        turn,
      ),
    ];

    const recommended = pinnedIn === "recommended" ? [...pinned, ...picked] : picked;
    const alternative = pinnedIn === "alternative" ? [...pinned, ...instead] : instead;

    const reasons = (list: List, products: readonly Product[], blend: Blended | undefined) => {
      if (!withReasons) return [];
      return explain(products, {
        pinned: new Set(pinned.map(({ productId }) => productId)),
        model,
        query: asked[list],
        list,
        blended: blend,
        weights: weights(list)?.weights,
        candidateCount: candidateCount(counts[list]),
        narrowing: to,
        live: (list === "recommended" ? together : alike).live,
        within: (list === "alternative" ? sameCategory(replaced, catalog) : undefined) ?? popularIn(within),
      });
    };
    const first = current[0];
    return {
      version: situation.version,
      trackerProduct: first === undefined ? null : { productId: first, known: tracked(first, situation) },
      recommended: recommended.map((product) => asShown(product, situation.app)),
      alternative: alternative.map((product) => asShown(product, situation.app)),
      frameId: frame.frameId,
      variant: situation.variant ?? "",
      modelId: model?.modelId ?? "",
      missingIds: [...missing],
      recommendedReasons: reasons("recommended", recommended, complements),
      alternativeReasons: reasons("alternative", alternative, substitutes),
    };
  };
}

/** What new products are to belong to: what is viewed and in the cart, else what was met last. */
function metNow(current: readonly string[], { cart, sequence }: VisitorContext): string[] {
  const here = [...current, ...cart].slice(0, MOST_MET);
  return here.length > 0 ? here : sequence.slice(-1).map(({ productId }) => productId);
}

const MOST_MET = 20;

function candidateCount(count: number): number {
  return Math.max(CANDIDATES, count * 10);
}

function vectorOf({ productId }: Product, model: ServingModel | undefined): Float32Array | undefined {
  const index = model?.indexOf(productId);
  return index === undefined ? undefined : model?.vectorOf?.(index);
}
