import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  FrameConfigurationSchema,
  FrameVariantSchema,
  type FrameVersion,
  FrameVersionSchema,
} from "../../../src/gen/aisle/v1/frame_configuration_pb.js";
import { FrameVariantReportSchema } from "../../../src/gen/aisle/v1/frame_report_pb.js";
import { ReadyListKind } from "../../../src/gen/aisle/v1/ready_list_pb.js";
import { RecommendationSource } from "../../../src/gen/aisle/v1/recommendation_reason_pb.js";
import { shareDifference, wilson } from "../../../src/learning/common/proportions.js";
import {
  type Arm,
  adopted,
  armsOf,
  daysOfExperiment,
  experimentsOf,
  isUnchanged,
  rateDifference,
  verdictOf,
} from "../../../web/console/experiments.js";
import { changesOf } from "../../../web/console/variant-words.js";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1);

type FrameInit = MessageInitShape<typeof FrameConfigurationSchema>;

/** Versions of the frame `home`, a day apart, the oldest given first; answered newest first. */
function versionsOf(...frames: readonly (FrameInit & { readonly deleted?: boolean })[]): FrameVersion[] {
  return frames
    .map(({ deleted = false, ...frame }, index) =>
      create(FrameVersionSchema, {
        frameConfiguration: {
          recommendedCount: 10,
          ...frame,
          frameId: "home",
          version: index + 1,
          updateTime: timestampFromMs(START + index * DAY_MS),
        },
        deleted,
      }),
    )
    .reverse();
}

const TWO = [
  { name: "as-before", weight: 1 },
  { name: "six", weight: 3, recommendedCount: 6 },
];

/** Each setting of a variant, with a value that no frame of these tests has. */
const EVERY_SETTING: MessageInitShape<typeof FrameVariantSchema> = {
  recommendedCount: 6,
  alternativeCount: 6,
  diversity: 0.4,
  sourceChoice: { sources: [{ source: RecommendationSource.CART, weight: 1 }] },
  includeViewed: true,
  includeBought: true,
  rotation: false,
  fallback: false,
  filter: { anyGroupIds: ["sale"] },
  pinChoice: { productIds: ["a"] },
  rotationRate: 0.9,
  rotationPeriod: { seconds: 86_400n },
  readyList: { kind: ReadyListKind.BESTSELLERS },
  rules: { boosts: [{ factor: 2, condition: { case: "group", value: "sale" } }] },
  exploration: 0.1,
};

describe("the experiments of a frame", () => {
  it("are the times in which it had the same variants, the newest first", () => {
    const versions = versionsOf({}, { variants: TWO }, { variants: TWO, title: "Home" }, {}, { variants: TWO });
    const found = experimentsOf(versions).map(daysOfExperiment);
    expect(found).toEqual([
      { fromDay: "2026-11-05", toDay: "" },
      { fromDay: "2026-11-02", toDay: "2026-11-04" },
    ]);
  });

  it("begin at a time that is not known when the first version is no longer stored", () => {
    const [newest] = versionsOf({}, { variants: TWO });
    expect(newest && experimentsOf([newest]).map(daysOfExperiment)).toEqual([{ fromDay: "", toDay: "" }]);
  });

  it.each([
    ["a variant was chosen", { recommendedCount: 6 }, { kind: "decided", variant: "six" }],
    ["the frame stayed as it was", {}, { kind: "decided", variant: "as-before" }],
    ["the frame has other settings", { recommendedCount: 7 }, { kind: "stopped" }],
    ["others followed", { variants: [{ name: "other", weight: 1 }] }, { kind: "replaced" }],
    ["the frame was deleted", { variants: TWO, deleted: true }, { kind: "deleted" }],
  ])("have ended because %s", (_, next, ending) => {
    expect(experimentsOf(versionsOf({ variants: TWO }, next)).at(-1)?.ending).toEqual(ending);
  });

  it("give a variant's every setting to the frame that adopts it, and name each as a change", () => {
    const frame = create(FrameConfigurationSchema, { frameId: "home", recommendedCount: 10, alternativeCount: 10 });
    const settings = FrameVariantSchema.fields.map(({ localName }) => localName);
    expect(settings.filter((name) => name !== "name" && name !== "weight").sort()).toEqual(
      Object.keys(EVERY_SETTING).sort(),
    );
    for (const [name, value] of Object.entries(EVERY_SETTING)) {
      const variant = create(FrameVariantSchema, { name: "b", weight: 1, [name]: value });
      expect(isUnchanged(frame, variant), name).toBe(false);
      expect(changesOf(frame, variant), name).toHaveLength(1);
    }
    const all = create(FrameVariantSchema, { ...EVERY_SETTING, name: "b", weight: 1 });
    expect(adopted(frame, all)).toMatchObject({
      frameId: "home",
      diversity: 0.4,
      pinnedProductIds: ["a"],
      variants: [],
    });
    expect(changesOf(frame, create(FrameVariantSchema, { name: "a", weight: 1 }))).toEqual([]);
  });

  it("show the share of each variant, and no figures before the first visitor", () => {
    const [running] = experimentsOf(versionsOf({ variants: TWO }));
    const arms = running === undefined ? [] : armsOf(running, undefined);
    expect(arms.map(({ variant, share, report }) => [variant.name, share, report])).toEqual([
      ["as-before", 0.25, undefined],
      ["six", 0.75, undefined],
    ]);
  });
});

const arm = (name: string, clicked: number, visitorCount: number): Arm => ({
  variant: create(FrameVariantSchema, { name }),
  share: 0.5,
  report: create(FrameVariantReportSchema, {
    variant: name,
    results: { visitorCount, clickRate: wilson(clicked, visitorCount) },
  }),
});

describe("the verdict", () => {
  it.each([
    ["too few visitors", [arm("a", 1, 8), arm("b", 5, 6)], "Too early: 14 visitors"],
    ["a single visitor", [arm("a", 1, 1), arm("b", 0, 0)], "Too early: 1 visitor"],
    ["few visitors of one list only", [arm("a", 90, 900), arm("b", 9, 99)], "Too early: 999 visitors"],
    ["the same rates", [arm("a", 50, 500), arm("b", 55, 500)], "No difference seen"],
    [
      "a clear winner",
      [arm("a", 40, 500), arm("b", 80, 500)],
      "b is better: 16.0 % click instead of 8.0 %, 4.0 to 12.0 points more",
    ],
    [
      "the first list as the winner",
      [arm("a", 80, 500), arm("b", 40, 500)],
      "a is better: 16.0 % click instead of 8.0 %, 4.0 to 12.0 points more",
    ],
  ])("of $0 is: $2", (_, arms, text) => {
    expect(verdictOf(arms).text).toBe(text);
  });

  it("calls no list better that is only better than the worst of three", () => {
    expect(verdictOf([arm("a", 80, 500), arm("b", 79, 500), arm("c", 20, 500)]).kind).toBe("same");
  });

  it("has the interval that the server has", () => {
    const [first, second] = [wilson(80, 500), wilson(40, 500)];
    expect(rateDifference(first, second)).toEqual(shareDifference(first, second));
  });
});
