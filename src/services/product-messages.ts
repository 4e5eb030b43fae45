import type { MessageInitShape } from "@bufbuild/protobuf";
import { groupEtag } from "../catalog/product-groups.js";
import type { ProductDraft } from "../catalog/write-products.js";
import type { Now } from "../domain/clock.js";
import type { Product } from "../domain/product.js";
import type { ProductGroup } from "../domain/product-filter.js";
import { groupOf } from "../domain/variant-group.js";
import type { ProductGroup as ProductGroupMessage, ProductGroupSchema } from "../gen/aisle/v1/product_group_pb.js";
import {
  Availability,
  type Product as ProductMessage,
  ProductOrigin,
  type ProductSchema,
} from "../gen/aisle/v1/product_pb.js";
import { moneyMessage, moneyOf, msOf, timestampOf } from "./common-messages.js";

export function productDraft(message: ProductMessage): ProductDraft {
  return {
    productId: message.productId,
    sku: message.sku,
    variantGroupId: groupOf(message.variantGroupId),
    title: message.title,
    description: message.description,
    categories: message.categories.map(({ categoryId, name }) => ({ categoryId, name })),
    brand: message.brand,
    price: moneyOf(message.price),
    url: message.url,
    imageUrl: message.imageUrl,
    available: message.availability !== Availability.OUT_OF_STOCK,
    hidden: message.hidden,
    validFrom: msOf(message.displayStartTime) ?? 0,
    validUntil: msOf(message.displayEndTime) ?? 0,
    tags: [...message.tags],
    attributes: { ...message.attributes },
    cost: moneyOf(message.costOfGoods),
    stock: message.stock ?? null,
    salePrice: moneyOf(message.salePrice),
    saleStart: msOf(message.saleStartTime) ?? 0,
    saleEnd: msOf(message.saleEndTime) ?? 0,
  };
}

/** Facts besides a product itself that decide whether it may be shown. */
interface ShowingRules {
  readonly hasTitles: boolean;
  readonly now: number;
}

/** Makes messages of an app's products. Its titles are asked for once, when a product has none. */
export function productMessages(
  { hasTitles, now }: { readonly hasTitles: (appId: string) => Promise<boolean>; readonly now: Now },
  appId: string,
): (product: Product) => Promise<MessageInitShape<typeof ProductSchema>> {
  let rules: Promise<ShowingRules> | undefined;
  return async (product) => {
    if (product.title !== "") return productMessage(product, { hasTitles: true, now: now() });
    rules ??= hasTitles(appId).then((hasSome) => ({ hasTitles: hasSome, now: now() }));
    return productMessage(product, await rules);
  };
}

export function productMessage(product: Product, rules: ShowingRules): MessageInitShape<typeof ProductSchema> {
  return {
    productId: product.productId,
    sku: product.sku,
    variantGroupId: product.variantGroupId,
    title: product.title,
    description: product.description,
    categories: product.categories.map((category) => ({ ...category })),
    brand: product.brand,
    price: moneyMessage(product.price),
    url: product.url,
    imageUrl: product.imageUrl,
    availability: product.available ? Availability.IN_STOCK : Availability.OUT_OF_STOCK,
    hidden: product.hidden,
    tags: [...product.tags],
    attributes: { ...product.attributes },
    costOfGoods: moneyMessage(product.cost),
    ...(product.stock !== null && { stock: product.stock }),
    salePrice: moneyMessage(product.salePrice),
    ...(product.saleStart !== 0 && { saleStartTime: timestampOf(product.saleStart) }),
    ...(product.saleEnd !== 0 && { saleEndTime: timestampOf(product.saleEnd) }),
    origin: product.origin === "catalog" ? ProductOrigin.CATALOG : ProductOrigin.EVENT,
    updateTime: timestampOf(product.updatedAt),
    ...(product.validFrom !== 0 && { displayStartTime: timestampOf(product.validFrom) }),
    ...(product.validUntil !== 0 && { displayEndTime: timestampOf(product.validUntil) }),
    notShown: whyNotShown(product, rules),
  };
}

/** An unconfirmed product: only its counts are known. */
export function unconfirmedProduct(
  productId: string,
  sightings: number,
  wanted: number,
): MessageInitShape<typeof ProductSchema> {
  return {
    productId,
    origin: ProductOrigin.EVENT,
    learnedFromVisitors: sightings,
    notShown: `sent by ${sightings} of ${wanted} visitors of different networks`,
  };
}

function whyNotShown(product: Product, { hasTitles, now }: ShowingRules): string {
  const reasons = [
    ...(product.hidden ? [product.hiddenByFeed ? "hidden, as a full feed did not list it" : "hidden"] : []),
    ...(product.validFrom > now ? ["not shown yet"] : []),
    ...(product.validUntil !== 0 && product.validUntil <= now ? ["no longer shown, its time is over"] : []),
    ...(product.available ? [] : ["out of stock"]),
    ...(product.title === "" && hasTitles ? ["without a title, which others have"] : []),
  ];
  return reasons.join(", ");
}

export function productGroup(message: ProductGroupMessage): ProductGroup {
  const { groupId, title, categoryIds, brands, tags, productIds } = message;
  return { groupId, title, categoryIds, brands, tags, productIds };
}

export function groupMessage(group: ProductGroup): MessageInitShape<typeof ProductGroupSchema> {
  return {
    groupId: group.groupId,
    title: group.title,
    categoryIds: [...group.categoryIds],
    brands: [...group.brands],
    tags: [...group.tags],
    productIds: [...group.productIds],
    etag: groupEtag(group),
  };
}
