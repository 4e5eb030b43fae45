/**
 * Exploration: a frame gives a share of its places to products of which little is known, so that new products meet visitors
 * and earn or lose their place by what follows.
 *
 * A product's order rate has the posterior Beta(1 + orders, b + views), where the shop's views for each order are b. Its
 * standard deviation says how little is known. Of the next products that the list would show, the less known half is
 * drawn from, in proportion to that deviation. So each draw has a known probability, which is logged: whoever evaluates
 * the log can weigh by it (inverse propensity). Some 50 products for each answer; nothing for other frames.
 */
import { countsBetween, MOST_DAYS } from "../../learning/sources/popularity/daily-counts.js";
import type { ServingModel } from "../../learning/sources/source.js";
import type { Proposal } from "../products/catalog.js";

/** The next products that are drawn from. */
export const POOL = 60;
/** Views for each order of a shop without orders. */
const USUAL_VIEWS = 50;

/** How many of `count` places explore this time: the share on average. The k-th (from 0) of them exists with `chanceOf(k)`. */
export function exploringPlaces(share: number, count: number, random: () => number) {
  const wanted = share * count;
  return {
    places: Math.min(count, Math.floor(wanted + random())),
    chanceOf: (k: number) => Math.min(1, Math.max(0, wanted - k)),
  };
}

/** Draws one of the less known half of the products. */
export function draw(
  pool: readonly Proposal[],
  uncertaintyOf: (proposal: Proposal) => number,
  random: () => number,
): { readonly proposal: Proposal; readonly probability: number } | undefined {
  const all = pool.map((proposal) => ({ proposal, weight: uncertaintyOf(proposal) }));
  const half = all.sort((a, b) => b.weight - a.weight).slice(0, Math.ceil(all.length / 2));
  const sum = half.reduce((total, { weight }) => total + weight, 0);
  let left = random() * sum;
  for (const { proposal, weight } of half) {
    left -= weight;
    if (left < 0 || proposal === half.at(-1)?.proposal) return { proposal, probability: weight / sum };
  }
  return undefined;
}

const rates = new WeakMap<ServingModel, number>();

/** How little is known of the order rate of a product. */
export function createUncertainty(model: ServingModel | undefined): (proposal: Proposal) => number {
  const daily = model?.daily;
  const viewsPerOrder = model === undefined ? USUAL_VIEWS : viewsPerOrderOf(model);
  return (proposal) => {
    const known = typeof proposal === "number" && daily !== undefined;
    const { orders, views } = known ? countsBetween(daily, proposal, 0, MOST_DAYS) : { orders: 0, views: 0 };
    const [a, b] = [1 + orders, viewsPerOrder + views];
    return Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
  };
}

function viewsPerOrderOf(model: ServingModel): number {
  let rate = rates.get(model);
  if (rate === undefined) {
    const sum = (counts: Float32Array | undefined) => counts?.reduce((total, count) => total + count, 0) ?? 0;
    const [views, orders] = [sum(model.daily?.views), sum(model.daily?.orders)];
    rate = orders > 0 && views > orders ? views / orders : USUAL_VIEWS;
    rates.set(model, rate);
  }
  return rate;
}
