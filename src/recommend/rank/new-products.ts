/** Merges products newer than the model into the model's proposals. */

import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Product } from "../../domain/product.js";
import { NO_CANDIDATES } from "../../learning/common/candidates.js";
import { placeWorth } from "../../learning/rank/source-blend.js";
import type { ServingModel, Source, SourceQuery } from "../../learning/sources/source.js";
import { askSource } from "../gather/gather.js";
import type { ListWeights } from "../gather/weights.js";
import type { Catalog, Proposal } from "../products/catalog.js";
import type { LiveProducts } from "../products/new-product-index.js";
import type { SourceShare } from "../request/query.js";
import type { Blended } from "./blend.js";
import { likenessTo } from "./substitutes.js";

/** Most new products considered for a list. */
const MAX_NEW_PRODUCTS = 20;
/** Weight of the new product that most visitors met with the current one, as a share of the best proposal. */
const TOGETHER_WEIGHT = 0.5;

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

/** Similar products: a new one has the score of a model's product of the same similarity. */
export function liveSimilar(
  blended: Blended | undefined,
  wanted: readonly Product[],
  k: number,
  question: LiveQuestion & { readonly reportFailure: ReportFailure },
): Proposals {
  const { live, model, asked, catalog, weights } = question;
  const weight = weights?.weights.semantic ?? 0;
  if (!live?.size || !model || !asked || !weights || weight === 0) return known(blended);
  const semantic = model.sources.find(({ name }) => name === "semantic");
  const direction = semantic && model.placing?.direction(asked);
  if (!semantic || !direction) return known(blended);
  const near = live.near(direction, MAX_NEW_PRODUCTS, passesById(question));
  if (near.length === 0) return known(blended);
  const scores = scoresOf(semantic, asked, k, question.reportFailure);
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

/** What a source finds similar; undefined when it fails. */
function scoresOf(
  source: Source,
  asked: SourceQuery,
  k: number,
  reportFailure: ReportFailure,
): Float64Array | undefined {
  try {
    return askSource(source, asked, "alternative", k, undefined).scores;
  } catch (error) {
    reportFailure("new_products", error);
    return undefined;
  }
}

/**
 * Complements: new products that visitors met together with what is viewed or in the cart. What the first orders of a
 * product being viewed had in them comes before all else.
 */
export function liveTogether(
  blended: Blended | undefined,
  met: readonly string[],
  { live }: Pick<LiveQuestion, "live">,
  first: readonly ScoredProduct[] = [],
): Proposals {
  const scored = [...firstOnes(blended, first), ...metTogether(blended, met, live)];
  return scored.length === 0 ? known(blended) : merged(blended, scored);
}

function firstOnes(blended: Blended | undefined, first: readonly ScoredProduct[]): ScoredProduct[] {
  const best = blended?.scores[0] ?? 1;
  const most = Math.max(...first.map(({ score }) => score));
  return first.map((one) => ({ ...one, score: best * (1 + one.score / most) }));
}

function metTogether(
  blended: Blended | undefined,
  met: readonly string[],
  live: LiveProducts | undefined,
): ScoredProduct[] {
  const together = live?.together(met, MAX_NEW_PRODUCTS) ?? [];
  if (together.length === 0) return [];
  const most = together[0]!.score;
  const best = blended?.scores[0] ?? 1;
  return together.map(({ productId, score }, i) => ({
    productId,
    score: (TOGETHER_WEIGHT * best * score) / most,
    share: {
      source: "collaborative" as const,
      score,
      rank: i + 1,
      becauseOf: [],
      counts: { visitors_together: score },
    },
  }));
}

interface ScoredProduct {
  readonly productId: string;
  readonly score: number;
  readonly share: SourceShare;
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
function merged(blended: Blended | undefined, scored: readonly ScoredProduct[]): Proposals {
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
