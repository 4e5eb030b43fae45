import type { ProductText } from "../algorithms/embedder.js";
import type { App } from "../domain/app.js";
import { DEFAULT_FRAME_ID, type FrameConfiguration } from "../domain/frame.js";
import type { Interaction } from "../domain/interaction.js";
import { isConfirmed, isOnHosts, type Product } from "../domain/product.js";
import type { ProductFilter } from "../domain/product-filter.js";
import { productText } from "../model/product-text.js";
import type { ServingModel } from "../model/source.js";
import type { LiveProducts } from "./live-products.js";
import { ownedOn } from "./page-kind.js";
import type { RecommendQuery } from "./query.js";
import type { Catalog } from "./selection.js";
import type { VisitorContext } from "./visitor-context.js";

/** Current products whose texts are placed while a visitor waits, some 0.1 ms each. */
const MAX_UNSEEN = 5;

/** All that one answer is made from. */
export interface Situation {
  readonly query: RecommendQuery;
  /** With what its variant changes of it. */
  readonly frame: FrameConfiguration;
  /** Name of the variant; "" where visitors are not split. */
  readonly variant?: string;
  /** What other frames of the page show: neither these nor their variants are shown. */
  readonly shown?: readonly Product[];
  /** What the server knows of the visitor, newest first. */
  readonly known: readonly Interaction[];
  readonly catalog: Catalog;
  /** Undefined before the first training. */
  readonly model: ServingModel | undefined;
  /** Of the request and of the frame; all of them hold. */
  readonly filters: readonly ProductFilter[];
  /** What the app says of its products. */
  readonly app: Pick<App, "groups" | "learnedAfterVisitors" | "allowedOrigins">;
  /** What came after the training; undefined where it is not kept. */
  readonly live?: LiveProducts | undefined;
  readonly version: string;
  readonly now: number;
}

/** Current products by id, then those given by SKU only; each once. */
export function currentProducts(query: RecommendQuery, catalog: Catalog): string[] {
  const ids = new Set(query.currentProductIds);
  if (query.currentProductIds.length === 0) for (const sku of query.currentSkus) ids.add(catalog.idOfSku(sku) ?? sku);
  return [...ids];
}

/** Texts of current products that the model does not know yet. */
export function unseenTexts(current: readonly string[], catalog: Catalog, model: ServingModel): ProductText[] {
  const products = current.slice(0, MAX_UNSEEN).filter((productId) => model.indexOf(productId) === undefined);
  return products
    .map((productId) => catalog.get(productId))
    .filter((product) => product !== undefined)
    .map(productText);
}

/** Products that the request or the frame rules out for this visitor. */
export function excludedProducts(
  { filters, frame, now }: Pick<Situation, "filters" | "frame" | "now">,
  context: VisitorContext,
  current: readonly string[],
): Set<string> {
  const excluded = new Set([
    ...filters.flatMap((filter) => filter.excludeProductIds),
    ...frame.bannedProductIds,
    ...ownedOn(frame, context, current),
  ]);
  if (!frame.includeViewed) for (const productId of current) excluded.add(productId);
  if (!frame.includeBought)
    for (const productId of boughtSince(context, now, frame.rebuyAfterDays)) excluded.add(productId);
  return excluded;
}

const DAY_MS = 86_400_000;

/** What was bought within so many days, or with 0 ever. */
function boughtSince({ bought, sequence }: VisitorContext, now: number, days: number): ReadonlySet<string> {
  if (days === 0) return bought;
  const since = now - days * DAY_MS;
  return new Set(sequence.filter(({ type, at }) => type === "order" && at > since).map(({ productId }) => productId));
}

/** What a visitor has or looks at already: its variants are not shown either. */
export function ownedVariants(
  { frame, now }: Pick<Situation, "frame" | "now">,
  context: VisitorContext,
  current: readonly string[],
): string[] {
  return [
    ...ownedOn(frame, context, current),
    ...(frame.includeViewed ? [] : current),
    ...(frame.includeBought ? [] : boughtSince(context, now, frame.rebuyAfterDays)),
  ];
}

/** The product being viewed as far as it may be told: not what too few have sent. */
export function tracked(productId: string, { catalog, app }: Situation): Product | undefined {
  const product = catalog.get(productId);
  return product && isConfirmed(product, app.learnedAfterVisitors) ? asShown(product, app) : undefined;
}

/** A product without the URLs that only events told of, when they lead elsewhere than to the app's hosts. */
export function asShown(product: Product, { allowedOrigins }: Situation["app"]): Product {
  if (product.origin === "catalog" || allowedOrigins.length === 0) return product;
  const own = (url: string) => (isOnHosts(url, allowedOrigins) ? url : "");
  return { ...product, url: own(product.url), imageUrl: own(product.imageUrl) };
}

export function categoryProducts(query: RecommendQuery, catalog: Catalog): ReadonlySet<string> | undefined {
  const products = new Set<string>();
  for (const categoryId of query.currentCategoryIds)
    for (const productId of catalog.group(categoryId) ?? []) products.add(productId);
  return products.size === 0 ? undefined : products;
}

/**
 * How often the visitor used this frame since the engine's last update: the list turns by half its length each time,
 * so that it shows something new. Uses of unknown frames count for the default frame.
 */
export function turnOf({ query, frame, version }: Situation): number {
  if (!frame.rotation || (query.clientVersion !== "" && query.clientVersion !== version)) return 0;
  const isDefault = frame.frameId === DEFAULT_FRAME_ID;
  return query.frameInteractions.filter((use) => use.frameId === frame.frameId || (isDefault && use.frameId === ""))
    .length;
}
