/** Fills a frame: gather candidates, score them, filter, arrange two lists, explain. */
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { ReadyList } from "../domain/frame.js";
import type { ExploredProduct } from "../domain/frame-exposure.js";
import type { Product } from "../domain/product.js";
import type { List } from "../learning/sources/source.js";
import { arrange } from "./arrange/arrange.js";
import { hasCaps } from "./arrange/list-caps.js";
import { Selection } from "./arrange/selection.js";
import { boughtTogether } from "./arrange/two-lists.js";
import { explain } from "./explain.js";
import { firstOrders } from "./gather/cold-start.js";
import { gather } from "./gather/gather.js";
import { popularIn } from "./gather/popular-products.js";
import { createReadyLists, type ReadyProducts } from "./gather/ready-list.js";
import { createFilterCache, wantsInStock } from "./products/filter.js";
import { createProductTables } from "./products/product-table.js";
import { type Blended, createBlenders } from "./rank/blend.js";
import { liveSimilar, liveTogether, type Proposals } from "./rank/new-products.js";
import { likenessAmong, sameCategory } from "./rank/substitutes.js";
import { type PageRequest, readRequest } from "./request/page-request.js";
import type { Reason, RecommendAnswer } from "./request/query.js";
import { asShown, excludedProducts, ownedVariants, type Situation, tracked } from "./request/situation.js";

/** Fewest candidates asked of each source. */
const CANDIDATES = 200;
/** Most current and cart products that new products are matched with. */
const MOST_MET = 20;

/** Fills a frame. Synchronous: everything it reads is in memory. A source that fails is left out and reported. */
export type Recommender = (situation: Situation, withReasons: boolean) => RecommendAnswer;

interface Dependencies {
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}

type BothLists<T> = Readonly<Record<List, T>>;

/** Products that the frame pins, and how many places they leave in each list. */
interface Pinned {
  readonly list: List;
  readonly products: readonly Product[];
  readonly places: BothLists<number>;
}

/** The candidates of a list, best first. */
interface Scored extends Proposals {
  readonly blended: Blended | undefined;
}

export function createRecommender(deps: Dependencies): Recommender {
  const readers = {
    filterCache: createFilterCache(),
    tableOf: createProductTables(),
    readyList: createReadyLists(),
    reportFailure: deps.reportFailure,
  };
  const gatherAndScore = createScoring(deps);

  return (situation, withReasons) => {
    const request = readRequest(situation, readers);
    const selection = selectionFor(request);
    const pinned = pinProducts(request, selection);
    const scored = withNewProducts(request, gatherAndScore(request, pinned.places), pinned.places, deps);
    const { recommended, alternative, explored } = arrange(
      request,
      { recommended: scored.recommended.products, alternative: scored.alternative.products },
      pinned.places,
      selection,
      boughtTogether(situation.model, request.queries.alternative, deps.reportFailure),
    );
    const lists = {
      recommended,
      alternative,
      [pinned.list]: [...pinned.products, ...{ recommended, alternative }[pinned.list]],
    };
    const reasons = (list: List) =>
      withReasons ? reasonsFor(request, list, lists[list], scored[list], { pinned, explored }, deps) : [];
    return {
      ...answer(request, lists),
      explored,
      recommendedReasons: reasons("recommended"),
      alternativeReasons: reasons("alternative"),
    };
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Lists of what the visitor viewed or bought: being viewed does not put a product last. */
function isOfVisitor({ kind }: ReadyList): boolean {
  return kind === "recently_viewed" || kind === "buy_again";
}

/** The rules of request and frame: which products may be shown. */
function selectionFor({ situation, shelf, context, current, filter, isRelative }: PageRequest): Selection {
  const { frame, filters, shown } = situation;
  const passes = filter?.passes;
  const rules = {
    excluded: excludedProducts(situation, context, current),
    last: frame.includeViewed || isOfVisitor(frame.readyList) ? NOTHING : context.viewed,
    passes:
      isRelative === undefined
        ? passes
        : (product: Product) => isRelative(product) && (passes === undefined || passes(product)),
    inStockOnly: wantsInStock(filters, frame),
    caps: hasCaps(frame.rules) ? frame.rules : undefined,
    now: situation.now,
  };
  return new Selection(shelf, rules, ownedVariants(situation, context, current), shown);
}

/** Pinned products take the first places of `recommended`, or of `alternative` when that list alone is wanted. */
function pinProducts({ situation: { query, frame } }: PageRequest, selection: Selection): Pinned {
  const wanted = {
    recommended: query.recommendedCount ?? frame.recommendedCount,
    alternative: query.alternativeCount ?? frame.alternativeCount,
  };
  const list = wanted.recommended > 0 ? "recommended" : "alternative";
  const products = selection.pin(frame.pinnedProductIds, wanted[list]);
  return { list, products, places: { ...wanted, [list]: wanted[list] - products.length } };
}

/** Gathers and scores one list after the other: sources keep their candidates only until they are asked again. */
function createScoring(deps: Dependencies) {
  const blenderOf = createBlenders();
  return (request: PageRequest, places: BothLists<number>): BothLists<Blended | undefined> => {
    const { situation, queries, weights, narrowing, replaced, shelf, boosts } = request;
    const score = (list: List, raisedBy?: (productIndex: number) => number) => {
      const [model, query, chosen] = [situation.model, queries[list], weights[list]];
      if (!model || !query || !chosen || places[list] === 0) return undefined;
      const gathered = gather(model, query, list, candidateCount(places[list]), deps, chosen, narrowing);
      return blenderOf(model)(gathered, list, raisedBy);
    };
    const likeness = shelf.table && likenessAmong(replaced, shelf.table);
    const boosted = boosts && ((index: number) => boosts.factor(index) * (likeness?.(index) ?? 1));
    const recommended = request.ready === undefined ? score("recommended", boosts?.factor) : undefined;
    const alternative = score("alternative", boosted ?? likeness);
    return { recommended, alternative };
  };
}

/** Adds products that are newer than the model. */
function withNewProducts(
  { situation, queries, weights, filter, replaced, completed, fresh, ready }: PageRequest,
  { recommended, alternative }: BothLists<Blended | undefined>,
  places: BothLists<number>,
  { reportFailure }: Dependencies,
): BothLists<Scored> {
  const { live, model, catalog } = situation;
  const similar = liveSimilar(alternative, replaced, candidateCount(places.alternative), {
    live,
    model,
    asked: queries.alternative,
    catalog,
    passes: filter?.passes,
    weights: places.alternative === 0 ? undefined : weights.alternative,
    reportFailure,
  });
  const first = firstOrders(fresh, model, live, reportFailure);
  const together = liveTogether(recommended, metNow(completed), { live }, first);
  return {
    recommended: ready === undefined ? { ...together, blended: recommended } : readyScored(ready),
    alternative: { ...similar, blended: alternative },
  };
}

function readyScored({ products }: ReadyProducts): Scored {
  return { products, live: new Map(), blended: undefined };
}

/** New products should go with the products being viewed and in the cart, else with the one met last. */
function metNow({ current, context: { cart, sequence } }: PageRequest["completed"]): string[] {
  const here = [...current, ...cart].slice(0, MOST_MET);
  return here.length > 0 ? here : sequence.slice(-1).map(({ productId }) => productId);
}

function reasonsFor(
  { situation, queries, weights, narrowing, replaced, within, ready, boosts }: PageRequest,
  list: List,
  products: readonly Product[],
  { blended, live }: Scored,
  { pinned, explored }: { readonly pinned: Pinned; readonly explored: readonly ExploredProduct[] },
  { reportFailure }: Dependencies,
): Reason[] {
  const ofCategory = list === "alternative" ? sameCategory(replaced, situation.catalog) : undefined;
  const explained = {
    pinned: new Set(pinned.products.map(({ productId }) => productId)),
    model: situation.model,
    query: queries[list],
    list,
    blended,
    // A ready list takes the place of the sources.
    weights: ready !== undefined && list === "recommended" ? undefined : weights[list]?.weights,
    ready: list === "recommended" ? ready : undefined,
    boosts,
    explored: new Map(explored.map(({ productId, probability }) => [productId, probability])),
    candidateCount: candidateCount(pinned.places[list]),
    narrowing,
    live,
    within: ofCategory ?? popularIn(within),
  };
  return explain(products, explained, reportFailure);
}

function answer(
  { situation, current, missingIds }: PageRequest,
  { recommended, alternative }: BothLists<readonly Product[]>,
): Omit<RecommendAnswer, "recommendedReasons" | "alternativeReasons" | "explored"> {
  const { version, app, frame, variant, model } = situation;
  const [first] = current;
  return {
    version,
    trackerProduct: first === undefined ? null : trackerProduct(first, situation),
    recommended: recommended.map((product) => asShown(product, app)),
    alternative: alternative.map((product) => asShown(product, app)),
    frameId: frame.frameId,
    variant: variant ?? "",
    modelId: model?.modelId ?? "",
    missingIds: [...missingIds],
  };
}

function trackerProduct(first: string, situation: Situation): RecommendAnswer["trackerProduct"] {
  const known = tracked(first, situation);
  return { productId: known?.productId ?? first, known };
}

function candidateCount(count: number): number {
  return Math.max(CANDIDATES, count * 10);
}
