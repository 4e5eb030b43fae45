/** Updates one visitor's exposures to frames. */
import {
  type CountedOrder,
  clickKey,
  dayOf,
  EXPOSURE_MS,
  type ExposedFrame,
  type FrameExposure,
  type FrameTally,
  NO_TALLY,
} from "../domain/frame-tally.js";
import type { Money } from "../domain/money.js";
import type { Shown, VisitorAct } from "./frame-counts.js";
import { withList } from "./passed-over.js";

/** An increment of one tally. */
export interface Change extends FrameTally {
  readonly frameId: string;
  readonly variant: string;
  readonly day: string;
}

type Count = (change: Change) => void;

/** Products shown last, and groups of their variants, that are remembered of a frame. */
const MOST_SHOWN = 60;
/** Frames that are remembered of a visitor, those met last. */
const MOST_FRAMES = 20;
/** Orders of a visitor that are remembered of a frame, the newest. */
const MOST_ORDERS = 20;
/** Answers of a frame to a visitor whose ids may come back with clicks, the newest. */
const MOST_ANSWERS = 20;
/** Products shown by exploration that are remembered of a frame, the newest. */
const MOST_EXPLORED = 40;
/** Clicks of a visitor that are counted for a frame until the exposure is forgotten. */
const MOST_CLICKS = 100;
/** Tolerated difference between the browser's clock and the server's. */
const CLOCK_MS = 60_000;
/** The last exposure is not written more often than this when nothing else changes. */
const LAST_EXPOSURE_MS = 3600_000;
const MILLIONTHS = 1e6;
/** Payments beyond it are no payments: one order must not hide all others. */
const MOST_PAID = 1e10;

/** The exposure with a frame that was filled for the visitor. */
export function withShown(exposure: FrameExposure, shown: Shown, at: number, count: Count): FrameExposure {
  const frames = withFrame(exposure.frames, shown, at, count);
  const shownLists = shown.rotates ? withList(exposure.shownLists, shown, at) : exposure.shownLists;
  return frames === exposure.frames && shownLists === exposure.shownLists ? exposure : { frames, shownLists };
}

/** In a new variant, or after a long time, the visitor is a new one. */
function withFrame(frames: readonly ExposedFrame[], shown: Shown, at: number, count: Count): readonly ExposedFrame[] {
  const { frameId, variant, usedAt } = shown;
  const found = frames.find((frame) => frame.frameId === frameId);
  const isSame = found?.variant === variant && at - found.lastAt < EXPOSURE_MS;
  const before = isSame ? found : firstExposure(frameId, variant, at);
  count({ ...NO_TALLY, frameId, variant, day: dayOf(at), exposures: 1, visitors: isSame ? 0 : 1 });
  const met = seen(before, shown, at);
  const after = usedAt >= before.firstAt ? clicked(met, usedAt, count) : met;
  return after === found ? frames : [...frames.filter((frame) => frame !== found), after].slice(-MOST_FRAMES);
}

function firstExposure(frameId: string, variant: string, at: number): ExposedFrame {
  const nothing = { shown: [], clickedAt: 0, lastClickedAt: 0, orderedAt: 0 };
  return {
    frameId,
    variant,
    firstAt: at,
    lastAt: at,
    ...nothing,
    recommendationIds: [],
    clicks: [],
    orders: [],
    explored: [],
  };
}

/** What is shown matters where clicks are found by it. */
function seen(frame: ExposedFrame, shown: Shown, at: number): ExposedFrame {
  const { variant, recommendationId, productIds, variantGroupIds } = shown;
  const isMatched = variant !== "" || recommendationId !== "";
  const names = isMatched ? [...productIds, ...variantGroupIds] : [];
  const isKnown =
    recommendationId === "" && shown.explored.length === 0 && names.every((name) => frame.shown.includes(name));
  if (isKnown && at - frame.lastAt < LAST_EXPOSURE_MS) return frame;
  const before = frame.shown.filter((name) => !names.includes(name));
  const ids = recommendationId === "" ? [] : [recommendationId];
  return {
    ...frame,
    lastAt: Math.max(at, frame.lastAt),
    shown: [...before, ...names].slice(-MOST_SHOWN),
    recommendationIds: [...frame.recommendationIds, ...ids].slice(-MOST_ANSWERS),
    explored: [...frame.explored, ...shown.explored].slice(-MOST_EXPLORED),
  };
}

/**
 * The exposure with what the visitor then did; the same one when that concerns no frame. An order that was cancelled does
 * not count, and counts no longer.
 *
 * @param payment Of an order, as all of its copies tell it.
 */
export function withAct(exposure: FrameExposure, act: VisitorAct, payment: Money, count: Count): FrameExposure {
  const { frames, shownLists } = exposure;
  const { actionType, orderId, occurredAt } = act;
  const after = frames.map((frame) => {
    if (actionType === "order_cancel") return cancelled(frame, orderId, count);
    if (occurredAt < frame.firstAt - CLOCK_MS || occurredAt - frame.lastAt >= EXPOSURE_MS) return frame;
    const followed = withClicks(frame, act, count);
    return actionType === "order" ? ordered(followed, orderId, occurredAt, payment, count) : followed;
  });
  return after.every((frame, i) => frame === frames[i]) ? exposure : { frames: after, shownLists };
}

/**
 * A click names the answer that it came from. Where no answer's id was asked for, a frame with variants takes the view of
 * a product that it showed for a click.
 */
function withClicks(frame: ExposedFrame, act: VisitorAct, count: Count): ExposedFrame {
  const { recommendationIds, productIds, actionType, occurredAt } = act;
  const shown = productIds.filter((productId) => frame.shown.includes(productId));
  if (shown.length === 0) return frame;
  if (frame.recommendationIds.length === 0)
    return actionType === "product_view" && frame.variant !== "" ? clicked(frame, occurredAt, count) : frame;
  const named = recommendationIds.filter((id) => frame.recommendationIds.includes(id));
  const isView = actionType === "product_view";
  // A later act of the same visit repeats the id: it is a click only when none came before.
  const keys = named.flatMap((id) =>
    isView || !frame.clicks.some((key) => key.startsWith(clickKey(id, "")))
      ? shown.slice(0, 1).map((productId) => clickKey(id, productId))
      : [],
  );
  const fresh = keys.filter((key) => !frame.clicks.includes(key)).slice(0, MOST_CLICKS - frame.clicks.length);
  if (fresh.length === 0) return frame;
  const { frameId, variant, firstAt } = frame;
  count({ ...NO_TALLY, frameId, variant, day: dayOf(firstAt), clicks: fresh.length });
  return clicked({ ...frame, clicks: [...frame.clicks, ...fresh] }, occurredAt, count);
}

/** Each visitor clicks once, on the day of the first meeting. */
function clicked(frame: ExposedFrame, at: number, count: Count): ExposedFrame {
  if (frame.clickedAt !== 0) return at > frame.lastClickedAt ? { ...frame, lastClickedAt: at } : frame;
  const { frameId, variant, firstAt } = frame;
  count({ ...NO_TALLY, frameId, variant, day: dayOf(firstAt), clicked: 1 });
  return { ...frame, clickedAt: at, lastClickedAt: at };
}

/** A further copy of an order may tell its payment. */
function ordered(frame: ExposedFrame, orderId: string, at: number, payment: Money, count: Count): ExposedFrame {
  const { frameId, variant, firstAt, orderedAt, orders } = frame;
  const known = orders.find((order) => order.orderId === orderId);
  const order = {
    orderId,
    ...amountOf(payment),
    isAfterClick: known?.isAfterClick === true || followsClick(frame, at),
  };
  if (known !== undefined && isEqual(known, order)) return frame;
  const day = dayOf(firstAt);
  if (known !== undefined) count({ ...salesOf(known, -1), frameId, variant, day });
  count({ ...salesOf(order, 1), frameId, variant, day, ordered: orders.length === 0 ? 1 : 0 });
  return {
    ...frame,
    orderedAt: orderedAt || at,
    orders: [...orders.filter((one) => one !== known), order].slice(-MOST_ORDERS),
  };
}

function followsClick({ clickedAt, lastClickedAt }: ExposedFrame, at: number): boolean {
  return clickedAt !== 0 && at >= clickedAt - CLOCK_MS && at - lastClickedAt < EXPOSURE_MS;
}

function amountOf({ amount, currency }: Money): Pick<CountedOrder, "currency" | "amount"> {
  const paid = Number(amount);
  const isPaid = amount !== "" && paid >= 0 && paid <= MOST_PAID;
  return isPaid ? { currency, amount: Math.round(paid * MILLIONTHS) } : { currency: "", amount: 0 };
}

function isEqual(a: CountedOrder, b: CountedOrder): boolean {
  return a.currency === b.currency && a.amount === b.amount && a.isAfterClick === b.isAfterClick;
}

/** One order more, or one less. */
function salesOf({ currency, amount, isAfterClick }: CountedOrder, sign: 1 | -1): FrameTally {
  const sales = [{ currency, orders: sign, amount: sign * amount }];
  return isAfterClick ? { ...NO_TALLY, afterClick: sales } : { ...NO_TALLY, withoutClick: sales };
}

function cancelled(frame: ExposedFrame, orderId: string, count: Count): ExposedFrame {
  const { frameId, variant, firstAt, orders } = frame;
  const order = orders.find((one) => one.orderId === orderId);
  if (order === undefined) return frame;
  const left = orders.filter((one) => one !== order);
  const isLast = left.length === 0;
  count({ ...salesOf(order, -1), frameId, variant, day: dayOf(firstAt), ordered: isLast ? -1 : 0 });
  return { ...frame, orders: left, orderedAt: isLast ? 0 : frame.orderedAt };
}
