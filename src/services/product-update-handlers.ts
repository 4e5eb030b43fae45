import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ProductUpdate, UpdateProduct, UpdateProducts } from "../catalog/update-products.js";
import type { Now } from "../domain/clock.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Product } from "../domain/product.js";
import {
  CatalogService,
  ProductUpdateOutcome,
  type ProductUpdateResultSchema,
  type ProductUpdate as UpdateMessage,
} from "../gen/aisle/v1/catalog_service_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Mutation } from "./mutations.js";
import { productUpdate } from "./product-masks.js";
import { productMessage } from "./product-messages.js";
import { MAX_BATCH, refusalOf } from "./refused-items.js";
import { requireApp } from "./require-app.js";

type Result = MessageInitShape<typeof ProductUpdateResultSchema>;

/** The methods of the catalogue service that change some fields of products. */
export function productUpdateHandlers(deps: {
  readonly apps: Pick<AppStore, "get">;
  readonly updateProduct: UpdateProduct;
  readonly updateProducts: UpdateProducts;
  /** The same over works that are rolled back. */
  readonly tried: { readonly updateProducts: UpdateProducts };
  readonly hasTitles: (appId: string) => Promise<boolean>;
  readonly now: Now;
  readonly mutation: Mutation;
}): Pick<ServiceImpl<typeof CatalogService>, "updateProduct" | "updateProducts"> {
  const { apps, updateProduct, tried, mutation } = deps;
  return {
    updateProduct: mutation(CatalogService.method.updateProduct, async ({ appId, product, updateMask }, once) => {
      await requireApp(apps, appId);
      const update = productUpdate(product, updateMask, false);
      const rules = { hasTitles: await deps.hasTitles(appId), now: deps.now() };
      const answer = (after: Product) => ({ product: productMessage(after, rules) });
      return once.change<Product>(answer, (change) => updateProduct(appId, update, change));
    }),

    updateProducts: mutation(CatalogService.method.updateProducts, async ({ appId, updates, fromFeed }, once) => {
      await requireApp(apps, appId);
      if (updates.length === 0) throw new InvalidArgument("updates", "missing");
      if (updates.length > MAX_BATCH) throw new InvalidArgument("updates", "invalid", `at most ${MAX_BATCH}`);
      const write = async ({ updateProducts }: Pick<typeof deps, "updateProducts">) => ({
        results: await resultsOf(appId, updates, fromFeed, updateProducts),
      });
      return once.steps(
        appId,
        () => write(deps),
        () => write(tried),
      );
    }),
  };
}

async function resultsOf(
  appId: string,
  messages: readonly UpdateMessage[],
  fromFeed: boolean,
  updateProducts: UpdateProducts,
): Promise<Result[]> {
  const results = messages.map(({ product }): Result => ({ productId: product?.productId ?? "" }));
  const updates: ProductUpdate[] = [];
  const places: number[] = [];
  for (const [place, { product, updateMask, allowMissing }] of messages.entries()) {
    try {
      updates.push(productUpdate(product, updateMask, allowMissing));
      places.push(place);
    } catch (error) {
      results[place] = { ...results[place], ...faultOf(error) };
    }
  }
  for (const [index, outcome] of (await updateProducts(appId, updates, { fromFeed })).entries()) {
    const place = places[index] ?? 0;
    results[place] = { ...results[place], ...(outcome instanceof Error ? faultOf(outcome) : done(outcome.isNew)) };
  }
  return results;
}

function done(isNew: boolean): Result {
  return { outcome: isNew ? ProductUpdateOutcome.CREATED : ProductUpdateOutcome.UPDATED };
}

function faultOf(error: unknown): Result {
  if (error instanceof NotFound)
    return { outcome: ProductUpdateOutcome.NOT_FOUND, field: "product.product_id", reason: "There is no such product" };
  return { outcome: ProductUpdateOutcome.INVALID, ...refusalOf(error) };
}
