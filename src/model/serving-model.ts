import type { VectorIndexes } from "../ports/vector-index.js";
import { decodeSnapshot } from "./snapshot.js";
import type { ServingModel, Source } from "./source.js";
import { cartSource } from "./sources/cart.js";
import { collaborativeSource } from "./sources/collaborative.js";
import { rulesSource } from "./sources/rules.js";
import { productVectors, semanticSource, textPlacing } from "./sources/semantic.js";

/**
 * A snapshot's bytes as a model that answers, without the parts that only another version of this program can read; these
 * are told to `onUnread`. Throws DataDamaged when they are no snapshot.
 */
export function loadServingModel(
  modelId: string,
  bytes: Uint8Array,
  indexes: VectorIndexes,
  onUnread: (parts: readonly string[]) => void = () => {},
): ServingModel {
  const { fitted, unread } = decodeSnapshot(bytes, indexes);
  if (unread.length > 0) onUnread(unread);
  const { productIds, popularity } = fitted;
  const indexOf = new Map(productIds.map((productId, index) => [productId, index]));
  const sources: Source[] = [];
  if (fitted.sessions) sources.push(collaborativeSource(fitted.sessions, fitted.ranker));
  if (fitted.cart) {
    const { cart, rules, cartRanking } = fitted;
    const ranked = rules && cartRanking && { sources: { cart, rules, ...cartRanking }, ranking: cartRanking.ranking };
    sources.push(cartSource(cart, ranked));
  }
  if (fitted.rules) sources.push(rulesSource(fitted.rules));
  if (fitted.semantic) sources.push(semanticSource(fitted.semantic, productIds.length));
  const vectorOf = fitted.semantic && productVectors(fitted.semantic, productIds.length);
  return {
    modelId,
    productIds,
    indexOf: (productId) => indexOf.get(productId),
    sources,
    vectorOf,
    placing: fitted.semantic && vectorOf && textPlacing(fitted.semantic, vectorOf),
    blend: fitted.blend,
    popularity,
    byPopularity: Uint32Array.from(productIds.keys()).sort((a, b) => popularity[b]! - popularity[a]! || a - b),
  };
}
