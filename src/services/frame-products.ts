/** Pins and bans of a frame name products that the app has. */
import type { CatalogView, CatalogViews } from "../catalog/catalog-view.js";
import { check, checkAll } from "../domain/errors.js";
import type { FrameConfiguration, FrameToWrite } from "../domain/frame.js";
import type { Transaction } from "../store/ports/unit-of-work.js";

/**
 * Reads what is needed to check the products of a frame. The check throws InvalidArgument for each pinned or banned id that
 * is neither a product nor a group of variants. Ids that the stored frame has are accepted: a product may have been deleted
 * since, and this must not stop other changes of the frame.
 */
export async function frameProductCheck(
  catalogs: Pick<CatalogViews, "of">,
  appId: string,
  asked: FrameToWrite,
): Promise<(tx: Transaction) => void> {
  const named = namedProducts(asked);
  if (named.length === 0) return () => {};
  const catalog = await catalogs.of(appId);
  return (tx) => {
    const stored = tx.frames.get(asked.frameId);
    const kept = new Set(stored && namedProducts(stored).map(([, productId]) => productId));
    checkAll(
      ...named.map(([field, productId]) =>
        check(kept.has(productId) || isKnown(productId, catalog, tx), field, "invalid", ACCEPTED),
      ),
    );
  };
}

const ACCEPTED = "the id of a product of the catalogue, or of a group of its variants";

/** The catalogue in memory may be behind the store; it alone has the groups of variants. */
function isKnown(productId: string, catalog: Pick<CatalogView, "get" | "variantsOf">, tx: Transaction): boolean {
  if (catalog.get(productId) !== undefined || catalog.variantsOf(productId) !== undefined) return true;
  return tx.products.get(productId) !== undefined;
}

function namedProducts(
  frame: Pick<FrameConfiguration, "pinnedProductIds" | "bannedProductIds" | "variants">,
): (readonly [field: string, productId: string])[] {
  const at = (path: string, productIds: readonly string[]) =>
    productIds.map((productId, i) => [`frame_configuration.${path}[${i}]`, productId] as const);
  return [
    ...at("pinned_product_ids", frame.pinnedProductIds),
    ...at("banned_product_ids", frame.bannedProductIds),
    ...frame.variants.flatMap((variant, i) =>
      at(`variants[${i}].pin_choice.product_ids`, variant.pinnedProductIds ?? []),
    ),
  ];
}
