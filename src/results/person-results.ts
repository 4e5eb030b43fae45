/**
 * What one person adds to the tallies of frames. It follows from what frames showed the person, from the acts and the orders
 * alone, in whatever order these became known: a late copy, a late click, a joined id or a cancellation leads to the
 * same figures as if it had come in time.
 *
 * A person counts once in a frame and once in each variant of an experiment, on the day of the first exposure. An order counts
 * for the exposure that preceded it.
 */
import {
  EXPOSURE_MS,
  type ExposedFrame,
  type FrameExposure,
  type Share,
  type VisitorAct,
  type VisitorOrder,
} from "../domain/frame-exposure.js";
import { dayOf, type FrameTally, NO_TALLY, sumOfTallies, tallyKey } from "../domain/frame-tally.js";
import { isApart, sentOrderId } from "../domain/order.js";

/** Tolerated lag of a browser's clock behind the server's, for views that name no answer. */
const CLOCK_MS = 60_000;

/** What a person adds, from the records of all keys of the person. */
export function sharesOf(records: readonly FrameExposure[]): readonly Share[] {
  const shares = new Map<string, FrameTally>();
  const add = (key: string, tally: FrameTally) => shares.set(key, sumOfTallies(shares.get(key) ?? NO_TALLY, tally));
  const results = resultsOf(records);
  for (const [frameId, exposures] of groupsOf([...results.keys()], ({ frameId }) => frameId)) {
    const tally = (some: readonly ExposedFrame[]) => tallyOf(some.flatMap((one) => results.get(one) ?? []));
    add(tallyKey({ frameId, day: firstDay(exposures), variant: "", experimentAt: 0 }), tally(exposures));
    for (const group of groupsOf(exposures, ({ variant, experimentAt }) => `${experimentAt} ${variant}`).values()) {
      const { variant = "", experimentAt = 0 } = group[0] ?? {};
      if (variant !== "") add(tallyKey({ frameId, day: firstDay(group), variant, experimentAt }), tally(group));
    }
  }
  return [...shares].map(([key, tally]) => ({ key, tally }));
}

/** What came of one exposure. */
export interface ExposureResults extends Clicks {
  /** The orders that count for it, as they became known. */
  readonly orders: readonly VisitorOrder[];
}

/** What came of each exposure of a person. */
export function resultsOf(records: readonly FrameExposure[]): ReadonlyMap<ExposedFrame, ExposureResults> {
  const acts = records.flatMap((record) => record.acts).sort((a, b) => timeOf(a) - timeOf(b));
  const orders = ordersOf(records);
  const results = new Map<ExposedFrame, ExposureResults>();
  for (const exposures of groupsOf(
    records.flatMap(({ frames }) => frames),
    ({ frameId }) => frameId,
  ).values()) {
    const clicksOf = new Map(exposures.map((exposure) => [exposure, clicksOn(exposure, acts)]));
    const ordersOf = ordersByExposure(exposures, clicksOf, orders);
    for (const [exposure, clicks] of clicksOf)
      results.set(exposure, { ...clicks, orders: ordersOf.get(exposure) ?? [] });
  }
  return results;
}

/** Each number is one order, at the earliest time. Its payment is that of the order, otherwise of a copy that is kept apart. */
function ordersOf(records: readonly FrameExposure[]): readonly VisitorOrder[] {
  const orders = new Map<string, VisitorOrder>();
  for (const order of records.flatMap((record) => record.orders)) {
    const number = sentOrderId(order);
    const known = orders.get(number);
    orders.set(number, known === undefined ? order : joinedOrder(known, order));
  }
  return [...orders.values()];
}

function joinedOrder(a: VisitorOrder, b: VisitorOrder): VisitorOrder {
  const [first, other] = isApart(a) ? [b, a] : [a, b];
  const { currency, amount } = first.currency === "" ? other : first;
  const known = [a.receivedAt, b.receivedAt].filter((at) => at !== 0);
  const receivedAt = known.length === 0 ? 0 : Math.min(...known);
  return { orderId: first.orderId, at: Math.min(a.at, b.at), receivedAt, currency, amount };
}

/** A click counts once for each answer and product. */
function clickKey(recommendationId: string, productId: string): string {
  return `${recommendationId} ${productId}`;
}

export function clickOfKey(key: string): { readonly recommendationId: string; readonly productId: string } {
  const end = key.indexOf(" ");
  return { recommendationId: key.slice(0, end), productId: key.slice(end + 1) };
}

interface Clicks {
  /** Clicks that named their answer, as `clickKey`. */
  readonly named: ReadonlySet<string>;
  readonly times: readonly number[];
  /** Orders that named their answer. */
  readonly orderIds: ReadonlySet<string>;
}

/**
 * A click names the answer that it came from. A later act of the same visit repeats the id: it is a click only when no view
 * names it. Where no answer's id was asked for, a frame with variants takes the view of a product that it showed for a click.
 */
function clicksOn(exposure: ExposedFrame, acts: readonly VisitorAct[]): Clicks {
  const { shown, recommendationIds, variant, usedAt } = exposure;
  const named = new Set<string>();
  const orderIds = new Set<string>();
  const times = [...usedAt];
  const shownIn = (act: VisitorAct) => act.productIds.find((productId) => shown.includes(productId));
  for (const id of recommendationIds) {
    const naming = acts.filter((act) => act.recommendationIds.includes(id) && shownIn(act) !== undefined);
    for (const { orderId } of naming) if (orderId !== "") orderIds.add(orderId);
    const views = naming.filter(({ isView }) => isView);
    for (const act of views.length > 0 ? views : naming.slice(0, 1)) {
      named.add(clickKey(id, shownIn(act) ?? ""));
      times.push(timeOf(act));
    }
  }
  if (recommendationIds.length === 0 && variant !== "")
    for (const act of acts)
      if (act.isView && isViewAfter(exposure, act) && shownIn(act) !== undefined) times.push(timeOf(act));
  return { named, times, orderIds };
}

function isViewAfter({ firstAt, lastAt }: ExposedFrame, act: VisitorAct): boolean {
  const at = timeOf(act);
  return act.receivedAt >= firstAt && endOfSecond(at) >= firstAt - CLOCK_MS && at < lastAt + EXPOSURE_MS;
}

/** The clock of a sender may be ahead: nothing happens after it was received. */
function timeOf({ at, receivedAt }: Pick<VisitorAct, "at" | "receivedAt">): number {
  return receivedAt === 0 ? at : Math.min(at, receivedAt);
}

/** Acts that are clicks on one of the exposures. */
export function clicksAmong(acts: readonly VisitorAct[], exposures: readonly ExposedFrame[]): readonly VisitorAct[] {
  return acts.filter((act) =>
    exposures.some((exposure) => {
      const { times, orderIds } = clicksOn({ ...exposure, usedAt: [] }, [act]);
      return times.length + orderIds.size > 0;
    }),
  );
}

/** When a person saw a list last before an order, of the lists that it may count for; 0 for never. */
export function lastSeenOf(records: readonly FrameExposure[], order: VisitorOrder): number {
  const acts = records.flatMap((record) => record.acts);
  const exposures = records.flatMap(({ frames }) => frames);
  return Math.max(0, ...exposures.map((exposure) => lastSeen(exposure, order, clicksOn(exposure, acts)) ?? 0));
}

/** Storefronts send whole seconds: such an act may have happened until the second's end. */
function endOfSecond(at: number): number {
  return at % 1000 === 0 ? at + 999 : at;
}

/** Each order by the exposure that it counts for: the last one before it, of the 7 days before it. */
function ordersByExposure(
  exposures: readonly ExposedFrame[],
  clicksOf: ReadonlyMap<ExposedFrame, Clicks>,
  orders: readonly VisitorOrder[],
): ReadonlyMap<ExposedFrame, readonly VisitorOrder[]> {
  const found = new Map<ExposedFrame, VisitorOrder[]>();
  for (const order of orders) {
    const seenAt = (exposure: ExposedFrame) => lastSeen(exposure, order, clicksOf.get(exposure) ?? NO_CLICKS);
    const before = exposures.filter((exposure) => seenAt(exposure) !== undefined);
    const [last] = before.sort((a, b) => seenAt(b)! - seenAt(a)! || b.firstAt - a.firstAt);
    if (last !== undefined) found.set(last, [...(found.get(last) ?? []), order]);
  }
  return found;
}

const NO_CLICKS: Clicks = { named: new Set(), times: [], orderIds: new Set() };

/** When an exposure was seen or clicked last before an order; undefined when it was not in the 7 days before it. */
function lastSeen({ firstAt, lastAt, seenAt }: ExposedFrame, order: VisitorOrder, clicks: Clicks): number | undefined {
  const at = timeOf(order);
  const until = endOfSecond(at);
  const clickedAt = clicks.times.filter((time) => time <= until);
  // The clock of a browser may lag: its click on a list, or an order that names the list, tells that the list was there.
  const isBefore = firstAt <= until || clickedAt.length > 0 || clicks.orderIds.has(sentOrderId(order));
  if (!isBefore || (order.receivedAt !== 0 && order.receivedAt < firstAt)) return undefined;
  const seen = Math.max(...[firstAt, ...seenAt, lastAt, ...clickedAt].filter((time) => time <= until), 0) || firstAt;
  return at - seen < EXPOSURE_MS ? seen : undefined;
}

/** Of exposures to one frame, or to one variant of it. */
function tallyOf(results: readonly ExposureResults[]): FrameTally {
  const times = results.flatMap((one) => one.times);
  const orders = results.flatMap((one) => one.orders);
  const isAfterClick = (order: VisitorOrder) => {
    const at = timeOf(order);
    const isNaming = results.some(({ orderIds }) => orderIds.has(sentOrderId(order)));
    return isNaming || times.some((clickedAt) => clickedAt <= endOfSecond(at) && at - clickedAt < EXPOSURE_MS);
  };
  const sales = (some: readonly VisitorOrder[]) =>
    some
      .map(({ currency, amount }) => ({ ...NO_TALLY, afterClick: [{ currency, orders: 1, amount }] }))
      .reduce(sumOfTallies, NO_TALLY).afterClick;
  return {
    ...NO_TALLY,
    visitors: 1,
    clicked: times.length > 0 ? 1 : 0,
    ordered: orders.length > 0 ? 1 : 0,
    clicks: new Set(results.flatMap(({ named }) => [...named])).size,
    afterClick: sales(orders.filter(isAfterClick)),
    withoutClick: sales(orders.filter((order) => !isAfterClick(order))),
  };
}

function firstDay(exposures: readonly ExposedFrame[]): string {
  return dayOf(Math.min(...exposures.map(({ firstAt }) => firstAt)));
}

function groupsOf<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
