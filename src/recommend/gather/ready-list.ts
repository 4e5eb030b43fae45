/** Ready lists: what fills `recommended` in frames that show a list that is counted or remembered. */
import type { ReadyList, ReadyListKind } from "../../domain/frame.js";
import type { Candidates } from "../../learning/common/candidates.js";
import { bestsellers, countsBetween, MOST_DAYS, trending } from "../../learning/sources/popularity/daily-counts.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Proposal, Shelf } from "../products/catalog.js";
import type { SourceShare } from "../request/query.js";
import type { VisitorContext } from "../request/visitor-context.js";
import { createNewArrivals } from "./new-arrivals.js";

/** The products of a ready list, best first. */
export interface ReadyProducts {
  readonly kind: SourceShare["source"];
  readonly products: readonly Proposal[];
  /** By place; larger is better. */
  readonly scores: ArrayLike<number>;
  /** Figures behind the place of a product of the list. */
  counts(proposal: Proposal, place: number): SourceShare["counts"];
}

const DAY_MS = 86_400_000;

export interface ListQuestion {
  readonly shelf: Shelf;
  readonly context: VisitorContext;
  readonly now: number;
}

/** Lists by their settings. What follows from a model or a catalogue is kept as long as these. */
export function createReadyLists(): (list: ReadyList, question: ListQuestion) => ReadyProducts | undefined {
  const newArrivals = createNewArrivals();
  const counted = createCountedLists();
  return ({ kind, days }, question) => {
    switch (kind) {
      case "":
        return undefined;
      case "recently_viewed":
        return recentlyViewed(question);
      case "buy_again":
        return buyAgain(question);
      case "new_arrivals": {
        const { products, daysAgo } = newArrivals(question.shelf, days, question.now);
        const counts = (_: Proposal, place: number) => ({ days_ago: daysAgo(place) });
        return { kind, products, scores: falling(products.length), counts };
      }
      case "trending":
      case "bestsellers":
        return counted(kind, days, question.shelf.model);
    }
  };
}

function recentlyViewed({ shelf, context, now }: ListQuestion): ReadyProducts {
  const views = new Map<string, { count: number; at: number }>();
  for (const { type, productId, at } of context.sequence) {
    if (type !== "product_view") continue;
    const before = views.get(productId)?.count ?? 0;
    views.delete(productId);
    views.set(productId, { count: before + 1, at });
  }
  const newestFirst = [...views].reverse();
  return remembered("recently_viewed", newestFirst, "view_count", shelf, now);
}

function buyAgain({ shelf, context, now }: ListQuestion): ReadyProducts {
  const orders = new Map<string, { count: number; at: number }>();
  for (const { type, productId, at } of context.sequence) {
    if (type !== "order") continue;
    const before = orders.get(productId);
    // The lines of one order have one time.
    if (before?.at !== at) orders.set(productId, { count: (before?.count ?? 0) + 1, at });
  }
  const mostOften = [...orders].sort(([, a], [, b]) => b.count - a.count || b.at - a.at);
  return remembered("buy_again", mostOften, "order_count", shelf, now);
}

function remembered(
  kind: ReadyListKind,
  entries: readonly (readonly [string, { readonly count: number; readonly at: number }])[],
  countName: string,
  shelf: Shelf,
  now: number,
): ReadyProducts {
  return {
    kind,
    products: entries.map(([productId]) => shelf.proposal(productId)),
    scores: falling(entries.length),
    counts: (_, place) => {
      const { count, at } = entries[place]![1];
      return { [countName]: count, days_ago: Math.max(0, Math.floor((now - at) / DAY_MS)) };
    },
  };
}

const NO_PRODUCTS: ReadyProducts = { kind: "popularity", products: [], scores: [], counts: () => ({}) };

function popularProducts({ byPopularity, popularity }: ServingModel): ReadyProducts {
  const products = Array.from(byPopularity).filter((index) => popularity[index]! > 0);
  return { ...NO_PRODUCTS, products, scores: products.map((index) => popularity[index]!) };
}

/** Lists of a model's daily counts; before these are known, bestsellers are the popular products. */
function createCountedLists() {
  const kept = new WeakMap<ServingModel, Map<string, Candidates>>();
  return (kind: "trending" | "bestsellers", days: number, model: ServingModel | undefined): ReadyProducts => {
    if (model === undefined) return NO_PRODUCTS;
    const { daily } = model;
    if (daily === undefined) return kind === "bestsellers" ? popularProducts(model) : NO_PRODUCTS;
    let lists = kept.get(model);
    if (lists === undefined) {
      lists = new Map();
      kept.set(model, lists);
    }
    const key = `${kind} ${days}`;
    let list = lists.get(key);
    if (list === undefined) {
      list = kind === "trending" ? trending(daily, days) : bestsellers(daily, days);
      lists.set(key, list);
    }
    const { indices, scores } = list;
    return {
      kind,
      products: Array.from(indices),
      scores,
      counts: (proposal, place) => {
        if (typeof proposal === "string") return {};
        if (kind === "bestsellers") return { order_count: countsBetween(daily, proposal, 0, days).orders, days };
        const [recent, before] = [
          countsBetween(daily, proposal, 0, days),
          countsBetween(daily, proposal, days, Math.min(MOST_DAYS, 4 * days)),
        ];
        return {
          growth: scores[place]!,
          recent: recent.orders + recent.views,
          before: before.orders + before.views,
          days,
        };
      },
    };
  };
}

function falling(count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, place) => 1 / (place + 1));
}
