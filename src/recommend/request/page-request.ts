/**
 * What one request asks for, read once: what the visitor did, what the page shows, what the filters let through, and what
 * the sources of the model are asked with. The kind of page a frame stands on matters in frames that name no sources.
 */
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { FrameConfiguration, PageKind } from "../../domain/frame.js";
import type { Product } from "../../domain/product.js";
import type { List, SourceQuery } from "../../learning/sources/source.js";
import { NO_STEPS, type StepsBack, stepsBack } from "../frames/rotation.js";
import { withNeighboursOfNew } from "../gather/cold-start.js";
import { type Narrowing, narrowingOf } from "../gather/gather.js";
import { type Within, withinOf } from "../gather/popular-products.js";
import type { createReadyLists, ReadyProducts } from "../gather/ready-list.js";
import { sourceQuery } from "../gather/source-query.js";
import { type ListWeights, weightsOf, weightsOfFrame } from "../gather/weights.js";
import { type Catalog, Shelf } from "../products/catalog.js";
import { type FilterCache, type PassingFilter, passingFilter, relativeRules } from "../products/filter.js";
import { productIdOf } from "../products/product-ids.js";
import type { createProductTables } from "../products/product-table.js";
import { type Boosts, boostedList, boostsOf } from "../rank/boosts.js";
import { toReplace } from "../rank/substitutes.js";
import type { RecommendQuery } from "./query.js";
import { orderedLast, type Situation, unseenTexts } from "./situation.js";
import { type VisitorContext, visitorContext } from "./visitor-context.js";

/** What `recommended` completes. */
export interface Completed {
  readonly context: VisitorContext;
  /** Products being viewed. */
  readonly current: readonly string[];
}

export interface PageRequest {
  readonly situation: Situation;
  readonly shelf: Shelf;
  readonly context: VisitorContext;
  /** Ids of the products being viewed; the catalogue may not have them. */
  readonly current: readonly string[];
  /** "" where the request alone decides. */
  readonly pageKind: PageKind;
  readonly completed: Completed;
  /** Of the products being viewed those of which too little was learned. */
  readonly fresh: readonly string[];
  /** The products that `alternative` shows substitutes for. */
  readonly replaced: readonly Product[];
  /** Products of the categories being viewed; undefined for none. */
  readonly ofCategories: ReadonlySet<string> | undefined;
  /** The frame's boosts; undefined for none. */
  readonly boosts: Boosts | undefined;
  /** Whether a product is as the frame wants it beside the one viewed; undefined where it compares nothing. */
  readonly isRelative: ((product: Product) => boolean) | undefined;
  /** The ready list that fills `recommended`; undefined where the model recommends. */
  readonly ready: ReadyProducts | undefined;
  readonly filter: PassingFilter | undefined;
  readonly narrowing: Narrowing | undefined;
  readonly within: Within;
  /** Undefined before the first model, as are the weights. */
  readonly queries: Readonly<Record<List, SourceQuery | undefined>>;
  readonly weights: Readonly<Record<List, ListWeights | undefined>>;
  /** How far products step back that the visitor passed over. */
  readonly steps: StepsBack;
  /** Unknown products, groups and frames that the request or its frame names. */
  readonly missingIds: ReadonlySet<string>;
}

/** What is kept from request to request. */
export interface RequestReaders {
  readonly tableOf: ReturnType<typeof createProductTables>;
  readonly filterCache: FilterCache;
  readonly readyList: ReturnType<typeof createReadyLists>;
  readonly reportFailure: ReportFailure;
}

export function readRequest(
  situation: Situation,
  { tableOf, filterCache, readyList, reportFailure }: RequestReaders,
): PageRequest {
  const { query, frame, catalog, model, now } = situation;
  const shelf = new Shelf(catalog, model, model && tableOf(model, catalog));
  const context = visitorContext(
    query.interactions,
    situation.known,
    (sku) => catalog.idOfSku(sku),
    now,
    (name) => productIdOf(name, catalog),
  );
  const current = currentProducts(query, catalog);
  const missingIds = new Set(current.filter((productId) => catalog.get(productId) === undefined));
  if (query.frameId !== "" && query.frameId !== frame.frameId) missingIds.add(query.frameId);
  const viewed = current.map((productId) => catalog.get(productId)).find((product) => product !== undefined);
  const relative = relativeRules(frame.rules, viewed);
  const filters = relative === undefined ? situation.filters : [...situation.filters, relative.filter];
  const filter = passingFilter(filters, catalog, situation.app.groups, missingIds, filterCache);
  for (const name of frame.pinnedProductIds)
    if (catalog.get(productIdOf(name, catalog)) === undefined) missingIds.add(name);

  const narrowing = narrowingOf(filter, shelf);
  const pageKind = decidingKind(frame);
  const completed = completedOn(pageKind, context, current);
  const queryFor = (asked: Completed) =>
    model && {
      ...sourceQuery(asked.context, asked.current, model, now),
      unseen: unseenTexts(asked.current, catalog, model),
      among: narrowing?.among,
    };
  const alternative = queryFor({ context, current });
  const { current: completedBy, fresh } = withNeighboursOfNew(completed.current, model, catalog, reportFailure);
  const recommended =
    completed.context === context && fresh.length === 0
      ? alternative
      : queryFor({ context: completed.context, current: completedBy });
  const weightsFor = (list: List, asked: SourceQuery | undefined) =>
    model && asked && (weightsOfFrame(frame) ?? weightsOf(list, asked, model, pageKind));
  const ofCategories = categoryProducts(query, catalog);
  const boosts = boostsOf(frame.rules.boosts, shelf, situation.app.groups, now);
  const ready = readyList(frame.readyList, { shelf, context, now });
  return {
    situation,
    shelf,
    context,
    current,
    pageKind,
    completed,
    fresh,
    replaced: toReplace(current, alternative, model, catalog),
    ofCategories,
    boosts,
    isRelative: relative?.passes,
    ready: ready && boosts ? boostedList(ready, boosts) : ready,
    filter,
    narrowing,
    within: withinOf(ofCategories, filter, model),
    queries: { recommended, alternative },
    weights: {
      recommended: weightsFor("recommended", recommended),
      alternative: weightsFor("alternative", alternative),
    },
    // What was viewed last stays first, whatever was passed over.
    steps: frame.readyList.kind === "recently_viewed" ? NO_STEPS : stepsBack(situation, clickedIn(context, catalog)),
    missingIds,
  };
}

/** Current products by id, or by the id of their group; those given by SKU count only when none has an id. Each once. */
function currentProducts(query: RecommendQuery, catalog: Catalog): string[] {
  const ids = new Set(query.currentProductIds);
  if (query.currentProductIds.length === 0) for (const sku of query.currentSkus) ids.add(catalog.idOfSku(sku) ?? sku);
  return [...new Set([...ids].map((name) => productIdOf(name, catalog)))];
}

function categoryProducts(query: RecommendQuery, catalog: Catalog): ReadonlySet<string> | undefined {
  const products = new Set<string>();
  for (const categoryId of query.currentCategoryIds)
    for (const productId of catalog.group(categoryId) ?? []) products.add(productId);
  return products.size === 0 ? undefined : products;
}

/** Whether the visitor viewed or ordered a product since a time, or a variant of it. */
function clickedIn({ sequence }: VisitorContext, catalog: Catalog) {
  const lastAt = new Map<string, number>();
  const nameOf = (productId: string) => catalog.get(productId)?.variantGroupId || productId;
  return (productId: string, since: number): boolean => {
    if (lastAt.size === 0) for (const step of sequence) lastAt.set(nameOf(step.productId), step.at);
    return (lastAt.get(nameOf(productId)) ?? Number.NEGATIVE_INFINITY) >= since;
  };
}

/** A frame that names its sources ignores the kind of its page. */
function decidingKind({ pageKind, sources }: Pick<FrameConfiguration, "pageKind" | "sources">): PageKind {
  return sources.length === 0 ? pageKind : "";
}

/** Current products of a cart or order page are part of the cart or order. A home page completes nothing. */
function completedOn(kind: PageKind, context: VisitorContext, current: readonly string[]): Completed {
  const products = (cart: readonly string[]) => ({ context: { ...context, cart }, current: [] });
  switch (kind) {
    case "home":
      return products([]);
    case "cart":
      return products([...new Set([...context.cart, ...current])]);
    case "order":
      return products(orderedLast(context, current));
    default:
      return { context, current };
  }
}
