/** Frames of the demo shop, and what came of them: one experiment has ended, two are running. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bareFrame, type FrameToWrite, type FrameVariant } from "../../domain/frame.js";
import { dayOf, type FrameTally, tallyKey } from "../../domain/frame-tally.js";
import type { Tallies } from "../../results/past-results.js";
import { DEMO_DATA } from "../web-files.js";
import { readTable } from "./tables.js";

const DAY = 86_400_000;
const COLUMNS = [
  ...(["frame", "day", "variant", "since", "exposures", "visitors"] as const),
  ...(["clicked", "ordered", "clicks", "after_click", "without_click"] as const),
];

const BARE_VARIANT: FrameVariant = {
  name: "",
  weight: 1,
  recommendedCount: null,
  alternativeCount: null,
  diversity: null,
  sources: null,
  includeViewed: null,
  includeBought: null,
  rotation: null,
  rotationRate: null,
  rotationDays: null,
  readyList: null,
  rules: null,
  exploration: null,
  fallback: null,
  filter: null,
  pinnedProductIds: null,
};

/** A version of a frame as `web/demo/frames.json` has it. */
interface Version {
  readonly frameId: string;
  readonly title: string;
  /** When it was written: 0 is `until`, -1 a day before. */
  readonly day: number;
  readonly variants: readonly Partial<FrameVariant>[];
}

/** Each frame from its first version to its last, and the results of `results.csv`, whose last day is that of `until`. */
export function demoFrames(until: number): { readonly versions: readonly FrameToWrite[]; readonly tallies: Tallies } {
  const read: readonly Version[] = JSON.parse(readFileSync(join(DEMO_DATA, "frames.json"), "utf8"));
  const versions = read.map(({ frameId, title, day, variants }) => ({
    ...bareFrame(frameId),
    ...{ title, recommendedCount: 10, alternativeCount: 10 },
    updatedAt: until + day * DAY,
    variants: variants.map((variant) => ({ ...BARE_VARIANT, ...variant })),
  }));
  const tallies = readTable("results.csv", COLUMNS).map(({ text, list }): [string, FrameTally] => {
    const number = (column: (typeof COLUMNS)[number]) => Number(text(column));
    const sales = (column: "after_click" | "without_click") =>
      list(column).map((part) => {
        const [orders, amount, currency = ""] = part.split(" ");
        return { currency, orders: Number(orders), amount: Math.round(Number(amount) * 1e6) };
      });
    const variant = text("variant");
    const experimentAt = variant === "" ? 0 : until + number("since") * DAY;
    return [
      tallyKey({ frameId: text("frame"), day: dayOf(until + number("day") * DAY), variant, experimentAt }),
      {
        ...{ exposures: number("exposures"), visitors: number("visitors"), clicked: number("clicked") },
        ...{ ordered: number("ordered"), clicks: number("clicks") },
        ...{ afterClick: sales("after_click"), withoutClick: sales("without_click") },
      },
    ];
  });
  return { versions, tallies: new Map(tallies) };
}
