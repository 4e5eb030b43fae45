import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import type { Interaction, VisitorHistory } from "../../../src/domain/interaction.js";
import type { Product } from "../../../src/domain/product.js";
import { type EvaluateAppOptions, evaluateApp } from "../../../src/learning/evaluation/evaluate-app.js";
import type { Evaluation, FigureName } from "../../../src/learning/evaluation/report.js";

export { bareProduct as product } from "../../fixtures/bare-product.js";

export const START = Date.UTC(2026, 0, 1);
export const HOUR = 3_600_000;

/** The n-th visit of the shop, hours after the one before, of a visitor of its own: views one second apart. */
export function visit(n: number, ...productIds: readonly string[]): VisitorHistory {
  return history(
    n,
    productIds.map((productId, i) => ({ type: "product_view", productIds: [productId], at: i * 1000 })),
  );
}

/** The n-th visit as one order. */
export function orderOf(n: number, ...productIds: readonly string[]): VisitorHistory {
  return history(n, [{ type: "order", productIds, at: 0 }]);
}

/** The n-th visit and later ones of a customer: what is ordered so many hours after it. */
export function orders(n: number, ...later: readonly (readonly [number, ...string[]])[]): VisitorHistory {
  return history(
    n,
    later.map(([hours, ...productIds]) => ({ type: "order", productIds, at: hours * HOUR })),
  );
}

function history(n: number, steps: readonly Omit<Interaction, "ref">[]): VisitorHistory {
  const interactions = steps.map((step, i) => ({ ...step, at: START + n * HOUR + step.at, ref: `${n}.${i}` }));
  return { visitorId: `v${String(n).padStart(6, "0")}`, interactions };
}

/** Stores that hold these products and histories. */
export function shop(products: readonly Product[], histories: readonly VisitorHistory[]) {
  const sorted = [...products].sort((a, b) => (a.productId < b.productId ? -1 : 1));
  return {
    products: {
      async *scan() {
        yield sorted;
      },
    },
    interactions: {
      async *scan() {
        yield histories;
      },
    },
  };
}

export function evaluate(
  stores: ReturnType<typeof shop>,
  more: Partial<Pick<EvaluateAppOptions, "maxQueries" | "seed" | "onProgress" | "learnedOrder">> = {},
): Promise<Evaluation> {
  const options = { appId: "shop", vectorIndexes: hnswIndexes(), maxQueries: 1000, seed: 1, onProgress: () => {} };
  return evaluateApp({ ...options, ...stores, ...more });
}

/** A figure of a ranking in a task. Throws when it is not there. */
export function figureOf(
  evaluation: Evaluation,
  task: string,
  ranking: string,
  figure: FigureName = "hit_rate_20",
): number {
  const found = evaluation.tasks.find(({ name }) => name === task)?.rankings.find(({ name }) => name === ranking);
  const value = found?.figures[figure];
  if (value === undefined) throw new Error(`${task} has no ${figure} of ${ranking}`);
  return value;
}
