/**
 * Cold start: a product that is new, or was ordered too seldom, has no complements of its own. The complements of its nearest
 * neighbours by text take their place. The products of its own first orders come before them.
 */
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Product } from "../../domain/product.js";
import type { ServingModel, Source, SourceQuery } from "../../learning/sources/source.js";
import { productText } from "../../learning/sources/texts.js";
import type { Catalog } from "../products/catalog.js";
import type { LiveProducts } from "../products/new-product-index.js";
import type { SourceShare } from "../request/query.js";

/** Products of a page that are looked at. */
const MOST_CURRENT = 3;
/** A product in fewer orders gets neighbours. */
const FEW_ORDERS = 3;
const MOST_NEIGHBOURS = 5;
/** Neighbours that are looked at: some of them are new as well. */
const SEARCHED = 30;
/** Products of its first orders that are looked at. */
const MOST_OF_ORDERS = 10;
/** Least similarity of a neighbour, as a share of the nearest one's. */
const LEAST_LIKE = 0.5;

const NOTHING: SourceQuery = {
  session: { items: new Uint32Array(), weights: new Float32Array(), runs: new Uint32Array() },
  antecedents: new Uint32Array(),
  basket: new Uint32Array(),
  hasCart: false,
  anchor: new Uint32Array(),
};

export interface ColdStart {
  /** The products of the page, each new one followed by its neighbours. */
  readonly current: readonly string[];
  /** Those of the page that have neighbours. */
  readonly fresh: readonly string[];
}

/** A source that throws gives no neighbours. */
export function withNeighboursOfNew(
  current: readonly string[],
  model: ServingModel | undefined,
  catalog: Pick<Catalog, "get">,
  reportFailure: ReportFailure,
): ColdStart {
  const semantic = model?.sources.find(({ name }) => name === "semantic");
  if (model === undefined || semantic === undefined || current.length > MOST_CURRENT) return { current, fresh: [] };
  const rules = rulesOf(model);
  const fresh: string[] = [];
  try {
    const all = current.flatMap((productId) => {
      const product = catalog.get(productId);
      const index = model.indexOf(productId);
      if (product === undefined || (index !== undefined && isLearned(index, model, rules))) return [productId];
      const found = neighboursOf(product, index, model, rules, semantic);
      if (found.length > 0) fresh.push(productId);
      return [productId, ...found];
    });
    return { current: all, fresh };
  } catch (error) {
    reportFailure("candidates", error);
    return { current, fresh: [] };
  }
}

/** What the first orders of products had in them: since the training, and before it. */
export function firstOrders(
  fresh: readonly string[],
  model: ServingModel | undefined,
  live: LiveProducts | undefined,
  reportFailure: ReportFailure,
): { readonly productId: string; readonly score: number; readonly share: SourceShare }[] {
  const rules = model && rulesOf(model);
  return fresh.flatMap((productId) => {
    const index = model?.indexOf(productId);
    const since = (live?.orderedWith(productId, MOST_OF_ORDERS) ?? []).map(({ productId: other, score }, i) => ({
      productId: other,
      score,
      share: share(productId, score, i, { pair_count: score }),
    }));
    if (model === undefined || index === undefined || rules === undefined) return since;
    try {
      const query = { ...NOTHING, antecedents: Uint32Array.of(index) };
      const { indices, scores } = rules.complements(query, MOST_OF_ORDERS);
      const before = Array.from(indices, (other, i) => ({
        productId: model.productIds[other]!,
        score: scores[i]!,
        share: share(productId, scores[i]!, i, rules.explain(query, "recommended", other)?.counts ?? {}),
      }));
      return [...since, ...before];
    } catch (error) {
      reportFailure("candidates", error);
      return since;
    }
  });
}

function share(because: string, score: number, place: number, counts: SourceShare["counts"]): SourceShare {
  return { source: "association_rules", score, rank: place + 1, becauseOf: [because], counts };
}

function rulesOf({ sources }: ServingModel): Source | undefined {
  return sources.find(({ name }) => name === "association_rules");
}

/** Whether enough was learned of a product. Where nothing was learned from orders, views have to do. */
function isLearned(index: number, { popularity }: ServingModel, rules: Source | undefined): boolean {
  if (!(popularity[index]! > 0)) return false;
  return rules?.orderCount === undefined || rules.orderCount(index) >= FEW_ORDERS;
}

function neighboursOf(
  product: Product,
  index: number | undefined,
  model: ServingModel,
  rules: Source | undefined,
  semantic: Source,
): string[] {
  const query =
    index === undefined
      ? { ...NOTHING, unseen: [productText(product)] }
      : { ...NOTHING, anchor: Uint32Array.of(index) };
  const { indices, scores } = semantic.alternatives(query, SEARCHED);
  const found: string[] = [];
  for (let i = 0; i < indices.length && found.length < MOST_NEIGHBOURS; i++) {
    if (scores[i]! < LEAST_LIKE * scores[0]!) break;
    if (isLearned(indices[i]!, model, rules)) found.push(model.productIds[indices[i]!]!);
  }
  return found;
}
