/**
 * Results of a frame's variant, for visitors who first saw it on one day (UTC). Each visitor counts once as exposed,
 * clicked and ordered, so that rates are shares of visitors.
 */
export interface FrameTally {
  /** Answers on any day. */
  readonly exposures: number;
  /** Visitors who first saw the variant on this day. */
  readonly visitors: number;
  /** Of these, visitors who then viewed a shown product, or reported a use of the frame. */
  readonly clicked: number;
  /** Of these, visitors who ordered during the exposure's lifetime, and did not cancel everything in that time. */
  readonly ordered: number;
}

export const NO_TALLY: FrameTally = { exposures: 0, visitors: 0, clicked: 0, ordered: 0 };

export function sumOfTallies(a: FrameTally, b: FrameTally): FrameTally {
  return {
    exposures: a.exposures + b.exposures,
    visitors: a.visitors + b.visitors,
    clicked: a.clicked + b.clicked,
    ordered: a.ordered + b.ordered,
  };
}

/** One visitor's exposure to a frame with variants. */
export interface ExposedFrame {
  readonly frameId: string;
  readonly variant: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Products shown last, the newest last. */
  readonly shown: readonly string[];
  /** 0: never. */
  readonly clickedAt: number;
  readonly orderedAt: number;
  /** Orders counted for it, newest last. */
  readonly orderIds: readonly string[];
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
  /** Frames with variants. */
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
