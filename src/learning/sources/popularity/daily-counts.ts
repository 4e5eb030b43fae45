/**
 * What visitors did with each product on each of the last 90 days: the ground of bestsellers and trends.
 *
 * Bestsellers of a period are its orders. A trend is growth, not size: interactions of the last days against those
 * expected from three times as many days before, if the product had grown as the whole shop did:
 *
 *   growth = (recent + k) / (expected + k)
 *
 * `k` draws products with few interactions towards 1, so that three views after none are no trend. Two passes over the
 * interactions; 12 bytes for each product and day on which it was met, while counting 4 for each interaction.
 */
import type { Candidates } from "../../common/candidates.js";
import { GrowingArray } from "../../common/growing-array.js";
import { placesOf } from "../../common/rows.js";
import type { Section } from "../../common/section.js";
import { createSectionReader } from "../../common/section.js";
import { createDescendingOrder } from "../../common/top-k.js";
import type { Meetings } from "./popularity.js";
import { POPULARITY_WEIGHT } from "./popularity.js";

/** Days that are kept. */
export const MOST_DAYS = 90;
/** The days before, as a multiple of the days of a trend. */
const BASE_PERIODS = 3;
const SHRINKAGE = 10;
const DAY_MS = 86_400_000;

/** By product: rows of days with their counts. */
export interface DailyCounts {
  readonly offsets: Uint32Array;
  /** Age in days at the cut-off, from 0. */
  readonly days: Uint32Array;
  readonly orders: Float32Array;
  /** Views and cart additions by their weights in popularity. */
  readonly views: Float32Array;
}

/** @param cutOff Ages count from here, ms. */
export function dailyCounts(meetings: Meetings, productCount: number, cutOff: number): DailyCounts {
  const { places, offsets: placeOffsets } = placesOf(meetings.productIndices, productCount);
  const offsets = new Uint32Array(productCount + 1);
  const days = new GrowingArray((length) => new Uint32Array(length));
  const orders = new GrowingArray((length) => new Float32Array(length));
  const views = new GrowingArray((length) => new Float32Array(length));
  const orderSums = new Float64Array(MOST_DAYS);
  const viewSums = new Float64Array(MOST_DAYS);
  for (let product = 0; product < productCount; product++) {
    orderSums.fill(0);
    viewSums.fill(0);
    for (let p = placeOffsets[product]!; p < placeOffsets[product + 1]!; p++) {
      const i = places[p]!;
      const day = Math.max(0, Math.floor((cutOff - meetings.at[i]!) / DAY_MS));
      if (day >= MOST_DAYS) continue;
      const weight = meetings.weights[i]!;
      if (weight === POPULARITY_WEIGHT.order) orderSums[day]!++;
      else viewSums[day]! += weight;
    }
    for (let day = 0; day < MOST_DAYS; day++) {
      if (orderSums[day] === 0 && viewSums[day] === 0) continue;
      days.push(day);
      orders.push(orderSums[day]!);
      views.push(viewSums[day]!);
    }
    offsets[product + 1] = days.length;
  }
  return { offsets, days: days.take(), orders: orders.take(), views: views.take() };
}

/** Counts of one product over ages in days `from` up to `to`, `to` excluded. */
export function countsBetween(
  { offsets, days, orders, views }: DailyCounts,
  product: number,
  from: number,
  to: number,
): { readonly orders: number; readonly views: number } {
  const sum = { orders: 0, views: 0 };
  for (let i = offsets[product]!; i < offsets[product + 1]!; i++) {
    if (days[i]! < from || days[i]! >= to) continue;
    sum.orders += orders[i]!;
    sum.views += views[i]!;
  }
  return sum;
}

/** Products by falling orders of the last days; equal ones by views, then by index. Those without an order are left out. */
export function bestsellers(counts: DailyCounts, days: number): Candidates {
  const { order, score } = createRanking(counts);
  for (let product = 0; product < score.length; product++) {
    const { orders, views } = countsBetween(counts, product, 0, days);
    // Views decide only between equal numbers of orders.
    if (orders > 0) score[product] = orders + views / (views + 1) / 2;
  }
  return order();
}

/** Products by falling growth, as far as they grew more than the shop. */
export function trending(counts: DailyCounts, days: number): Candidates {
  const { order, score } = createRanking(counts);
  const recent = new Float64Array(score.length);
  const before = new Float64Array(score.length);
  let allRecent = 0;
  let allBefore = 0;
  for (let product = 0; product < score.length; product++) {
    recent[product] = worth(countsBetween(counts, product, 0, days));
    before[product] = worth(countsBetween(counts, product, days, days * (1 + BASE_PERIODS)));
    allRecent += recent[product]!;
    allBefore += before[product]!;
  }
  if (allBefore > 0)
    for (let product = 0; product < score.length; product++) {
      const expected = (before[product]! * allRecent) / allBefore;
      const growth = (recent[product]! + SHRINKAGE) / (expected + SHRINKAGE);
      if (growth > 1) score[product] = growth;
    }
  return order();
}

function worth({ orders, views }: { readonly orders: number; readonly views: number }): number {
  return orders * POPULARITY_WEIGHT.order + views;
}

function createRanking({ offsets }: DailyCounts) {
  const score = new Float64Array(offsets.length - 1);
  const order = (): Candidates => {
    const indices = Uint32Array.from(score.keys()).filter((product) => score[product]! > 0);
    const scores = Float64Array.from(indices, (product) => score[product]!);
    const falling = createDescendingOrder().of(scores, indices, indices.length);
    return {
      indices: Uint32Array.from(falling, (place) => indices[place]!),
      scores: Float64Array.from(falling, (place) => scores[place]!),
    };
  };
  return { score, order };
}

const FORMAT = 1;
const WHAT = "Daily counts";

export function encodeDailyCounts({ offsets, days, orders, views }: DailyCounts): Section {
  return { formatNumber: FORMAT, numbers: {}, arrays: { offsets, days, orders, views } };
}

/** Throws UnknownFormat for a section of another version, another Error for one that `encodeDailyCounts` did not write. */
export function decodeDailyCounts(section: Section, productCount: number): DailyCounts {
  const read = createSectionReader(WHAT, FORMAT, section);
  const counts = {
    offsets: read.uint32("offsets"),
    days: read.uint32("days"),
    orders: read.float32("orders"),
    views: read.float32("views"),
  };
  read.rows("offsets", productCount, counts.days.length);
  if (counts.orders.length !== counts.days.length || counts.views.length !== counts.days.length)
    throw new Error(`${WHAT} have more or fewer counts than days`);
  return counts;
}
