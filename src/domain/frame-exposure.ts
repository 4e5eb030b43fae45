/** What frames showed a visitor, what the visitor did since, and what of it is in the tallies. */
import type { FrameTally } from "./frame-tally.js";
import type { VisitorKey } from "./ids.js";

const DAY_MS = 86_400_000;

/** An order counts for a frame that was seen so long before it, and as one after a click so long after that click. */
export const EXPOSURE_MS = 7 * DAY_MS;

/** A time in which a visitor saw a frame again and again, without a pause of `EXPOSURE_MS`. */
export interface ExposedFrame {
  readonly frameId: string;
  /** "" where the frame does not split its visitors. */
  readonly variant: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Products shown last, the newest last; of frames with variants, and of answers whose id comes back with clicks. */
  readonly shown: readonly string[];
  /** Ids of answers that come back with clicks, newest last. */
  readonly recommendationIds: readonly string[];
  /** Products that were shown by exploration, newest last. */
  readonly explored: readonly ExploredProduct[];
  /** When the experiment began that the variant belongs to; 0 without one. */
  readonly experimentAt: number;
  /** When the visitor used the frame, as requests told; oldest first. */
  readonly usedAt: readonly number[];
  /** When it was seen between `firstAt` and `lastAt`, at most once a minute, the newest last. */
  readonly seenAt: readonly number[];
}

/** A product that has its place by exploration, and the probability of that, given the list. */
export interface ExploredProduct {
  readonly productId: string;
  readonly probability: number;
}

/** An event that may be a click: a view, or another action that names an answer. */
export interface VisitorAct {
  readonly at: number;
  readonly receivedAt: number;
  readonly isView: boolean;
  /** Of an order; "" for others. */
  readonly orderId: string;
  readonly productIds: readonly string[];
  /** Answers that led to it, as the event names them. */
  readonly recommendationIds: readonly string[];
}

/** An order that counts wherever a frame was seen before it. */
export interface VisitorOrder {
  readonly orderId: string;
  /** The earliest time of all copies. */
  readonly at: number;
  /** When the first copy was received; 0 where that is not known. */
  readonly receivedAt: number;
  /** As in `Sales`. */
  readonly currency: string;
  /** In millionths of the currency's unit. */
  readonly amount: number;
}

/** What a visitor added to one tally. */
export interface Share {
  /** As `tallyKey`. */
  readonly key: string;
  /** Without exposures: answers are counted as they are given. */
  readonly tally: FrameTally;
}

/** Products that a frame showed a visitor between two uses of the frame. */
export interface ShownList {
  readonly frameId: string;
  /** When the first of them was shown. */
  readonly at: number;
  readonly productIds: readonly string[];
}

/** The exposures under one visitor key. Keys that belong to one person count together. */
export interface FrameExposure {
  readonly frames: readonly ExposedFrame[];
  /** Frames that rotate, newest last. */
  readonly shownLists: readonly ShownList[];
  readonly acts: readonly VisitorAct[];
  readonly orders: readonly VisitorOrder[];
  /** Orders up to this time that are not in `orders` are counted for good. */
  readonly ordersFrom: number;
  /** Other keys that a request or an order named together with this one. */
  readonly links: readonly VisitorKey[];
  /** What the tallies hold of it; null: as an earlier version counted it. */
  readonly counted: readonly Share[] | null;
}

export const NO_EXPOSURE: FrameExposure = {
  frames: [],
  shownLists: [],
  acts: [],
  orders: [],
  ordersFrom: 0,
  links: [],
  counted: [],
};

/** The last time of anything in it. */
export function lastTimeOf({ frames, shownLists, acts, orders }: FrameExposure): number {
  return Math.max(
    0,
    ...frames.map(({ lastAt }) => lastAt),
    ...shownLists.map(({ at }) => at),
    ...acts.map(({ at }) => at),
    ...orders.map(({ at }) => at),
  );
}
