import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import { cleanId } from "../domain/ids.js";
import { isDecimal } from "../domain/money.js";
import { isSameProduct, type Product, webUrl } from "../domain/product.js";
import { isNoValue } from "../parse/words-for-nothing.js";
import type { Change, Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";

/** A product as a feed or an RPC caller gives it. */
export type ProductDraft = Omit<Product, "origin" | "updatedAt" | "hiddenByFeed" | "addedAt">;

/** Why the product at `index` of a batch was not written; `field` as an RPC caller writes it. */
export interface RefusedProduct {
  readonly index: number;
  readonly field: string;
  readonly reason: string;
}

const MAX_TITLE = 1024;
const MAX_DESCRIPTION = 32_768;
const MAX_LISTED = 100;
/** Products written in one unit of work: a millisecond or two. */
export const AT_ONCE = 50;

/** `fromFeed`: drafts do not say what is hidden. Products that a caller hid stay hidden. */
export type UpsertProducts = (
  appId: string,
  drafts: readonly ProductDraft[],
  options?: { readonly fromFeed: boolean },
) => Promise<RefusedProduct[]>;
export type DeleteProduct = (appId: string, productId: string, change?: Change<void>) => Promise<void>;

export interface WriteProductsDependencies {
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
}

/**
 * Writes a batch of products in order; each replaces the product of its id. Unchanged products are not written again, as
 * feeds repeat them every hour. The store may write other works in between.
 */
export function createUpsertProducts(deps: WriteProductsDependencies): UpsertProducts {
  return async (appId, drafts, options) => {
    const refused: RefusedProduct[] = [];
    const products: ProductDraft[] = [];
    const at = deps.now();
    for (const [index, draft] of drafts.entries()) {
      try {
        products.push(checkProduct(draft));
      } catch (error) {
        if (!(error instanceof InvalidArgument)) throw error;
        const reason = error.fault === "missing" ? "is missing" : `is not accepted: ${error.accepted}`;
        refused.push({ index, field: error.field, reason });
      }
    }
    const write = (some: readonly ProductDraft[]) => (tx: Transaction) => {
      if (tx.app() === undefined) throw new NotFound("app");
      let changed = false;
      for (const draft of some) {
        const before = tx.products.get(draft.productId);
        const after = written(before, draft, at, options?.fromFeed === true);
        if (before !== undefined && isSameProduct(before, after)) continue;
        tx.products.put(after.productId, after);
        changed = true;
      }
      if (changed) tx.markChanged();
    };
    // An empty batch makes one work too, which checks that the app exists.
    const works = [write(products.slice(0, AT_ONCE))];
    for (let from = AT_ONCE; from < products.length; from += AT_ONCE)
      works.push(write(products.slice(from, from + AT_ONCE)));
    for (const outcome of await deps.unitOfWork.runEach(appId, works))
      if (outcome.status === "rejected") throw outcome.reason;
    return refused;
  };
}

function written(before: Product | undefined, draft: ProductDraft, at: number, fromFeed: boolean): Product {
  const staysHidden = fromFeed && before?.hidden === true && !before.hiddenByFeed;
  return {
    ...draft,
    hidden: draft.hidden || staysHidden,
    hiddenByFeed: false,
    origin: "catalog",
    addedAt: before?.origin === "catalog" ? before.addedAt : at,
    updatedAt: at,
  };
}

/** Removes a product. A missing product is no error. */
export function createDeleteProduct(deps: WriteProductsDependencies): DeleteProduct {
  return (appId, productId, change = (id, work) => deps.unitOfWork.run(id, work)) =>
    change(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      if (tx.products.get(productId) === undefined) return;
      tx.products.delete(productId);
      tx.markChanged();
    });
}

function checkAmount(field: string, { amount }: Product["price"]): void {
  if (amount !== "" && !isDecimal(amount))
    throw new InvalidArgument(field, "invalid", "decimal text with a dot, for example 149.99");
  if (amount.startsWith("-")) throw new InvalidArgument(field, "invalid", "0 or more");
}

/** The draft in stored form: URLs as a parser writes them. Throws InvalidArgument that names the field. */
export function checkProduct(draft: ProductDraft): ProductDraft {
  if (isNoValue(draft.productId)) throw new InvalidArgument("product_id", "missing");
  if (draft.sku !== "" && isNoValue(draft.sku)) throw new InvalidArgument("sku", "missing");
  id("product_id", draft.productId);
  id("sku", draft.sku);
  id("variant_group_id", draft.variantGroupId);
  text("title", draft.title, MAX_TITLE);
  text("description", draft.description, MAX_DESCRIPTION);
  text("brand", draft.brand, MAX_TITLE);
  for (const category of draft.categories) {
    if (category.categoryId === "") throw new InvalidArgument("categories", "invalid", "each category has an id");
    id("categories", category.categoryId);
  }
  for (const tag of draft.tags) id("tags", tag);
  if (draft.categories.length > MAX_LISTED || draft.tags.length > MAX_LISTED)
    throw new InvalidArgument(draft.tags.length > MAX_LISTED ? "tags" : "categories", "invalid", "at most 100");
  checkAmount("price.amount", draft.price);
  checkAmount("cost_of_goods.amount", draft.cost);
  checkAmount("sale_price.amount", draft.salePrice);
  if (draft.saleEnd !== 0 && draft.saleEnd <= draft.saleStart)
    throw new InvalidArgument("sale_end_time", "invalid", "a time after sale_start_time");
  if (draft.stock !== null && draft.stock < 0) throw new InvalidArgument("stock", "invalid", "0 or more");
  if (draft.validUntil !== 0 && draft.validUntil <= draft.validFrom)
    throw new InvalidArgument("display_end_time", "invalid", "a time after display_start_time");
  const url = webUrl(draft.url);
  const imageUrl = webUrl(draft.imageUrl);
  if (draft.url !== "" && url === "") throw new InvalidArgument("url", "invalid", "an http or https URL");
  if (draft.imageUrl !== "" && imageUrl === "")
    throw new InvalidArgument("image_url", "invalid", "an http or https URL");
  if (Object.keys(draft.attributes).length > MAX_LISTED)
    throw new InvalidArgument("attributes", "invalid", "at most 100");
  return url === draft.url && imageUrl === draft.imageUrl ? draft : { ...draft, url, imageUrl };
}

function id(field: string, value: string): void {
  if (value !== "" && cleanId(value) === "")
    throw new InvalidArgument(field, "invalid", "at most 255 bytes without control characters");
}

function text(field: string, value: string, length: number): void {
  if (value.length > length) throw new InvalidArgument(field, "invalid", `at most ${length} characters`);
}
