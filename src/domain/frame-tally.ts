/** Orders of one currency, and what they paid together. */
export interface Sales {
  /** ISO 4217; "" for orders whose payment is not known. */
  readonly currency: string;
  readonly orders: number;
  /** In millionths of the currency's unit. */
  readonly amount: number;
}

/**
 * Results of a frame's variant, for visitors who first saw it on one day (UTC). Each visitor counts once as exposed,
 * clicked and ordered, so that rates are shares of visitors.
 */
export interface FrameTally {
  /** Answers on any day. */
  readonly exposures: number;
  /** Visitors who first saw the variant on this day. */
  readonly visitors: number;
  /** Of these, visitors who then clicked. */
  readonly clicked: number;
  /** Of these, visitors who ordered during the exposure's lifetime, and did not cancel everything in that time. */
  readonly ordered: number;
  /** Clicks of these visitors that named the list they came from, each list and product once. */
  readonly clicks: number;
  /** Their orders within 7 days of a click, by currency. */
  readonly afterClick: readonly Sales[];
  /** Their other orders within 7 days of seeing the frame. */
  readonly withoutClick: readonly Sales[];
}

export const NO_TALLY: FrameTally = {
  exposures: 0,
  visitors: 0,
  clicked: 0,
  ordered: 0,
  clicks: 0,
  afterClick: [],
  withoutClick: [],
};

export function sumOfTallies(a: FrameTally, b: FrameTally): FrameTally {
  return {
    exposures: a.exposures + b.exposures,
    visitors: a.visitors + b.visitors,
    clicked: a.clicked + b.clicked,
    ordered: a.ordered + b.ordered,
    clicks: a.clicks + b.clicks,
    afterClick: sumOfSales(a.afterClick, b.afterClick),
    withoutClick: sumOfSales(a.withoutClick, b.withoutClick),
  };
}

/** By currency, in the order of their codes. */
function sumOfSales(a: readonly Sales[], b: readonly Sales[]): readonly Sales[] {
  if (b.length === 0) return a;
  const sums = new Map(a.map((one) => [one.currency, one]));
  for (const { currency, orders, amount } of b) {
    const before = sums.get(currency);
    sums.set(currency, { currency, orders: orders + (before?.orders ?? 0), amount: amount + (before?.amount ?? 0) });
  }
  const left = [...sums.values()].filter(({ orders, amount }) => orders !== 0 || amount !== 0);
  return left.sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** An order that is counted for a frame. */
export interface CountedOrder {
  readonly orderId: string;
  readonly currency: string;
  /** In millionths of the currency's unit. */
  readonly amount: number;
  /** It followed a click. */
  readonly isAfterClick: boolean;
}

/** One visitor's exposure to a frame. */
export interface ExposedFrame {
  readonly frameId: string;
  /** "" where the frame does not split its visitors. */
  readonly variant: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Products shown last, the newest last; of frames with variants, and of answers whose id comes back with clicks. */
  readonly shown: readonly string[];
  /** The first click; 0: never. */
  readonly clickedAt: number;
  readonly lastClickedAt: number;
  /** 0: never. */
  readonly orderedAt: number;
  /** Ids of answers that come back with clicks, newest last. */
  readonly recommendationIds: readonly string[];
  /** Clicks that were counted, as `clickKey`. */
  readonly clicks: readonly string[];
  /** Orders counted for it, newest last. */
  readonly orders: readonly CountedOrder[];
  /** Products that were shown by exploration, newest last. */
  readonly explored: readonly ExploredProduct[];
}

/** A click counts once for each answer and product. */
export function clickKey(recommendationId: string, productId: string): string {
  return `${recommendationId} ${productId}`;
}

export function clickOfKey(key: string): { readonly recommendationId: string; readonly productId: string } {
  const end = key.indexOf(" ");
  return { recommendationId: key.slice(0, end), productId: key.slice(end + 1) };
}

/** A product that has its place by exploration, and the probability of that, given the list. */
export interface ExploredProduct {
  readonly productId: string;
  readonly probability: number;
}

/** Products that a frame showed a visitor between two uses of the frame. */
export interface ShownList {
  readonly frameId: string;
  /** When the first of them was shown. */
  readonly at: number;
  readonly productIds: readonly string[];
}

/** One visitor's exposures to frames. */
export interface FrameExposure {
  readonly frames: readonly ExposedFrame[];
  /** Frames that rotate, newest last. */
  readonly shownLists: readonly ShownList[];
}

/** Whether nothing of an exposure needs to be remembered at that time. */
export function isForgotten({ frames, shownLists }: FrameExposure, now: number): boolean {
  return (
    frames.every(({ lastAt }) => now - lastAt >= EXPOSURE_MS) && shownLists.every(({ at }) => now - at >= EXPOSURE_MS)
  );
}

const DAY_MS = 86_400_000;

/** `2026-11-21` of a time, UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** An order counts for a frame that was met so long before it; then the exposure is forgotten. */
export const EXPOSURE_MS = 7 * DAY_MS;

/** The key of a tally within its app: in order of frames, then of days. */
export function tallyKey(frameId: string, day: string, variant: string): string {
  return `${frameId}/${day}/${variant}`;
}
