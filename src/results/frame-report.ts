import { NotFound } from "../domain/errors.js";
import type { FrameConfiguration } from "../domain/frame.js";
import { type FrameTally, NO_TALLY, sumOfTallies, type Tallied, talliedOf } from "../domain/frame-tally.js";
import { type Estimate, shareDifference, wilson } from "../learning/common/proportions.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";

/** Counts and their rates. */
export interface Results extends FrameTally {
  readonly clickRate: Estimate;
  readonly orderRate: Estimate;
}

/** Results of one variant of one experiment. */
interface VariantReport extends Results {
  readonly variant: string;
  /** When the experiment began, in milliseconds since 1970; 0 where that is not known. */
  readonly experimentAt: number;
  /** The experiment goes on, and has the variant. */
  readonly isRunning: boolean;
  /** Difference to the first variant of the experiment; undefined for that variant, and if either has no visitors. */
  readonly clickRateDifference: Estimate | undefined;
  readonly orderRateDifference: Estimate | undefined;
}

/** Results of one frame. */
export interface FrameReport {
  readonly frameId: string;
  readonly total: Results;
  /** Oldest first. */
  readonly days: readonly (Results & { readonly day: string })[];
  /** The running experiment's in their order, then those of earlier ones, the newest first, by name. */
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

/** Tallies of a frame by a name: its days, or its variants as `variantKey`. */
type Sums = Map<string, FrameTally>;

interface FrameSums {
  readonly days: Sums;
  readonly variants: Sums;
}

export function createFrameReporter(deps: {
  readonly apps: Pick<AppStore, "getFrame" | "listFrames">;
  readonly copies: Pick<Copies, "scan">;
  /** Takes in what is due. */
  readonly settle: (appId: string) => Promise<void>;
}): FrameReporter {
  /** Of all frames whose ids begin with a text. */
  const tallies = async (appId: string, prefix: string, { from, to }: Days): Promise<Map<string, FrameSums>> => {
    const found = new Map<string, FrameSums>();
    for (let after = prefix; ; ) {
      const rows = await deps.copies.scan(appId, "frameTallies", after, AT_ONCE);
      for (const { key, value } of rows) {
        if (!key.startsWith(prefix)) return found;
        const tallied = talliedOf(key);
        const { frameId, day, variant, isEarlier } = tallied;
        const sums = found.get(frameId) ?? { days: new Map(), variants: new Map() };
        found.set(frameId, sums);
        if (day >= from && (to === "" || day <= to)) {
          if (variant === "" || isEarlier) add(sums.days, day, value);
          if (variant !== "") add(sums.variants, variantKey(tallied), value);
        }
        after = key;
      }
      if (rows.length < AT_ONCE) return found;
    }
  };

  return async (appId, frameId, days) => {
    await deps.settle(appId);
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
    variants: experiments(frame, variants).flatMap(compared),
  };
}

type Named = Pick<VariantReport, "variant" | "experimentAt" | "isRunning"> & { readonly tally: FrameTally };

function variantKey({ variant, experimentAt }: Pick<Tallied, "variant" | "experimentAt">): string {
  return `${experimentAt}/${variant}`;
}

/** The variants of each experiment, the running one first. */
function experiments(frame: FrameConfiguration | undefined, found: Sums): readonly (readonly Named[])[] {
  const runningAt = frame === undefined || frame.variants.length === 0 ? undefined : frame.experimentAt;
  const names = new Map<number, Set<string>>();
  if (frame !== undefined && runningAt !== undefined)
    names.set(runningAt, new Set(frame.variants.map(({ name }) => name)));
  for (const key of [...found.keys()].sort()) {
    const start = Number(key.slice(0, key.indexOf("/")));
    names.set(start, (names.get(start) ?? new Set()).add(key.slice(key.indexOf("/") + 1)));
  }
  const order = (start: number) => (start === runningAt ? Number.POSITIVE_INFINITY : start);
  return [...names]
    .sort(([a], [b]) => order(b) - order(a))
    .map(([experimentAt, variants]) =>
      [...variants].map((variant) => ({
        variant,
        experimentAt,
        isRunning: experimentAt === runningAt && frame!.variants.some(({ name }) => name === variant),
        tally: found.get(variantKey({ variant, experimentAt })) ?? NO_TALLY,
      })),
    );
}

function compared(variants: readonly Named[]): VariantReport[] {
  const all = variants.map(({ tally, ...named }) => ({ ...rated(tally), ...named }));
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
