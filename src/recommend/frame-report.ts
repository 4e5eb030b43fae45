import { NotFound } from "../domain/errors.js";
import type { FrameConfiguration } from "../domain/frame.js";
import { type FrameTally, NO_TALLY, sumOfTallies } from "../domain/frame-tally.js";
import { type Estimate, shareDifference, wilson } from "../learning/common/proportions.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";

/** Counts and their rates. */
export interface Results extends FrameTally {
  readonly clickRate: Estimate;
  readonly orderRate: Estimate;
}

/** Results of one variant. */
interface VariantReport extends Results {
  readonly variant: string;
  /** Difference to the first variant; undefined for that variant, and if either has no visitors. */
  readonly clickRateDifference: Estimate | undefined;
  readonly orderRateDifference: Estimate | undefined;
}

/** Results of one frame. */
export interface FrameReport {
  readonly frameId: string;
  readonly total: Results;
  /** Oldest first. */
  readonly days: readonly (Results & { readonly day: string })[];
  /** Current ones in their order, then removed ones by name. */
  readonly variants: readonly VariantReport[];
}

/** Days as `YYYY-MM-DD`, both included; "" for no end. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Results of a frame, or of all frames by id for the frame "". */
export type FrameReporter = (appId: string, frameId: string, days: Days) => Promise<readonly FrameReport[]>;

/** Rows read at a time. */
const AT_ONCE = 1000;
const MAX_FRAMES = 1000;

/** Tallies of a frame by a name: its days, or its variants. */
type Sums = Map<string, FrameTally>;

interface FrameSums {
  readonly days: Sums;
  readonly variants: Sums;
}

export function createFrameReporter(deps: {
  readonly apps: Pick<AppStore, "getFrame" | "listFrames">;
  readonly copies: Pick<Copies, "scan">;
}): FrameReporter {
  /** Of all frames whose ids begin with a text. */
  const tallies = async (appId: string, prefix: string, { from, to }: Days): Promise<Map<string, FrameSums>> => {
    const found = new Map<string, FrameSums>();
    for (let after = prefix; ; ) {
      const rows = await deps.copies.scan(appId, "frameTallies", after, AT_ONCE);
      for (const { key, value } of rows) {
        if (!key.startsWith(prefix)) return found;
        const [frameId = "", day = "", variant = ""] = key.split("/");
        const sums = found.get(frameId) ?? { days: new Map(), variants: new Map() };
        found.set(frameId, sums);
        if (day >= from && (to === "" || day <= to)) {
          add(sums.days, day, value);
          add(sums.variants, variant, value);
        }
        after = key;
      }
      if (rows.length < AT_ONCE) return found;
    }
  };

  return async (appId, frameId, days) => {
    if (frameId === "") {
      const [frames, found] = await Promise.all([
        deps.apps.listFrames(appId, "", MAX_FRAMES),
        tallies(appId, "", days),
      ]);
      const configured = new Map(frames.map((frame) => [frame.frameId, frame]));
      const ids = [...new Set([...configured.keys(), ...found.keys()])].sort();
      return ids.map((id) => reportOf(id, configured.get(id), found.get(id)));
    }
    const [frame, found] = await Promise.all([deps.apps.getFrame(appId, frameId), tallies(appId, `${frameId}/`, days)]);
    const sums = found.get(frameId);
    if (frame === undefined && sums === undefined) throw new NotFound("frame_configuration");
    return [reportOf(frameId, frame, sums)];
  };
}

function add(sums: Sums, name: string, tally: FrameTally): void {
  sums.set(name, sumOfTallies(sums.get(name) ?? NO_TALLY, tally));
}

function reportOf(
  frameId: string,
  frame: FrameConfiguration | undefined,
  { days, variants }: FrameSums = { days: new Map(), variants: new Map() },
): FrameReport {
  return {
    frameId,
    total: rated([...days.values()].reduce(sumOfTallies, NO_TALLY)),
    days: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, tally]) => ({ ...rated(tally), day })),
    variants: compared(
      (frame?.variants ?? []).map(({ name }) => name),
      variants,
    ),
  };
}

function compared(now: readonly string[], found: Sums): VariantReport[] {
  const before = [...found.keys()].filter((name) => name !== "" && !now.includes(name)).sort();
  const all = [...now, ...before].map((variant) => ({ ...rated(found.get(variant) ?? NO_TALLY), variant }));
  const [first] = all;
  return all.map((one): VariantReport => {
    const isCompared = first !== undefined && one !== first && one.visitors > 0 && first.visitors > 0;
    return {
      ...one,
      clickRateDifference: isCompared ? shareDifference(one.clickRate, first.clickRate) : undefined,
      orderRateDifference: isCompared ? shareDifference(one.orderRate, first.orderRate) : undefined,
    };
  });
}

function rated(tally: FrameTally): Results {
  const { visitors, clicked, ordered } = tally;
  return { ...tally, clickRate: wilson(clicked, visitors), orderRate: wilson(ordered, visitors) };
}
