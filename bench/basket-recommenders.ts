/** What the basket benchmark compares: baselines, our sources alone, and the learned ranking. */
import { associationRules, type Rules, recommendFromRules } from "../src/learning/cart/association-rules.js";
import { createComplementSearch } from "../src/learning/cart/cart-complements.js";
import { NO_CUSTOMER } from "../src/learning/cart/cart-questions.js";
import { type CartRanking, fitCartSources, tryCartRanking } from "../src/learning/cart/cart-ranking.js";
import { createCartRecommender } from "../src/learning/cart/cart-recommender.js";
import type { Candidates } from "../src/learning/common/candidates.js";
import { popularity } from "../src/learning/common/popularity.js";
import { rowCount, rowOf } from "../src/learning/common/rows.js";
import { createTopK } from "../src/learning/common/top-k.js";
import { easeScores, fitEase } from "../src/learning/evaluation/ease.js";
import { treeCount } from "../src/learning/ranking/gradient-boosting/forest.js";
import type { Query, Task } from "./basket-tasks.js";
import { fitTifuKnn } from "./tifu-knn.js";

const DAY_MS = 86_400_000;
const SEED = 1;

export const LEARNED = "ours: learned ranking";
const OWN_THEN_POPULAR = "customer's own products, then popularity";
const TIFU_KNN = "TIFU-kNN";
/** They answer questions about known customers alone. */
export const OF_CUSTOMERS: ReadonlySet<string> = new Set([OWN_THEN_POPULAR, TIFU_KNN]);

const NOTHING = new Float64Array(0);

export type Recommender = (query: Query, k: number) => Candidates;

/** Each by name with the function that fits it. `tell` is given what the ranking says of itself. */
export function recommenders(
  { orders, productCount, cutOff }: Task,
  tell: (text: string) => void,
): Readonly<Record<string, () => Recommender>> {
  const { baskets, at } = orders;
  const popular = (halfLifeMs: number) => () => {
    const times = new Float64Array(baskets.items.length);
    for (let r = 0; r < rowCount(baskets); r++) times.fill(at[r]!, baskets.offsets[r]!, baskets.offsets[r + 1]!);
    const meetings = { productIndices: baskets.items, at: times, weights: new Float32Array(times.length).fill(1) };
    const scores = popularity(meetings, productCount, { cutOff, halfLifeMs });
    return byScores(() => scores);
  };
  const everyPair = () =>
    associationRules(baskets, productCount, {
      maxConsequents: productCount,
      minTripleCount: 0,
      maxBasketLength: 10_000,
    });
  const pairs = (figure: PairFigure, join: "sum" | "most") => () => pairScores(everyPair(), productCount, figure, join);
  const complements = (params: Parameters<typeof fitCartSources>[3]) => () => {
    const { cart } = fitCartSources(orders, productCount, cutOff, params);
    const find = createComplementSearch(cart);
    return (query: Query, k: number) => without(find(query.question.items, k + query.question.items.length), query, k);
  };
  return {
    popularity: popular(Number.POSITIVE_INFINITY),
    "popularity, half-life 30 d": popular(30 * DAY_MS),
    "item kNN, cosine": pairs((both, a, c) => both / Math.sqrt(a * c), "sum"),
    "rules, maximum lift": pairs((both, a, c) => both / a / c, "most"),
    "rules, maximum confidence": pairs((both, a) => both / a, "most"),
    "EASE^R, lambda 50": () => {
      const ease = fitEase(baskets, productCount, 50);
      return byScores(({ question }) => {
        const scores = new Float64Array(productCount);
        for (const [place, score] of easeScores(ease, question.items).entries()) scores[ease.products[place]!] = score;
        return scores;
      });
    },
    [OWN_THEN_POPULAR]: () => {
      const shares = new Float64Array(productCount);
      for (const product of baskets.items) shares[product]! += 1 / baskets.items.length;
      return byScores(({ question: { purchases } }) => {
        const scores = shares.slice();
        if (purchases) for (const [i, product] of purchases.products.entries()) scores[product]! += purchases.times[i]!;
        return scores;
      });
    },
    [TIFU_KNN]: () => {
      const histories: Uint32Array[][] = [];
      for (let r = 0; r < rowCount(baskets); r++) {
        const customer = orders.customers[r]!;
        if (customer === NO_CUSTOMER) continue;
        histories[customer] ??= [];
        histories[customer].push(rowOf(baskets, r));
      }
      const scoresOf = fitTifuKnn(histories, productCount);
      return byScores(({ customer }) => (customer ? scoresOf(customer.orders, customer.number) : NOTHING));
    },
    "ours: association rules": () => {
      const rules = associationRules(baskets, productCount);
      return (query, k) =>
        without(recommendFromRules(rules, query.question.items, k + query.question.items.length, 1), query, k);
    },
    "ours: basket kNN with IDF": complements({ ridge: { lambda: 20, neighbours: 100, maxProducts: 0 } }),
    "ours: ridge": complements({ neighbours: 0 }),
    "ours: both added": complements({}),
    [LEARNED]: () => {
      const sources = fitCartSources(orders, productCount, cutOff);
      const ranking = tryCartRanking(orders, productCount, SEED).ranking;
      tell(told(ranking));
      const recommender = createCartRecommender(sources, ranking);
      return ({ question, excluded }, k) =>
        question.purchases
          ? recommender.nextOrder(question.purchases, k, excluded.size === 0)
          : recommender.complements(question.items, k);
    },
  };
}

function told(ranking: CartRanking): string {
  const figures = (hitRate: number, reciprocalRank: number) => `${hitRate.toFixed(3)} / ${reciprocalRank.toFixed(3)}`;
  return (["cart", "customer"] as const)
    .map((name) => {
      const order = ranking[name];
      const best = figures(order.bestSourceHitRate, order.bestSourceReciprocalRank);
      return (
        `${name}: ${order.lead} lead, ${treeCount(order.forest)} trees; on ${order.judged} questions of the newest ` +
        `orders ${figures(order.hitRate, order.reciprocalRank)}, ${order.bestSource} alone ${best}`
      );
    })
    .join("\n");
}

/** Every product by score, but those excluded. */
function byScores(scoresOf: (query: Query) => ArrayLike<number>): Recommender {
  const top = createTopK();
  return (query, k) => {
    const scores = scoresOf(query);
    top.reset(k);
    for (let product = 0; product < scores.length; product++)
      if (!query.excluded.has(product) && scores[product]! > 0) top.offer(product, scores[product]!);
    return top.take();
  };
}

type PairFigure = (both: number, antecedent: number, consequent: number) => number;

function pairScores(rules: Rules, productCount: number, figure: PairFigure, join: "sum" | "most"): Recommender {
  return byScores(({ question }) => {
    const scores = new Float64Array(productCount);
    for (const product of question.items) {
      for (let i = rules.offsets[product]!; i < rules.offsets[product + 1]!; i++) {
        const c = rules.consequents[i]!;
        const value = figure(rules.counts[i]!, rules.productCounts[product]!, rules.productCounts[c]!);
        scores[c] = join === "sum" ? scores[c]! + value : Math.max(scores[c]!, value);
      }
    }
    return scores;
  });
}

/** Of an answer that leaves out what it was asked with: so do all questions but those for repeats, which lose by it. */
function without(found: Candidates, { excluded }: Query, k: number): Candidates {
  const kept = [...found.indices.keys()].filter((i) => !excluded.has(found.indices[i]!)).slice(0, k);
  return {
    indices: Uint32Array.from(kept, (i) => found.indices[i]!),
    scores: Float64Array.from(kept, (i) => found.scores[i]!),
  };
}
