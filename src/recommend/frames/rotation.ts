/**
 * Rotation: products that a frame showed a visitor, and that the visitor passed over, step back in that frame.
 *
 * A request tells when the visitor used the frame. The use ends the list that was shown before it: what was neither viewed
 * nor ordered since then was passed over. A product that was passed over once steps back by 2 * rate lengths of the list, so
 * that `rate` of the list is replaced when all of it was passed over. Each further time adds half of the time before, so
 * no product steps back further than 4 * rate lengths. What a product lost returns within `rotationDays`, evenly.
 *
 * Places count and not scores, for the reason that `diversity.ts` gives: one setting has to mean the same for all sources.
 * The products with the best places stay on the list, so that its hit rate falls less than its share of new
 * products rises, as measured on recorded shops.
 */
import { DEFAULT_FRAME_ID, type FrameConfiguration } from "../../domain/frame.js";
import { EXPOSURE_MS, type ShownList } from "../../domain/frame-exposure.js";
import type { RecommendQuery } from "../request/query.js";

/** By product id, how far a product steps back, in lengths of the list. */
export type StepsBack = ReadonlyMap<string, number>;

export const NO_STEPS: StepsBack = new Map();

/** Products of a list that are remembered, the newest. */
const MOST_PRODUCTS = 60;
/** Lists of a frame that are remembered, the newest. */
const MOST_LISTS = 5;
/** Lists of all frames that are remembered of a visitor, the newest. */
const MOST_LISTS_OF_VISITOR = 40;
const DAY_MS = 86_400_000;
/** How far a client's clock may be ahead. */
const AHEAD_MS = 5 * 60_000;

interface ShownNow {
  readonly frameId: string;
  readonly productIds: readonly string[];
  /** When the visitor last used the frame; 0 if unknown. */
  readonly usedAt: number;
}

/** The lists with one more that was shown. Without a use since the last one, its products are added to that one. */
export function withList(
  lists: readonly ShownList[],
  { frameId, productIds, usedAt }: ShownNow,
  at: number,
): readonly ShownList[] {
  const last = lists.findLast((list) => list.frameId === frameId);
  if (last !== undefined && usedAt <= last.at && at - last.at < EXPOSURE_MS) {
    const fresh = productIds.filter((productId) => !last.productIds.includes(productId));
    if (fresh.length === 0) return lists;
    const longer = { ...last, productIds: [...last.productIds, ...fresh].slice(-MOST_PRODUCTS) };
    return lists.map((list) => (list === last ? longer : list));
  }
  const ofFrame = lists.filter((list) => list.frameId === frameId);
  const dropped = new Set(ofFrame.slice(0, Math.max(0, ofFrame.length - MOST_LISTS + 1)));
  const kept = lists.filter((list) => !dropped.has(list) && at - list.at < EXPOSURE_MS);
  return [...kept, { frameId, at, productIds: productIds.slice(-MOST_PRODUCTS) }].slice(-MOST_LISTS_OF_VISITOR);
}

/** When the visitor used the frame, oldest first, without times in the future. Uses of unknown frames count for the default frame. */
export function usesOf(frameId: string, uses: RecommendQuery["frameInteractions"], now: number): number[] {
  const isOfFrame = (used: string) => used === frameId || (frameId === DEFAULT_FRAME_ID && used === "");
  return uses
    .filter((use) => isOfFrame(use.frameId) && use.at <= now + AHEAD_MS)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}

interface Asked {
  readonly frame: Pick<FrameConfiguration, "frameId" | "rotation" | "rotationRate" | "rotationDays">;
  readonly query: Pick<RecommendQuery, "frameInteractions" | "clientVersion">;
  readonly version: string;
  /** What frames showed the visitor, the newest last. */
  readonly shownLists?: readonly ShownList[];
  readonly now: number;
}

/** Whether an answer depends on what the frame showed before. Uses that belong to another version of the engine do not count. */
function isRotated({ frame, query, version }: Omit<Asked, "now">): boolean {
  const isOfVersion = query.clientVersion === "" || query.clientVersion === version;
  return frame.rotation && frame.rotationRate > 0 && isOfVersion && query.frameInteractions.length > 0;
}

/**
 * @param isClicked Whether the visitor viewed or ordered a product since a time: then it loses nothing.
 */
export function stepsBack(asked: Asked, isClicked: (productId: string, since: number) => boolean): StepsBack {
  const { frame, query, shownLists = [], now } = asked;
  if (shownLists.length === 0 || !isRotated(asked)) return NO_STEPS;
  const uses = usesOf(frame.frameId, query.frameInteractions, now);
  const passed = new Map<string, { readonly usedAt: number; readonly since: number }[]>();
  for (const { frameId, at, productIds } of shownLists) {
    const usedAt = frameId === frame.frameId ? uses.find((use) => use > at) : undefined;
    if (usedAt === undefined) continue;
    for (const productId of productIds) {
      const times = passed.get(productId);
      if (times === undefined) passed.set(productId, [{ usedAt, since: at }]);
      else if (times.at(-1)?.usedAt !== usedAt) times.push({ usedAt, since: at });
    }
  }
  const steps = new Map<string, number>();
  for (const [productId, times] of passed) {
    if (isClicked(productId, times[0]!.since)) continue;
    let step = 0;
    let share = 2 * frame.rotationRate;
    for (const { usedAt } of times.toReversed()) {
      const left = 1 - Math.max(0, now - usedAt) / (frame.rotationDays * DAY_MS);
      if (left > 0) step += left * share;
      share /= 2;
    }
    if (step > 0) steps.set(productId, step);
  }
  return steps;
}

/** How many products of a list of that many can change places with products behind it. */
export function reachOf(steps: StepsBack, count: number): number {
  let most = 0;
  for (const step of steps.values()) most = Math.max(most, step);
  return Math.ceil(count * (1 + most));
}

/** A list of `count` products, and what comes behind them, in the new order; the others come before a product that steps back to their place. */
export function steppedBack<T>(list: readonly T[], count: number, steps: StepsBack, idOf: (one: T) => string): T[] {
  if (steps.size === 0) return [...list];
  return list
    .map((one, place) => {
      const step = (steps.get(idOf(one)) ?? 0) * count;
      return { one, place: place + step, stepped: step > 0 ? 1 : 0 };
    })
    .sort((a, b) => a.place - b.place || a.stepped - b.stepped)
    .map(({ one }) => one);
}
