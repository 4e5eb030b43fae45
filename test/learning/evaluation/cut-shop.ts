/** A young shop: the newest sessions or orders of a recorded one, and later steps whose answers it knows. */

import type { Step } from "../../../bench/leaderboard/recorded.js";
import type { Interaction } from "../../../src/domain/interaction.js";
import type { TrainModelOptions } from "../../../src/learning/training/train-model.js";
import { bareProduct } from "../../fixtures/bare-product.js";

interface RecordedShop {
  readonly isOrders: boolean;
  /** By time of their end. */
  readonly train: readonly (readonly Step[])[];
  readonly dev: readonly (readonly Step[])[];
  /** By product id; empty where the set has none. */
  readonly titles: ReadonlyMap<string, string>;
}

export interface CutShop {
  readonly stores: Pick<TrainModelOptions, "products" | "interactions">;
  /** Later visits, for questions. */
  readonly later: readonly (readonly Interaction[])[];
}

/** The shop with its newest `size` sessions or orders alone; it sells what these hold. */
export function cutShop({ isOrders, train, dev, titles }: RecordedShop, size: number): CutShop {
  const interactionsOf = (steps: readonly Step[]): Interaction[] =>
    isOrders
      ? [
          {
            type: "order",
            at: steps[0]!.at,
            productIds: [...new Set(steps.map(({ item }) => item))],
            ref: `order:${steps[0]!.session}`,
          },
        ]
      : steps.map(({ item, at }, i) => ({ type: "product_view", at, productIds: [item], ref: `${i}` }));
  const histories = train.slice(-size).map((steps) => ({
    visitorId: `s${String(steps[0]!.session).padStart(8, "0")}`,
    interactions: interactionsOf(steps),
  }));
  const ids = new Set(histories.flatMap(({ interactions }) => interactions.flatMap(({ productIds }) => productIds)));
  const products = [...ids].sort().map((id) => bareProduct(id, { title: titles.get(id) ?? "" }));
  async function* scan<T>(batch: readonly T[]): AsyncGenerator<readonly T[]> {
    yield batch;
  }
  return {
    stores: { products: { scan: () => scan(products) }, interactions: { scan: () => scan(histories) } },
    later: dev.map(interactionsOf),
  };
}
