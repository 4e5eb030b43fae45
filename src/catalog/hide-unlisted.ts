import type { Now } from "../domain/clock.js";
import { Conflict, NotFound } from "../domain/errors.js";
import type { Product } from "../domain/product.js";
import type { ProductStore } from "../store/ports/product-store.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { IdSet } from "./feed/id-set.js";

export interface Listing {
  readonly listed: Pick<IdSet, "has">;
  /** When the feed began. It cannot list products added later. */
  readonly startedAt: number;
  /** Also hides more than half of the products, and products missing from an incomplete feed. */
  readonly force: boolean;
  /** Some entries of the feed were unreadable: nothing is hidden. */
  readonly incomplete: boolean;
  /** The products of the feed were not written. Those that it lists would be shown again. */
  readonly isTried?: boolean;
}

export interface Hidden {
  readonly hidden: number;
  /** Shown products that the feed does not list. */
  readonly unlisted: number;
}

/**
 * Hides the products of an app's catalogue that a full feed does not list. Reads the products twice, to count and to hide
 * them, and so holds only one batch in memory. Rejects with NotFound("app"), and with Conflict("too_many_unlisted") instead of
 * hiding more than half of the products shown when the feed began.
 */
export type HideUnlisted = (appId: string, listing: Listing) => Promise<Hidden>;

/** Products hidden in one work. */
const WORK_PRODUCTS = 500;

export function createHideUnlisted(deps: {
  readonly products: Pick<ProductStore, "scan">;
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
}): HideUnlisted {
  const { products, unitOfWork, now } = deps;

  const hide = async (appId: string, ids: readonly string[], isUnlisted: (product: Product) => boolean) => {
    const at = now();
    return unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      let count = 0;
      for (const id of ids) {
        const product = tx.products.get(id);
        if (product === undefined || !isUnlisted(product)) continue;
        tx.products.put(id, { ...product, hidden: true, hiddenByFeed: true, updatedAt: at });
        count += 1;
      }
      if (count > 0) tx.markChanged();
      return count;
    });
  };

  return async (appId, { listed, startedAt, force, incomplete, isTried = false }) => {
    const isHidden = ({ hidden, hiddenByFeed, productId }: Product) =>
      hidden && !(isTried && hiddenByFeed && listed.has(productId));
    const wasShown = (product: Product) =>
      product.origin === "catalog" && !isHidden(product) && product.addedAt < startedAt;
    const isUnlisted = (product: Product) => wasShown(product) && !listed.has(product.productId);
    let shown = 0;
    let unlisted = 0;
    for await (const batch of products.scan(appId)) {
      for (const product of batch) {
        if (!wasShown(product)) continue;
        shown += 1;
        if (!listed.has(product.productId)) unlisted += 1;
      }
    }
    if (unlisted === 0 || (incomplete && !force)) return { hidden: 0, unlisted };
    if (unlisted * 2 > shown && !force) {
      throw new Conflict(
        "too_many_unlisted",
        `The feed does not list ${unlisted} of the ${shown} products that were shown; more than half are hidden only by force`,
      );
    }
    let hidden = 0;
    let waiting: string[] = [];
    for await (const batch of products.scan(appId)) {
      for (const product of batch) if (isUnlisted(product)) waiting.push(product.productId);
      for (; waiting.length >= WORK_PRODUCTS; waiting = waiting.slice(WORK_PRODUCTS)) {
        hidden += await hide(appId, waiting.slice(0, WORK_PRODUCTS), isUnlisted);
      }
    }
    if (waiting.length > 0) hidden += await hide(appId, waiting, isUnlisted);
    return { hidden, unlisted };
  };
}
