/** Updates the exposures under one visitor key. */
import {
  EXPOSURE_MS,
  type ExposedFrame,
  type FrameExposure,
  type VisitorAct,
  type VisitorOrder,
} from "../domain/frame-exposure.js";
import { withList } from "../recommend/frames/rotation.js";
import type { Shown } from "../recommend/frames/shown.js";

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
    shown: [...before, ...names],
    recommendationIds: [...frame.recommendationIds, ...ids],
    explored: [...frame.explored, ...shown.explored],
  };
}

function withTime({ seenAt, firstAt, lastAt }: ExposedFrame, at: number): readonly number[] {
  if (at <= lastAt || lastAt - (seenAt.at(-1) ?? firstAt) < BETWEEN_TIMES_MS) return seenAt;
  return [...seenAt, lastAt];
}

/** A use belongs to the exposure that it followed. */
function withUse(frames: readonly ExposedFrame[], { frameId, usedAt }: Shown): readonly ExposedFrame[] {
  const used = frames.findLast(
    (frame) => frame.frameId === frameId && frame.firstAt <= usedAt && usedAt < frame.lastAt + EXPOSURE_MS,
  );
  if (used === undefined || used.usedAt.includes(usedAt)) return frames;
  const after = { ...used, usedAt: [...used.usedAt, usedAt].sort((a, b) => a - b) };
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
