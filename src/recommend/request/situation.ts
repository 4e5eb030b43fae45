import type { App } from "../../domain/app.js";
import type { FrameConfiguration } from "../../domain/frame.js";
import type { ShownList } from "../../domain/frame-exposure.js";
import type { Interaction } from "../../domain/interaction.js";
import { isOnHosts, isShown, type Product } from "../../domain/product.js";
import type { ProductFilter } from "../../domain/product-filter.js";
import type { ServingModel } from "../../learning/sources/source.js";
import { productText } from "../../learning/sources/texts.js";
import type { ProductText } from "../../learning/text/embedder.js";
import type { Catalog } from "../products/catalog.js";
import type { LiveProducts } from "../products/new-product-index.js";
import { bestVariant, productIdsOf } from "../products/product-ids.js";
import type { RecommendQuery } from "./query.js";
import type { VisitorContext } from "./visitor-context.js";

/** Current products whose texts are placed during the request; each costs about 0.1 ms. */
const MAX_UNSEEN = 5;

/** All that one answer is made from. */
export interface Situation {
  readonly query: RecommendQuery;
  /** With the changes of its variant. */
  readonly frame: FrameConfiguration;
  /** Name of the variant; "" where visitors are not split. */
  readonly variant?: string;
  /** Products in other frames of the page; neither they nor their variants are shown again. */
  readonly shown?: readonly Product[];
  /** What frames showed the visitor before, the newest last. */
  readonly shownLists?: readonly ShownList[];
  /** What the server knows of the visitor, newest first. */
  readonly known: readonly Interaction[];
  readonly catalog: Catalog;
  /** Before the first training what is counted of the app's events, without sources; undefined without any. */
  readonly model: ServingModel | undefined;
  /** The filters of the request and of the frame; a product has to pass all of them. */
  readonly filters: readonly ProductFilter[];
  /** What the app configures for its products. */
  readonly app: Pick<App, "groups" | "allowedOrigins">;
  /** Products newer than the model; undefined where they are not kept. */
  readonly live?: LiveProducts | undefined;
  readonly version: string;
  /** For exploration; without it nothing is explored. */
  readonly random?: (() => number) | undefined;
  readonly now: number;
}

/** Texts of current products that the model does not know yet. */
export function unseenTexts(current: readonly string[], catalog: Catalog, model: ServingModel): ProductText[] {
  const products = current.slice(0, MAX_UNSEEN).filter((productId) => model.indexOf(productId) === undefined);
  return products
    .map((productId) => catalog.get(productId))
    .filter((product) => product !== undefined)
    .map(productText);
}

/** Ids that the request or the frame rules out for this visitor. */
export function excludedProducts(
  { filters, frame, catalog, now }: Pick<Situation, "filters" | "frame" | "catalog" | "now">,
  context: VisitorContext,
  current: readonly string[],
): Set<string> {
  const excluded = new Set(ownedOn(frame, context, current));
  for (const name of [...filters.flatMap((filter) => filter.excludeProductIds), ...frame.bannedProductIds])
    for (const productId of productIdsOf(name, catalog)) excluded.add(productId);
  if (!frame.includeViewed) for (const productId of current) excluded.add(productId);
  if (!showsBought(frame))
    for (const productId of boughtSince(context, now, frame.rebuyAfterDays)) excluded.add(productId);
  return excluded;
}

/** The products of the visitor's last order, with those of its confirmation page. */
export function orderedLast({ sequence }: Pick<VisitorContext, "sequence">, current: readonly string[]): string[] {
  const at = sequence.findLast(({ type }) => type === "order")?.at;
  const ordered = sequence.filter((step) => step.type === "order" && step.at === at);
  return [...new Set([...ordered.map(({ productId }) => productId), ...current])];
}

/** What the visitor owns already: the cart, and what a cart or order page shows. */
function ownedOn(
  { pageKind }: Pick<FrameConfiguration, "pageKind">,
  context: Pick<VisitorContext, "cart" | "sequence">,
  current: readonly string[],
): readonly string[] {
  if (pageKind === "cart") return [...context.cart, ...current];
  return pageKind === "order" ? [...context.cart, ...orderedLast(context, current)] : context.cart;
}

/** A list of bought products shows them, unless the frame waits some days. */
function showsBought({ includeBought, readyList, rebuyAfterDays }: FrameConfiguration): boolean {
  return includeBought || (readyList.kind === "buy_again" && rebuyAfterDays === 0);
}

const DAY_MS = 86_400_000;

/** Ids bought within that many days; 0 means ever. */
function boughtSince({ bought, sequence }: VisitorContext, now: number, days: number): ReadonlySet<string> {
  if (days === 0) return bought;
  const since = now - days * DAY_MS;
  return new Set(sequence.filter(({ type, at }) => type === "order" && at > since).map(({ productId }) => productId));
}

/** Products that the visitor owns or views already: their variants are not shown either. */
export function ownedVariants(
  { frame, now }: Pick<Situation, "frame" | "now">,
  context: VisitorContext,
  current: readonly string[],
): string[] {
  return [
    ...ownedOn(frame, context, current),
    ...(frame.includeViewed ? [] : current),
    ...(showsBought(frame) ? [] : boughtSince(context, now, frame.rebuyAfterDays)),
  ];
}

/** The product being viewed, as it may be shown; of a group that is viewed the best variant that can be bought. */
export function tracked(productId: string, { query, catalog, model, app, now }: Situation): Product | undefined {
  const product = catalog.get(productId);
  if (product === undefined) return undefined;
  const isNamed = query.currentProductIds.includes(productId) || query.currentSkus.includes(product.sku);
  const canBeBought = (variant: Product) => variant.available && isShown(variant, now);
  const best = isNamed ? undefined : bestVariant(product.variantGroupId, catalog, model, canBeBought);
  return asShown(best ?? product, app);
}

/** Removes URLs that were learned from events and lead to other hosts than those of the app. */
export function asShown(product: Product, { allowedOrigins }: Situation["app"]): Product {
  if (product.origin === "catalog" || allowedOrigins.length === 0) return product;
  const own = (url: string) => (isOnHosts(url, allowedOrigins) ? url : "");
  return { ...product, url: own(product.url), imageUrl: own(product.imageUrl) };
}
