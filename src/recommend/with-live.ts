/** Puts new products, which the model does not know, to their places among what the model proposes. */
import { NO_CANDIDATES } from "../algorithms/candidates.js";
import { placeWorth } from "../algorithms/source-blend.js";
import type { Product } from "../domain/product.js";
import type { ServingModel, Source, SourceQuery } from "../model/source.js";
import { askSource } from "./ask-source.js";
import type { Blended } from "./blend.js";
import type { LiveProducts } from "./live-products.js";
import type { ListWeights } from "./propose.js";
import type { SourceShare } from "./query.js";
import type { Catalog } from "./selection.js";
import type { Proposal } from "./shelf.js";
import { likenessTo } from "./substitutes.js";

/** New products that are looked at. */
const MOST = 20;
/** What the new product that most visitors met with what is viewed counts, as a share of the best proposal. */
const TOGETHER = 0.5;

/** What a list proposes, best first, and why new products are there. */
export interface Proposals {
  readonly products: Iterable<Proposal>;
  readonly live: ReadonlyMap<string, SourceShare>;
}

export interface LiveQuestion {
  readonly live: LiveProducts | undefined;
  readonly model: ServingModel | undefined;
  readonly asked: SourceQuery | undefined;
  readonly catalog: Pick<Catalog, "get">;
  readonly passes: ((product: Product) => boolean) | undefined;
  readonly weights: ListWeights | undefined;
}

/** Similar products: a new one counts as much as one that the model knows and is as similar. */
export function liveSimilar(
  blended: Blended | undefined,
  wanted: readonly Product[],
  k: number,
  question: LiveQuestion,
): Proposals {
  const { live, model, asked, catalog, weights } = question;
  const weight = weights?.weights.semantic ?? 0;
  if (!live?.size || !model || !asked || !weights || weight === 0) return known(blended);
  const semantic = model.sources.find(({ name }) => name === "semantic");
  const direction = semantic && model.placing?.direction(asked);
  if (!semantic || !direction) return known(blended);
  const near = live.near(direction, MOST, passesById(question));
  if (near.length === 0) return known(blended);
  const scores = scoresOf(semantic, asked, k);
  if (scores === undefined) return known(blended);
  const best = Math.max(scores[0] ?? 0, near[0]!.score);
  let before = 0;
  const scored = near.map(({ productId, score }, i) => {
    while (before < scores.length && scores[before]! > score) before++;
    const rank = before + i + 1;
    const product = catalog.get(productId);
    const likeness = product === undefined ? 1 : likenessTo(product, wanted);
    const share = { source: "semantic" as const, score, rank, becauseOf: [], counts: { similarity: score } };
    return {
      productId,
      score: likeness * weight * (weights.by === "place" ? placeWorth(rank) : score / best),
      share,
    };
  });
  return merged(blended, scored);
}

/** Of what a source finds similar; undefined when it fails, which is counted where the list was proposed. */
function scoresOf(source: Source, asked: SourceQuery, k: number): Float64Array | undefined {
  try {
    return askSource(source, asked, "alternative", k, undefined).scores;
  } catch {
    return undefined;
  }
}

/** Complements: new products that visitors met together with what is viewed or in the cart. */
export function liveTogether(
  blended: Blended | undefined,
  met: readonly string[],
  { live }: Pick<LiveQuestion, "live">,
): Proposals {
  const together = live?.together(met, MOST) ?? [];
  if (together.length === 0) return known(blended);
  const most = together[0]!.score;
  const best = blended?.scores[0] ?? 1;
  const scored = together.map(({ productId, score }, i) => ({
    productId,
    score: (TOGETHER * best * score) / most,
    share: {
      source: "collaborative" as const,
      score,
      rank: i + 1,
      becauseOf: [],
      counts: { visitors_together: score },
    },
  }));
  return merged(blended, scored);
}

const NONE: ReadonlyMap<string, SourceShare> = new Map();

function passesById({ passes, catalog }: LiveQuestion): (productId: string) => boolean {
  if (passes === undefined) return () => true;
  return (productId) => {
    const product = catalog.get(productId);
    return product !== undefined && passes(product);
  };
}

/** What the model proposes alone. */
function known(blended: Blended | undefined): Proposals {
  return { products: blended?.indices ?? [], live: NONE };
}

/** Both by falling scores; a known product before a new one of the same score. */
function merged(
  blended: Blended | undefined,
  scored: readonly { readonly productId: string; readonly score: number; readonly share: SourceShare }[],
): Proposals {
  const fresh = [...scored].sort((a, b) => b.score - a.score);
  const products: Proposal[] = [];
  let next = 0;
  const { indices, scores } = blended ?? NO_CANDIDATES;
  for (let place = 0; place < indices.length; place++) {
    while (next < fresh.length && fresh[next]!.score > scores[place]!) products.push(fresh[next++]!.productId);
    products.push(indices[place]!);
  }
  products.push(...fresh.slice(next).map(({ productId }) => productId));
  return { products, live: new Map(scored.map(({ productId, share }) => [productId, share])) };
}
