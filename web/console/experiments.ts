/** Experiments of frames: which there are and were, and what their figures say. */
import { equals } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type FrameConfiguration,
  FrameConfigurationSchema,
  type FrameVariant,
  type FrameVersion,
} from "../../src/gen/aisle/v1/frame_configuration_pb.js";
import type { FrameReport, FrameVariantReport, RateEstimate } from "../../src/gen/aisle/v1/frame_report_pb.js";

/** How an experiment ended. */
export type Ending =
  | { readonly kind: "decided"; readonly variant: string }
  | { readonly kind: "stopped" | "replaced" | "deleted" };

/** A time in which a frame had the same variants. */
export interface Experiment {
  /** The frame as it last was in this time. */
  readonly frame: FrameConfiguration;
  /** Undefined when the version that began it is no longer stored. */
  readonly startTime: Timestamp | undefined;
  /** Undefined while it runs. */
  readonly endTime: Timestamp | undefined;
  readonly ending: Ending | undefined;
}

/** The experiments among the versions of a frame, newest first. `versions` are newest first, too. */
export function experimentsOf(versions: readonly FrameVersion[]): Experiment[] {
  const found: Experiment[] = [];
  for (let at = 0; at < versions.length; ) {
    const names = namesOf(versions[at]);
    let first = at;
    while (names !== "" && namesOf(versions[first + 1]) === names) first++;
    const frame = versions[at]?.frameConfiguration;
    const start = versions[first]?.frameConfiguration;
    if (names !== "" && frame !== undefined && start !== undefined) {
      const next = versions[at - 1];
      const isKnownStart = start.version === 1 || versions[first + 1] !== undefined;
      found.push({
        frame,
        startTime: isKnownStart ? start.updateTime : undefined,
        endTime: next?.frameConfiguration?.updateTime,
        ending: next === undefined ? undefined : endingOf(frame, next),
      });
    }
    at = first + 1;
  }
  return found;
}

/** The variants of a version and the start of their experiment as one text; "" for none. */
function namesOf(version: FrameVersion | undefined): string {
  if (version === undefined || version.deleted) return "";
  const { variants = [], experimentStartTime } = version.frameConfiguration ?? {};
  const names = variants.map(({ name }) => name).sort();
  return names.length === 0 ? "" : [startText(experimentStartTime), ...names].join(" ");
}

function startText(time: Timestamp | undefined): string {
  return time === undefined ? "" : `${time.seconds}.${time.nanos}`;
}

function endingOf(frame: FrameConfiguration, next: FrameVersion): Ending {
  const after = next.frameConfiguration;
  if (next.deleted || after === undefined) return { kind: "deleted" };
  if (after.variants.length > 0) return { kind: "replaced" };
  const chosen = frame.variants.find((variant) => isSame(adopted(frame, variant), after));
  return chosen === undefined ? { kind: "stopped" } : { kind: "decided", variant: chosen.name };
}

function isSame(frame: FrameConfiguration, other: FrameConfiguration): boolean {
  const { updateTime: _time, experimentStartTime: _start, ...rest } = frame;
  const { updateTime: _other, experimentStartTime: _begin, ...others } = other;
  const bare = { version: 0, etag: "" };
  return equals(FrameConfigurationSchema, { ...rest, ...bare }, { ...others, ...bare });
}

/** The frame with the settings of a variant for all visitors. */
export function adopted(frame: FrameConfiguration, variant: FrameVariant): FrameConfiguration {
  const {
    name: _name,
    weight: _weight,
    sourceChoice,
    pinChoice,
    $typeName: _type,
    $unknown: _unknown,
    ...settings
  } = variant;
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return {
    ...frame,
    ...set,
    sources: sourceChoice?.sources ?? frame.sources,
    pinnedProductIds: pinChoice?.productIds ?? frame.pinnedProductIds,
    variants: [],
  };
}

/** Whether the variant shows the frame as it is. */
export function isUnchanged(frame: FrameConfiguration, variant: FrameVariant): boolean {
  return isSame(adopted(frame, variant), { ...frame, variants: [] });
}

/** The days of an experiment as a report takes them, in UTC; "" for no end. */
export function daysOfExperiment({ startTime, endTime }: Experiment): {
  readonly fromDay: string;
  readonly toDay: string;
} {
  return { fromDay: dayOf(startTime), toDay: dayOf(endTime) };
}

function dayOf(time: Timestamp | undefined): string {
  return time === undefined ? "" : timestampDate(time).toISOString().slice(0, 10);
}

/** The results of the experiment's variants, in the order of the frame. */
export function armsOf({ frame }: Experiment, report: FrameReport | undefined): Arm[] {
  const shares = frame.variants.reduce((sum, { weight }) => sum + weight, 0);
  return frame.variants.map((variant) => ({
    variant,
    share: shares === 0 ? 0 : variant.weight / shares,
    report: report?.variants.find(
      ({ variant: name, experimentStartTime }) =>
        name === variant.name && startText(experimentStartTime) === startText(frame.experimentStartTime),
    ),
  }));
}

/** One variant of an experiment. */
export interface Arm {
  readonly variant: FrameVariant;
  /** Of the visitors, 0 to 1. */
  readonly share: number;
  /** Undefined before the first visitor. */
  readonly report: FrameVariantReport | undefined;
}

/** With fewer visitors a difference says nothing yet. */
const ENOUGH_VISITORS = 100;

/** What an experiment says so far. */
export interface Verdict {
  readonly text: string;
  readonly kind: "early" | "better" | "same";
}

/** By clicks; an order is too rare to decide by in most shops. */
export function verdictOf(arms: readonly Arm[]): Verdict {
  const visitors = arms.map(visitorsOf);
  const total = visitors.reduce((sum, count) => sum + count, 0);
  if (Math.min(...visitors) < ENOUGH_VISITORS)
    return { kind: "early", text: `Too early: ${total === 1 ? "1 visitor" : `${total.toLocaleString()} visitors`}` };
  const [best, ...others] = [...arms].sort((a, b) => clickRate(b).value - clickRate(a).value);
  const second = others[0];
  if (best === undefined || second === undefined) return { kind: "same", text: "Nothing to compare with" };
  const { low, high } = rateDifference(clickRate(best), clickRate(second));
  if (low <= 0) return { kind: "same", text: "No difference seen" };
  const rates = `${percentText(clickRate(best).value)} click instead of ${percentText(clickRate(second).value)}`;
  return {
    kind: "better",
    text: `${best.variant.name} is better: ${rates}, ${pointsText(low, high)} more`,
  };
}

function visitorsOf({ report }: Arm): number {
  return report?.results?.visitorCount ?? 0;
}

const UNKNOWN_RATE = { value: 0, low: 0, high: 1 };

function clickRate({ report }: Arm): Pick<RateEstimate, "value" | "low" | "high"> {
  return report?.results?.clickRate ?? UNKNOWN_RATE;
}

/**
 * How much the first of two rates is above the second: Newcombe's interval, as in the report. A report compares with the
 * first variant that the frame has now, which an ended experiment may not have had.
 */
export function rateDifference(
  first: Pick<RateEstimate, "value" | "low" | "high">,
  second: Pick<RateEstimate, "value" | "low" | "high">,
): { readonly value: number; readonly low: number; readonly high: number } {
  const value = first.value - second.value;
  return {
    value,
    low: value - Math.hypot(first.value - first.low, second.high - second.value),
    high: value + Math.hypot(first.high - first.value, second.value - second.low),
  };
}

function percentText(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

/** `2.0 to 14.0 points`. */
function pointsText(low: number, high: number): string {
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} points`;
}
