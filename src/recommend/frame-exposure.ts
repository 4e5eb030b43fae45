/** Updates one visitor's exposures to frames. */
import {
  dayOf,
  EXPOSURE_MS,
  type ExposedFrame,
  type FrameExposure,
  type FrameTally,
  NO_TALLY,
} from "../domain/frame-tally.js";
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
/** Tolerated difference between the browser's clock and the server's. */
const CLOCK_MS = 60_000;

/** The exposure with a frame that was filled for the visitor. */
export function withShown(exposure: FrameExposure, shown: Shown, at: number, count: Count): FrameExposure {
  const frames = shown.variant === "" ? exposure.frames : withVariant(exposure.frames, shown, at, count);
  const shownLists = shown.rotates ? withList(exposure.shownLists, shown, at) : exposure.shownLists;
  return frames === exposure.frames && shownLists === exposure.shownLists ? exposure : { frames, shownLists };
}

/** In a new variant, or after a long time, the visitor is a new one. */
function withVariant(
  frames: readonly ExposedFrame[],
  { frameId, variant, productIds, variantGroupIds, usedAt }: Shown,
  at: number,
  count: Count,
): readonly ExposedFrame[] {
  const found = frames.find((frame) => frame.frameId === frameId);
  const before =
    found?.variant === variant && at - found.lastAt < EXPOSURE_MS
      ? found
      : { frameId, variant, firstAt: at, lastAt: at, shown: [], clickedAt: 0, orderedAt: 0, orderIds: [] };
  count({ ...NO_TALLY, frameId, variant, day: dayOf(at), exposures: 1 });
  if (before !== found) count({ ...NO_TALLY, frameId, variant, day: dayOf(at), visitors: 1 });
  const names = [...productIds, ...variantGroupIds];
  const shown = [...before.shown.filter((name) => !names.includes(name)), ...names];
  const met = { ...before, lastAt: Math.max(at, before.lastAt), shown: shown.slice(-MOST_SHOWN) };
  const after = usedAt >= before.firstAt ? clicked(met, usedAt, count) : met;
  return [...frames.filter((frame) => frame !== found), after].slice(-MOST_FRAMES);
}

/**
 * The exposure with what the visitor then did; the same one when that concerns no frame. An order that was cancelled does
 * not count, and counts no longer.
 */
export function withAct(
  exposure: FrameExposure,
  { actionType, productIds, orderId, occurredAt }: VisitorAct,
  count: Count,
): FrameExposure {
  const { frames, shownLists } = exposure;
  const after = frames.map((frame) => {
    if (actionType === "order_cancel") return cancelled(frame, orderId, count);
    if (occurredAt < frame.firstAt - CLOCK_MS || occurredAt - frame.lastAt >= EXPOSURE_MS) return frame;
    if (actionType === "order") return ordered(frame, orderId, occurredAt, count);
    return productIds.some((productId) => frame.shown.includes(productId)) ? clicked(frame, occurredAt, count) : frame;
  });
  return after.every((frame, i) => frame === frames[i]) ? exposure : { frames: after, shownLists };
}

/** Each visitor clicks once, on the day of the first meeting. */
function clicked(frame: ExposedFrame, at: number, count: Count): ExposedFrame {
  if (frame.clickedAt !== 0) return frame;
  const { frameId, variant, firstAt } = frame;
  count({ ...NO_TALLY, frameId, variant, day: dayOf(firstAt), clicked: 1 });
  return { ...frame, clickedAt: at };
}

function ordered(frame: ExposedFrame, orderId: string, at: number, count: Count): ExposedFrame {
  const { frameId, variant, firstAt, orderedAt, orderIds } = frame;
  if (orderIds.includes(orderId)) return frame;
  if (orderedAt === 0) count({ ...NO_TALLY, frameId, variant, day: dayOf(firstAt), ordered: 1 });
  return { ...frame, orderedAt: orderedAt || at, orderIds: [...orderIds, orderId].slice(-MOST_ORDERS) };
}

function cancelled(frame: ExposedFrame, orderId: string, count: Count): ExposedFrame {
  const { frameId, variant, firstAt, orderIds } = frame;
  if (!orderIds.includes(orderId)) return frame;
  const left = orderIds.filter((other) => other !== orderId);
  if (left.length > 0) return { ...frame, orderIds: left };
  count({ ...NO_TALLY, frameId, variant, day: dayOf(firstAt), ordered: -1 });
  return { ...frame, orderIds: left, orderedAt: 0 };
}
