import type { ProductCard } from "../gen/aisle/v1/recommendation_pb.js";
import type { RecommendResponse } from "../gen/aisle/v1/recommendation_service_pb.js";

/** The JSON of an answer: these four names and no other, each product with these six texts. */
export function recommendAnswer({ version, trackerProduct, recommended, alternative }: RecommendResponse): string {
  return JSON.stringify({
    version,
    trackerProduct: trackerProduct === undefined ? null : product(trackerProduct),
    recommended: recommended.map(product),
    alternative: alternative.map(product),
  });
}

function product({ productId, title, imageUrl, url, price, categoryId }: ProductCard) {
  return { productId, title, imageUrl, url, price: price?.amount ?? "", categoryId };
}
