import { create, toBinary } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ProductGroups } from "../catalog/product-groups.js";
import type { Now } from "../domain/clock.js";
import { check, checkAll, InvalidArgument, NotFound } from "../domain/errors.js";
import { cleanId } from "../domain/ids.js";
import type { Product } from "../domain/product.js";
import { brandGroup, type ProductGroup } from "../domain/product-filter.js";
import { CatalogService, type ListProductsRequest } from "../gen/aisle/v1/catalog_service_pb.js";
import { Availability, type Product as ProductMessage, ProductSchema } from "../gen/aisle/v1/product_pb.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { ProductStore } from "../store/ports/product-store.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { PAGE_BYTES, readPage } from "./paging.js";
import { productMessages, unconfirmedProduct } from "./product-messages.js";
import { MAX_BATCH } from "./refused-items.js";
import { requireApp } from "./require-app.js";

export interface ProductReadDependencies {
  readonly now: Now;
  readonly apps: Pick<AppStore, "get">;
  readonly products: ProductStore;
  readonly groups: Pick<ProductGroups, "list">;
  /** Returns the number of networks that have sent an unconfirmed product. */
  readonly sightingsOf: (appId: string, productId: string) => Promise<number>;
  /** Whether any product of the app has a title: then untitled ones are not shown. */
  readonly hasTitles: (appId: string) => Promise<boolean>;
  readonly report: ReportInternal;
}

/** The methods of the catalogue service that read products. */
export function productReadHandlers(
  deps: ProductReadDependencies,
): Pick<ServiceImpl<typeof CatalogService>, "getProduct" | "batchGetProducts" | "listProducts"> {
  const { report } = deps;
  const messages = (appId: string) => productMessages(deps, appId);
  return {
    getProduct: guarded(report, async (request) => {
      const app = await requireApp(deps.apps, request.appId);
      const { value: named = "" } = request.product;
      if (named === "") throw new InvalidArgument("product_id", "missing", "one of product_id and sku");
      const productId = request.product.case === "productId" ? named : "";
      const product =
        productId === ""
          ? await deps.products.getBySku(request.appId, named)
          : await deps.products.get(request.appId, productId);
      if (product !== undefined) return { product: await messages(app.appId)(product) };
      const sightings = productId === "" ? 0 : await deps.sightingsOf(app.appId, productId);
      if (sightings === 0) throw new NotFound("product");
      return { product: unconfirmedProduct(productId, sightings, app.learnedAfterVisitors) };
    }),

    batchGetProducts: guarded(report, async ({ appId, productIds }) => {
      checkAll(
        check(productIds.length > 0, "product_ids", "missing"),
        check(productIds.length <= MAX_BATCH, "product_ids", "invalid", `at most ${MAX_BATCH}`),
      );
      await requireApp(deps.apps, appId);
      const message = messages(appId);
      const products: ProductMessage[] = [];
      const missingIds: string[] = [];
      let bytes = 0;
      for (const [i, productId] of productIds.entries()) {
        const product = await deps.products.get(appId, productId);
        if (product === undefined) {
          missingIds.push(productId);
          continue;
        }
        const made = create(ProductSchema, await message(product));
        bytes += toBinary(ProductSchema, made).byteLength;
        if (bytes > PAGE_BYTES && products.length > 0)
          return { products, missingIds, remainingIds: productIds.slice(i) };
        products.push(made);
      }
      return { products, missingIds, remainingIds: [] };
    }),

    listProducts: guarded(report, async (request) => {
      const { appId } = await requireApp(deps.apps, request.appId);
      const { items, nextPageToken } = await readPage(CatalogService.method.listProducts, request, {
        schema: ProductSchema,
        read: (after, limit) => deps.products.list(appId, after, limit),
        keyOf: ({ productId }) => productId,
        message: messages(appId),
        matches: await conditionOf(request, () => deps.groups.list(appId)),
      });
      return { products: items, nextPageToken };
    }),
  };
}

/** The condition that products of a list pass; undefined for all products. */
async function conditionOf(
  { categoryId, brand, availability, groupId, textPrefix }: ListProductsRequest,
  groupsOf: () => Promise<readonly ProductGroup[]>,
): Promise<((product: Product) => boolean) | undefined> {
  checkAll(
    check(availability in Availability, "availability", "invalid", "IN_STOCK or OUT_OF_STOCK"),
    check(
      textPrefix === "" || cleanId(textPrefix) !== "",
      "text_prefix",
      "invalid",
      "at most 255 bytes without control characters",
    ),
  );
  const conditions: ((product: Product) => boolean)[] = [];
  if (categoryId !== "") conditions.push(({ categories }) => categories.some((one) => one.categoryId === categoryId));
  if (brand !== "") conditions.push((product) => brandGroup(product.brand) === brandGroup(brand));
  if (availability !== Availability.UNSPECIFIED)
    conditions.push(({ available }) => available === (availability === Availability.IN_STOCK));
  if (groupId !== "") {
    const group = (await groupsOf()).find((one) => one.groupId === groupId);
    if (group === undefined) throw new NotFound("product_group");
    conditions.push(memberOf(group));
  }
  if (textPrefix !== "") conditions.push(beginningWith(textPrefix));
  return conditions.length === 0 ? undefined : (product) => conditions.every((passes) => passes(product));
}

function memberOf(group: ProductGroup): (product: Product) => boolean {
  const productIds = new Set(group.productIds);
  const categoryIds = new Set(group.categoryIds);
  const brands = new Set(group.brands.map(brandGroup));
  const tags = new Set(group.tags);
  return (product) =>
    productIds.has(product.productId) ||
    product.categories.some(({ categoryId }) => categoryIds.has(categoryId)) ||
    brands.has(brandGroup(product.brand)) ||
    product.tags.some((tag) => tags.has(tag));
}

/** Products with an id, a SKU or a word of the title that begins so. */
function beginningWith(prefix: string): (product: Product) => boolean {
  const wanted = prefix.trim().toLowerCase();
  return ({ productId, sku, title }) =>
    productId.toLowerCase().startsWith(wanted) ||
    sku.toLowerCase().startsWith(wanted) ||
    ` ${title.toLowerCase()}`.includes(` ${wanted}`);
}
