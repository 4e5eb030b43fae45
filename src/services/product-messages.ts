import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ProductDraft } from "../catalog/write-products.js";
import type { Product } from "../domain/product.js";
import {
  Availability,
  type Product as ProductMessage,
  ProductOrigin,
  type ProductSchema,
} from "../gen/aisle/v1/product_pb.js";
import { moneyMessage, moneyOf, timestampOf } from "./messages.js";

export function productDraft(message: ProductMessage): ProductDraft {
  return {
    productId: message.productId,
    sku: message.sku,
    variantGroupId: message.variantGroupId,
    title: message.title,
    description: message.description,
    categories: message.categories.map(({ categoryId, name }) => ({ categoryId, name })),
    brand: message.brand,
    price: moneyOf(message.price),
    url: message.url,
    imageUrl: message.imageUrl,
    available: message.availability !== Availability.OUT_OF_STOCK,
    hidden: message.hidden,
    tags: [...message.tags],
    attributes: { ...message.attributes },
  };
}

export function productMessage(product: Product): MessageInitShape<typeof ProductSchema> {
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
    origin: product.origin === "catalog" ? ProductOrigin.CATALOG : ProductOrigin.EVENT,
    updatedAt: timestampOf(product.updatedAt),
  };
}
