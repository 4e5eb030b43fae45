import type { ProductCard } from "../gen/aisle/v1/recommendation_pb.js";
import type { RecommendResponse } from "../gen/aisle/v1/recommendation_service_pb.js";

/**
 * The JSON of an answer: these four names and no other, each product with these six texts. Written by hand: the shape
 * never changes, and a general serializer would first need objects of it.
 */
export function recommendAnswer(response: RecommendResponse): string {
  const { version, trackerProduct, recommended, alternative } = response;
  return `{"version":${JSON.stringify(version)},"trackerProduct":${
    trackerProduct === undefined ? "null" : product(trackerProduct)
  },"recommended":[${products(recommended)}],"alternative":[${products(alternative)}]}`;
}

function products(cards: readonly ProductCard[]): string {
  let text = "";
  for (const card of cards) text += text === "" ? product(card) : `,${product(card)}`;
  return text;
}

function product(card: ProductCard): string {
  return `{"productId":${JSON.stringify(card.productId)},"title":${JSON.stringify(card.title)},"imageUrl":${JSON.stringify(
    card.imageUrl,
  )},"url":${JSON.stringify(card.url)},"price":${JSON.stringify(card.price?.amount ?? "")},"categoryId":${JSON.stringify(
    card.categoryId,
  )}}`;
}
