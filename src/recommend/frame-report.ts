import { NotFound } from "../domain/errors.js";
import { type FrameTally, NO_TALLY, sumOfTallies } from "../domain/frame-tally.js";
import { type Estimate, shareDifference, wilson } from "../learning/common/proportions.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";

/** Results of one variant. */
export interface VariantReport extends FrameTally {
  readonly variant: string;
  readonly clickRate: Estimate;
  readonly orderRate: Estimate;
  /** Difference to the first variant; undefined for that variant, and if either has no visitors. */
  readonly clickRateDifference: Estimate | undefined;
  readonly orderRateDifference: Estimate | undefined;
}

/** Days as `YYYY-MM-DD`, both included; "" for no end. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Results of a frame's variants: current ones in their order, then removed ones by name. */
export type FrameReporter = (appId: string, frameId: string, days: Days) => Promise<readonly VariantReport[]>;

/** Rows read at a time. */
const AT_ONCE = 1000;

export function createFrameReporter(deps: {
  readonly apps: Pick<AppStore, "getFrame">;
  readonly copies: Pick<Copies, "scan">;
}): FrameReporter {
  const tallies = async (appId: string, frameId: string, days: Days): Promise<Map<string, FrameTally>> => {
    const found = new Map<string, FrameTally>();
    const prefix = `${frameId}/`;
    for (let after = prefix; ; ) {
      const rows = await deps.copies.scan(appId, "frameTallies", after, AT_ONCE);
      for (const { key, value } of rows) {
        if (!key.startsWith(prefix)) return found;
        const [, day = "", variant = ""] = key.split("/");
        const isAsked = day >= days.from && (days.to === "" || day <= days.to);
        if (isAsked) found.set(variant, sumOfTallies(found.get(variant) ?? NO_TALLY, value));
        after = key;
      }
      if (rows.length < AT_ONCE) return found;
    }
  };

  return async (appId, frameId, days) => {
    const [frame, found] = await Promise.all([deps.apps.getFrame(appId, frameId), tallies(appId, frameId, days)]);
    if (frame === undefined && found.size === 0) throw new NotFound("frame_configuration");
    const now = (frame?.variants ?? []).map(({ name }) => name);
    const before = [...found.keys()].filter((name) => !now.includes(name)).sort();
    const all = [...now, ...before].map((variant) => rated(variant, found.get(variant) ?? NO_TALLY));
    const [first] = all;
    return all.map((one): VariantReport => {
      const isCompared = first !== undefined && one !== first && one.visitors > 0 && first.visitors > 0;
      return {
        ...one,
        clickRateDifference: isCompared ? shareDifference(one.clickRate, first.clickRate) : undefined,
        orderRateDifference: isCompared ? shareDifference(one.orderRate, first.orderRate) : undefined,
      };
    });
  };
}

function rated(variant: string, tally: FrameTally) {
  const { visitors, clicked, ordered } = tally;
  return { ...tally, variant, clickRate: wilson(clicked, visitors), orderRate: wilson(ordered, visitors) };
}
