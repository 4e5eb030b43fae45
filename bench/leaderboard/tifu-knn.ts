/**
 * TIFU-kNN: what a customer orders next, by the products of the customer's own orders and of customers alike (Hu and
 * others: "Modeling personalized item frequency information for next-basket recommendation", SIGIR 2020). A baseline.
 *
 * A customer is a vector over products. Orders are cut into `groups` of equal size, the newest group full. Within a group an
 * order counts `orderDecay` for each order after it, a group `groupDecay` for each group after it:
 *
 *   score = own * vector of the customer + (1 - own) * mean vector of the `neighbours` nearest customers (Euclidean)
 *
 * Defaults are the best of a small grid on the newest 30 days of online_retail's train.
 * Time of a query: the entries of all customers that share a product with the customer.
 */
import { createTopK } from "../../src/learning/common/top-k.js";

export interface TifuParams {
  readonly neighbours: number;
  readonly groups: number;
  readonly orderDecay: number;
  readonly groupDecay: number;
  /** Weight of the customer's own vector; the rest is the neighbours'. */
  readonly own: number;
}

const TIFU_DEFAULTS: TifuParams = { neighbours: 100, groups: 7, orderDecay: 0.9, groupDecay: 0.7, own: 0.7 };

/** A customer's orders, oldest first, each product once in an order. */
export type OrderHistory = readonly Iterable<number>[];

/** Returns a function that scores every product for a customer. `self` is the customer's place in `customers`, if there. */
export function fitTifuKnn(
  customers: readonly OrderHistory[],
  productCount: number,
  params: Partial<TifuParams> = {},
): (history: OrderHistory, self?: number) => Float64Array {
  const settings = { ...TIFU_DEFAULTS, ...params };
  const vectors = customers.map((history) => vectorOf(history, settings));
  const squares = vectors.map(squareOf);
  const holders = Array.from({ length: productCount }, (): { customer: number; weight: number }[] => []);
  for (const [customer, vector] of vectors.entries())
    for (const [product, weight] of vector) holders[product]?.push({ customer, weight });
  const products = new Float64Array(customers.length);
  const top = createTopK();
  return (history, self) => {
    const vector = vectorOf(history, settings);
    products.fill(0);
    for (const [product, own] of vector)
      for (const { customer, weight } of holders[product] ?? []) products[customer]! += own * weight;
    top.reset(settings.neighbours);
    for (const [customer, square] of squares.entries())
      if (customer !== self) top.offer(customer, 2 * products[customer]! - square);
    const near = top.take().indices;
    const scores = new Float64Array(productCount);
    for (const customer of near)
      for (const [product, weight] of vectors[customer]!)
        scores[product]! += ((1 - settings.own) * weight) / near.length;
    for (const [product, weight] of vector) if (product < productCount) scores[product]! += settings.own * weight;
    return scores;
  };
}

function vectorOf(history: OrderHistory, { groups, orderDecay, groupDecay }: TifuParams): Map<number, number> {
  const vector = new Map<number, number>();
  const size = Math.max(1, Math.ceil(history.length / groups));
  const groupCount = Math.ceil(history.length / size);
  for (const [i, order] of history.entries()) {
    const fromEnd = history.length - 1 - i;
    const group = Math.floor(fromEnd / size);
    const inGroup = Math.min(size, history.length - group * size);
    const weight = (groupDecay ** group * orderDecay ** (fromEnd % size)) / inGroup / groupCount;
    for (const product of order) vector.set(product, (vector.get(product) ?? 0) + weight);
  }
  return vector;
}

function squareOf(vector: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const weight of vector.values()) sum += weight * weight;
  return sum;
}
