import { type Purchases, purchasesOf } from "../../learning/rank/carts/purchases.js";
import { MAX_VISIT_STEPS } from "../../learning/rank/visits/visits.js";
import type { ServingModel, SourceQuery } from "../../learning/sources/source.js";
import { situationQuery } from "../../learning/sources/source.js";
import type { VisitorContext } from "../request/visitor-context.js";

/** A cart addition or an order says more than a view. */
const TYPE_WEIGHT = { product_view: 1, add_to_cart: 1.5, order: 1.5 } as const;

/** The visitor's situation in a model's product indices. */
export function sourceQuery(
  context: VisitorContext,
  current: readonly string[],
  model: ServingModel,
  now: number,
): SourceQuery {
  const items: number[] = [];
  const weights: number[] = [];
  const runs: number[] = [];
  const add = (index: number, weight: number, again: number) => {
    if (items.at(-1) === index) {
      weights[weights.length - 1] = Math.max(weights[weights.length - 1]!, weight);
      runs[runs.length - 1]! += again;
    } else {
      items.push(index);
      weights.push(weight);
      runs.push(1);
    }
  };
  for (const step of context.sequence.slice(-MAX_VISIT_STEPS)) {
    const index = model.indexOf(step.productId);
    if (index !== undefined) add(index, TYPE_WEIGHT[step.type], step.type === "product_view" ? 1 : 0);
  }
  const here = indices(current, model);
  // The page being viewed is the newest step; its first product comes last, where recency counts most.
  // It may be among the interactions already, so that it adds no further view of the same product.
  for (const index of [...here].reverse()) add(index, 1, 0);

  const cart = indices(context.cart, model);
  return situationQuery({
    session: { items: new Uint32Array(items), weights: new Float32Array(weights), runs: new Uint32Array(runs) },
    here,
    cart,
    last: here.length === 0 ? lastMet(context, model) : undefined,
    purchases: here.length === 0 ? purchases(context, model, now) : undefined,
  });
}

function lastMet({ sequence }: VisitorContext, model: ServingModel): number | undefined {
  const isKnown = (step: { readonly productId: string }) => model.indexOf(step.productId) !== undefined;
  const last = sequence.findLast((step) => step.type === "product_view" && isKnown(step)) ?? sequence.findLast(isKnown);
  return last && model.indexOf(last.productId);
}

/** What the visitor ordered, when that is all that is known of the visitor. */
function purchases({ sequence }: VisitorContext, model: ServingModel, now: number): Purchases | undefined {
  if (sequence.length === 0 || sequence.some((step) => step.type !== "order")) return undefined;
  const orders = new Map<number, number[]>();
  for (const { productId, at } of sequence) {
    const index = model.indexOf(productId);
    if (index === undefined) continue;
    const order = orders.get(at);
    if (order === undefined) orders.set(at, [index]);
    else order.push(index);
  }
  if (orders.size === 0) return undefined;
  return purchasesOf(
    [...orders].map(([at, products]) => ({ at, products })),
    now,
  );
}

function indices(productIds: readonly string[], model: ServingModel): number[] {
  return productIds.map((productId) => model.indexOf(productId)).filter((index) => index !== undefined);
}
