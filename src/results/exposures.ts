/** Updates the exposures under one visitor key. */
import {
  EXPOSURE_MS,
  type ExposedFrame,
  type FrameExposure,
  type VisitorAct,
  type VisitorOrder,
} from "../domain/frame-exposure.js";
import { withList } from "../recommend/passed-over.js";
import type { Shown } from "../recommend/shown.js";

/** Products shown last, and groups of their variants, that are remembered of an exposure. */
const MOST_SHOWN = 200;
/** Answers of an exposure whose ids may come back with clicks, the newest. */
const MOST_ANSWERS = 20;
/** Products shown by exploration that are remembered of an exposure, the newest. */
const MOST_EXPLORED = 40;
/** Uses of an exposure that are remembered, the newest. */
const MOST_USES = 20;
/** Exposures that are remembered under a key, the last ones. */
const MOST_EXPOSURES = 60;
/** Acts that name an answer, and views that name none, that are remembered under a key, the newest. */
const MOST_NAMING = 100;
const MOST_VIEWS = 30;
/** Orders that are remembered under a key, the newest. */
const MOST_ORDERS = 200;
/** Times of an exposure that are remembered, the newest. */
const MOST_TIMES = 50;
/** A time of an exposure is not remembered so soon after another, nor the last one written when nothing else changes. */
const BETWEEN_TIMES_MS = 60_000;

/** The exposures with a frame that was filled for the visitor; the same ones when that changes nothing. */
export function withShown(exposure: FrameExposure, shown: Shown, at: number): FrameExposure {
  const frames = withUse(withFrame(exposure.frames, shown, at), shown);
  const shownLists = shown.rotates ? withList(exposure.shownLists, shown, at) : exposure.shownLists;
  const kept = shownLists.filter((list) => at - list.at < EXPOSURE_MS);
  const isSame = frames === exposure.frames && shownLists === exposure.shownLists && kept.length === shownLists.length;
  return isSame ? exposure : { ...exposure, frames, shownLists: kept };
}

/** After a long time, and in another variant or experiment, it is another exposure. */
function withFrame(frames: readonly ExposedFrame[], shown: Shown, at: number): readonly ExposedFrame[] {
  const { frameId, variant, experimentAt } = shown;
  const found = frames.findLast(
    (frame) =>
      frame.frameId === frameId &&
      frame.variant === variant &&
      frame.experimentAt === experimentAt &&
      at - frame.lastAt < EXPOSURE_MS,
  );
  const after = seen(found ?? firstExposure(shown, at), shown, at);
  return after === found ? frames : [...frames.filter((frame) => frame !== found), after];
}

function firstExposure({ frameId, variant, experimentAt }: Shown, at: number): ExposedFrame {
  const nothing = { shown: [], recommendationIds: [], explored: [], usedAt: [], seenAt: [] };
  return { frameId, variant, experimentAt, firstAt: at, lastAt: at, ...nothing };
}

/** What is shown matters where clicks are found by it. */
function seen(frame: ExposedFrame, shown: Shown, at: number): ExposedFrame {
  const { variant, recommendationId, productIds, variantGroupIds } = shown;
  const isMatched = variant !== "" || recommendationId !== "";
  const names = isMatched ? [...productIds, ...variantGroupIds] : [];
  const isKnown =
    recommendationId === "" && shown.explored.length === 0 && names.every((name) => frame.shown.includes(name));
  if (isKnown && at >= frame.firstAt && at - frame.lastAt < BETWEEN_TIMES_MS) return frame;
  const before = frame.shown.filter((name) => !names.includes(name));
  const ids = recommendationId === "" ? [] : [recommendationId];
  return {
    ...frame,
    firstAt: Math.min(at, frame.firstAt),
    lastAt: Math.max(at, frame.lastAt),
    seenAt: withTime(frame, at),
    shown: [...before, ...names].slice(-MOST_SHOWN),
    recommendationIds: [...frame.recommendationIds, ...ids].slice(-MOST_ANSWERS),
    explored: [...frame.explored, ...shown.explored].slice(-MOST_EXPLORED),
  };
}

function withTime({ seenAt, firstAt, lastAt }: ExposedFrame, at: number): readonly number[] {
  if (at <= lastAt || lastAt - (seenAt.at(-1) ?? firstAt) < BETWEEN_TIMES_MS) return seenAt;
  return [...seenAt, lastAt].slice(-MOST_TIMES);
}

/** A use belongs to the exposure that it followed. */
function withUse(frames: readonly ExposedFrame[], { frameId, usedAt }: Shown): readonly ExposedFrame[] {
  const used = frames.findLast(
    (frame) => frame.frameId === frameId && frame.firstAt <= usedAt && usedAt < frame.lastAt + EXPOSURE_MS,
  );
  if (used === undefined || used.usedAt.includes(usedAt)) return frames;
  const after = { ...used, usedAt: [...used.usedAt, usedAt].sort((a, b) => a - b).slice(-MOST_USES) };
  return frames.map((frame) => (frame === used ? after : frame));
}

export function withAct(exposure: FrameExposure, act: VisitorAct): FrameExposure {
  return { ...exposure, acts: [...exposure.acts, act] };
}

/** With an order in place of what was known of it. One that is counted for good stays so. */
export function withOrder(exposure: FrameExposure, order: VisitorOrder): FrameExposure {
  if (!hasOrder(exposure, order.orderId) && order.at <= exposure.ordersFrom) return exposure;
  return { ...exposure, orders: [...withoutOrder(exposure, order.orderId).orders, order] };
}

export function withoutOrder(exposure: FrameExposure, orderId: string): FrameExposure {
  if (!hasOrder(exposure, orderId)) return exposure;
  return { ...exposure, orders: exposure.orders.filter((one) => one.orderId !== orderId) };
}

export function hasOrder({ orders }: FrameExposure, orderId: string): boolean {
  return orders.some((one) => one.orderId === orderId);
}

/** What of it is remembered; the same exposures when that is all. */
export function remembered(exposure: FrameExposure): FrameExposure {
  const { frames, acts, orders } = exposure;
  const naming = acts.filter(({ recommendationIds }) => recommendationIds.length > 0);
  const isWhole =
    frames.length <= MOST_EXPOSURES &&
    naming.length <= MOST_NAMING &&
    acts.length - naming.length <= MOST_VIEWS &&
    orders.length <= MOST_ORDERS;
  if (isWhole) return exposure;
  const views = acts.filter(({ recommendationIds }) => recommendationIds.length === 0);
  const byTime = [...orders].sort((a, b) => a.at - b.at);
  return {
    ...exposure,
    frames: [...frames].sort((a, b) => a.lastAt - b.lastAt).slice(-MOST_EXPOSURES),
    acts: [...naming.slice(-MOST_NAMING), ...views.slice(-MOST_VIEWS)],
    orders: byTime.slice(-MOST_ORDERS),
    ordersFrom: Math.max(exposure.ordersFrom, ...byTime.slice(0, -MOST_ORDERS).map(({ at }) => at)),
  };
}
