import type { Product } from "../domain/product.js";
import type { List, ServingModel, SourceName, SourceQuery } from "../model/source.js";
import type { Blended } from "./blend.js";
import type { Reason, SourceShare } from "./query.js";

/** The reasons of the products of a list, in its order. Asks the sources again, so it costs as much as the answer. */
export function explain(
  model: ServingModel,
  query: SourceQuery,
  list: List,
  products: readonly Product[],
  blended: Blended | undefined,
  weights: Readonly<Record<SourceName, number>>,
  candidateCount: number,
): Reason[] {
  const scores = new Map<number, number>();
  blended?.indices.forEach((index, i) => {
    scores.set(index, blended.scores[i]!);
  });
  const places = model.sources
    .filter((source) => weights[source.name] > 0)
    .map((source) => {
      const found =
        list === "recommended" ? source.complements(query, candidateCount) : source.alternatives(query, candidateCount);
      return { source, found, ranks: new Map([...found.indices].map((index, i) => [index, i] as const)) };
    });
  const name = (index: number) => model.productIds[index]!;
  return products.map(({ productId }) => {
    const index = model.indexOf(productId);
    const shares: SourceShare[] = [];
    if (index !== undefined) {
      for (const { source, found, ranks } of places) {
        const rank = ranks.get(index);
        if (rank === undefined) continue;
        const why = source.explain(query, list, index);
        shares.push({
          source: source.name,
          score: found.scores[rank]!,
          rank: rank + 1,
          becauseOf: why?.becauseOf.map(name) ?? [],
          counts: why?.counts ?? {},
        });
      }
    }
    if (shares.length === 0) shares.push(popularityShare(model, index));
    return { productId, score: index === undefined ? 0 : (scores.get(index) ?? 0), shares };
  });
}

function popularityShare(model: ServingModel, index: number | undefined): SourceShare {
  const score = index === undefined ? 0 : model.popularity[index]!;
  return {
    source: "popularity",
    score,
    rank: index === undefined ? 0 : model.byPopularity.indexOf(index) + 1,
    becauseOf: [],
    counts: {},
  };
}
