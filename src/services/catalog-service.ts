import type { ServiceImpl } from "@connectrpc/connect";
import type { DeleteProduct, UpsertProducts } from "../catalog/write-products.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import type { AppStore } from "../ports/app-store.js";
import type { ProductStore } from "../ports/product-store.js";
import { guarded, type ReportInternal } from "./errors.js";
import { page, pageSize, readPageToken } from "./paging.js";
import { productDraft, productMessage } from "./product-messages.js";
import { bulkAppId, createRefusals, MAX_BATCH } from "./refusals.js";
import { requireApp } from "./require-app.js";

export interface CatalogServiceDependencies {
  readonly upsertProducts: UpsertProducts;
  readonly deleteProduct: DeleteProduct;
  readonly apps: Pick<AppStore, "get">;
  readonly products: ProductStore;
  readonly report: ReportInternal;
}

export function createCatalogService(deps: CatalogServiceDependencies): ServiceImpl<typeof CatalogService> {
  const { report } = deps;
  return {
    upsertProducts: guarded(report, async (requests) => {
      const refusals = createRefusals();
      let appId = "";
      let index = 0;
      let accepted = 0;
      for await (const { appId: named, products } of requests) {
        appId = bulkAppId(appId, named);
        if (products.length > MAX_BATCH)
          throw new InvalidArgument("products", "invalid", `at most ${MAX_BATCH} a batch`);
        const refused = await deps.upsertProducts(appId, products.map(productDraft));
        for (const item of refused) refusals.list(index + item.index, item.field, item.reason);
        accepted += products.length - refused.length;
        index += products.length;
      }
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      return { accepted: BigInt(accepted), ...refusals.answer() };
    }),

    getProduct: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if ((request.productId === "") === (request.sku === ""))
        throw new InvalidArgument(
          "product_id",
          request.sku === "" ? "missing" : "invalid",
          "one of product_id and sku",
        );
      const product =
        request.productId === ""
          ? await deps.products.getBySku(request.appId, request.sku)
          : await deps.products.get(request.appId, request.productId);
      if (product === undefined) throw new NotFound("product");
      return { product: productMessage(product) };
    }),

    listProducts: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      const size = pageSize(request.pageSize);
      const found = await deps.products.list(request.appId, readPageToken(request.pageToken), size + 1);
      const [products, nextPageToken] = page(found, size, (product) => product.productId);
      return { products: products.map(productMessage), nextPageToken };
    }),

    deleteProduct: guarded(report, async (request) => {
      await requireApp(deps.apps, request.appId);
      if (request.productId === "") throw new InvalidArgument("product_id", "missing");
      await deps.deleteProduct(request.appId, request.productId);
      return {};
    }),
  };
}
