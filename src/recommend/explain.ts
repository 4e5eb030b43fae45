import type { ReportFailure } from "../adapters/report-failure.js";
import type { Product } from "../domain/product.js";
import type { Candidates } from "../learning/common/candidates.js";
import type { SourceWeights } from "../learning/sources/blend-weights.js";
import type { List, ServingModel, Source, SourceQuery } from "../learning/sources/source.js";
import { askSource, type Narrowing } from "./gather/gather.js";
import type { ReadyProducts } from "./gather/ready-list.js";
import type { Proposal } from "./products/catalog.js";
import type { Blended } from "./rank/blend.js";
import type { Boosts } from "./rank/boosts.js";
import type { Reason, SourceShare } from "./request/query.js";

/** What an answer was made from. */
export interface Explained {
  /** Ids of the products that the frame pins to their places. */
  readonly pinned: ReadonlySet<string>;
  /** Undefined before the first model. */
  readonly model: ServingModel | undefined;
  readonly query: SourceQuery | undefined;
  readonly list: List;
  readonly blended: Blended | undefined;
  readonly weights: SourceWeights | undefined;
  /** Candidates each source was asked for. */
  readonly candidateCount: number;
  /** What a filter left of the candidates. */
  readonly narrowing: Narrowing | undefined;
  /** The ready list that fills this list. */
  readonly ready: ReadyProducts | undefined;
  /** Probabilities of products that have their places by exploration. */
  readonly explored: ReadonlyMap<string, number>;
  /** Boosts of the frame. */
  readonly boosts: Boosts | undefined;
  /** Of products that the model does not know, what put them there. */
  readonly live: ReadonlyMap<string, SourceShare>;
  /** Groups asked for or categories being viewed, whose popular products fill the list first. */
  readonly within: ReadonlySet<string> | undefined;
}

interface Proposed {
  readonly source: Source;
  readonly found: Candidates;
  /** Place of each product, from 0. */
  readonly ranks: ReadonlyMap<number, number>;
}

/**
 * The reasons of the products of a list, in its order: each has at least one. Asks the sources again, so it costs as
 * much as the answer. A source that fails is left out, as it is of the answer.
 */
export function explain(products: readonly Product[], explained: Explained, reportFailure: ReportFailure): Reason[] {
  const { model, query, list, blended, weights } = explained;
  const scores = new Map<number, number>();
  blended?.indices.forEach((index, i) => {
    scores.set(index, blended.scores[i]!);
  });
  const proposed = proposedBy(explained, reportFailure);
  const places = new Map(explained.ready?.products.map((proposal, place) => [proposal, place]));
  return products.map((product) => {
    const { productId } = product;
    const index = model?.indexOf(productId);
    const isPinned = explained.pinned.has(productId);
    const exploration = explained.explored.get(productId) ?? 0;
    const boosts = isPinned ? [] : (explained.boosts?.of(product) ?? []);
    const place = places.get(index ?? productId);
    if (explained.ready !== undefined && place !== undefined) {
      const share = listShare(explained.ready, index ?? productId, place);
      return { productId, score: share.score, shares: [share], isPinned, boosts, exploration };
    }
    const shares: SourceShare[] = [];
    if (model !== undefined && query !== undefined && index !== undefined)
      for (const { source, found, ranks } of proposed) {
        const rank = ranks.get(index);
        if (rank === undefined) continue;
        const why = whyOf(source, query, list, index, reportFailure);
        shares.push({
          source: source.name,
          score: found.scores[rank]!,
          rank: rank + 1,
          becauseOf: why?.becauseOf.map((other) => model.productIds[other]!) ?? [],
          counts: why?.counts ?? {},
        });
      }
    const live = explained.live.get(productId);
    if (live !== undefined) {
      const same = shares.findIndex(({ source }) => source === live.source);
      shares.splice(same < 0 ? shares.length : same, same < 0 ? 0 : 1, live);
    }
    // Popularity has its own weight, or is what put it there, or all that can be said of a proposal that nothing the
    // visitor did leads to.
    if (
      (weights?.popularity ?? 0) > 0 ||
      shares.every(({ becauseOf, counts }) => becauseOf.length === 0 && Object.keys(counts).length === 0)
    )
      shares.push(popularityShare(productId, model, explained.within));
    const score = index === undefined ? 0 : (scores.get(index) ?? 0);
    return { productId, score, shares, isPinned, boosts, exploration };
  });
}

function listShare(ready: ReadyProducts, proposal: Proposal, place: number): SourceShare {
  const { kind, scores } = ready;
  return { source: kind, score: scores[place]!, rank: place + 1, becauseOf: [], counts: ready.counts(proposal, place) };
}

/** What a source says of its proposal; nothing when it fails. */
function whyOf(source: Source, query: SourceQuery, list: List, index: number, reportFailure: ReportFailure) {
  try {
    return source.explain(query, list, index);
  } catch (error) {
    reportFailure("explanation", error);
    return undefined;
  }
}

function proposedBy(
  { model, query, list, weights, candidateCount, narrowing }: Explained,
  reportFailure: ReportFailure,
): Proposed[] {
  if (model === undefined || query === undefined || weights === undefined) return [];
  return model.sources
    .filter((source) => weights[source.name] > 0)
    .flatMap((source) => {
      try {
        const found = askSource(source, query, list, candidateCount, narrowing);
        return [{ source, found, ranks: new Map([...found.indices].map((index, i) => [index, i] as const)) }];
      } catch (error) {
        reportFailure("explanation", error);
        return [];
      }
    });
}

/** A product that no model met has score and rank 0. `rank_within`: its place in the groups or categories alone. */
function popularityShare(
  productId: string,
  model: ServingModel | undefined,
  within: ReadonlySet<string> | undefined,
): SourceShare {
  const popularityOf = (id: string) => model?.popularity[model.indexOf(id) ?? -1] ?? 0;
  const score = popularityOf(productId);
  const index = model?.indexOf(productId);
  const rank = model === undefined || index === undefined ? 0 : model.byPopularity.indexOf(index) + 1;
  if (score === 0 || !within?.has(productId)) return { source: "popularity", score, rank, becauseOf: [], counts: {} };
  const before = [...within].filter((id) => popularityOf(id) > score).length;
  return { source: "popularity", score, rank, becauseOf: [], counts: { rank_within: before + 1 } };
}
