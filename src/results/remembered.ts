/**
 * What is remembered of a person. What the results need goes last: answers and products that were clicked stay, and of many times
 * those stay that are far apart.
 */
import type { ExposedFrame, FrameExposure, VisitorAct } from "../domain/frame-exposure.js";
import { clicksAmong } from "./person-results.js";

/** Products shown, and groups of their variants, of an exposure: the newest, and those of acts. */
const MOST_SHOWN = 200;
/**
 * Answers of an exposure whose ids may come back with clicks: the newest, and those that acts named. They are cut to the former
 * number at the latter: acts may still be on their way.
 */
const MOST_ANSWERS = 20;
const ANSWERS_TO_CUT = 100;
/** Products shown by exploration, the newest of an exposure. */
const MOST_EXPLORED = 40;
/** Times of an exposure, and its uses. */
const MOST_TIMES = 200;
/** Under a key: exposures, the last ones; acts that are clicks, the first ones; other acts and orders, the newest. */
const MOST_EXPOSURES = 200;
const MOST_CLICKS = 400;
const MOST_OTHER_ACTS = 50;
const MOST_ORDERS = 200;

/** What is remembered of a person's records; the same ones when that is all. */
export function remembered(records: readonly FrameExposure[]): readonly FrameExposure[] {
  if (records.every(isSmall)) return records;
  const exposures = records.flatMap(({ frames }) => frames);
  const acts = records.flatMap((record) => record.acts);
  const answers = new Set(acts.flatMap(({ recommendationIds }) => recommendationIds));
  const products = new Set(acts.flatMap(({ productIds }) => productIds));
  return records.map((record) => {
    if (isSmall(record)) return record;
    const orders = [...record.orders].sort((a, b) => a.at - b.at);
    const gone = orders.slice(0, Math.max(0, orders.length - MOST_ORDERS));
    return {
      ...record,
      frames: [...record.frames]
        .sort((a, b) => a.lastAt - b.lastAt)
        .slice(-MOST_EXPOSURES)
        .map((frame) => smaller(frame, answers, products)),
      acts: fewer(record.acts, exposures),
      orders: orders.slice(-MOST_ORDERS),
      ordersFrom: Math.max(record.ordersFrom, ...gone.map(({ at }) => at)),
    };
  });
}

function isSmall({ frames, acts, orders }: FrameExposure): boolean {
  return (
    frames.length <= MOST_EXPOSURES &&
    acts.length <= MOST_OTHER_ACTS &&
    orders.length <= MOST_ORDERS &&
    frames.every(isSmallFrame)
  );
}

function isSmallFrame({ shown, recommendationIds, explored, seenAt, usedAt }: ExposedFrame): boolean {
  return (
    shown.length <= MOST_SHOWN &&
    recommendationIds.length <= ANSWERS_TO_CUT &&
    explored.length <= MOST_EXPLORED &&
    seenAt.length <= MOST_TIMES &&
    usedAt.length <= MOST_TIMES
  );
}

function smaller(frame: ExposedFrame, answers: ReadonlySet<string>, products: ReadonlySet<string>): ExposedFrame {
  if (isSmallFrame(frame)) return frame;
  const newest = (list: readonly string[], most: number, kept: ReadonlySet<string>) =>
    list.filter((one, i) => i >= list.length - most || kept.has(one));
  return {
    ...frame,
    shown: newest(frame.shown, MOST_SHOWN, products),
    recommendationIds: newest(frame.recommendationIds, MOST_ANSWERS, answers),
    explored: frame.explored.slice(-MOST_EXPLORED),
    seenAt: farApart(frame.seenAt),
    usedAt: farApart(frame.usedAt),
  };
}

/** Leaves out the times that have others near by: whether one was in the 7 days before an order stays the same. */
function farApart(times: readonly number[]): readonly number[] {
  const left = [...times];
  while (left.length > MOST_TIMES) {
    let nearest = 1;
    const gap = (i: number) => (left[i + 1] ?? 0) - (left[i - 1] ?? 0);
    for (let i = 2; i < left.length - 1; i++) if (gap(i) < gap(nearest)) nearest = i;
    left.splice(nearest, 1);
  }
  return left;
}

const DAY_MS = 86_400_000;

function fewer(acts: readonly VisitorAct[], exposures: readonly ExposedFrame[]): readonly VisitorAct[] {
  if (acts.length <= MOST_OTHER_ACTS) return acts;
  const clicks = new Set(clicksAmong(acts, exposures));
  const others = acts.filter((act) => !clicks.has(act)).slice(-MOST_OTHER_ACTS);
  // The same click again says nothing new within a day.
  const lastAt = new Map<string, number>();
  const kept = [...clicks].filter((act) => {
    const key = JSON.stringify([act.isView, act.orderId, act.productIds, act.recommendationIds]);
    const before = lastAt.get(key);
    if (before !== undefined && Math.abs(act.at - before) < DAY_MS) return false;
    lastAt.set(key, act.at);
    return true;
  });
  const all = new Set([...kept.slice(0, MOST_CLICKS), ...others]);
  return acts.filter((act) => all.has(act));
}
