import { describe, expect, it } from "vitest";
import { packForest } from "../../../../bench/born-trained/pack-forest.js";
import { type Forest, treeCount } from "../../../../src/learning/rank/trees/forest.js";
import { FEATURE_COUNT, FEATURES } from "../../../../src/learning/rank/visits/feature-names.js";
import { learnRanker, RANKER_BUDGET } from "../../../../src/learning/rank/visits/learn-ranker.js";
import { shippedForest, unpackForest } from "../../../../src/learning/rank/visits/shipped-forest.js";
import { SHIPPED_FOREST } from "../../../../src/learning/rank/visits/shipped-forest-asset.js";
import { firstVisits } from "../../../../src/learning/rank/visits/visits.js";
import { BROWSING } from "../../../../src/learning/sources/sessions/session-neighbours.js";
import { PRODUCTS, walks } from "./simulated-visits.js";

const SEED = 7;
const shipped = shippedForest()!;

/** One tree of two leaves: the higher for candidates with more of the feature. */
function stump(feature: (typeof FEATURES)[number], more: number): Forest {
  return {
    featureCount: FEATURE_COUNT,
    roots: Uint32Array.of(0),
    features: Uint32Array.of(FEATURES.indexOf(feature), 0, 0),
    values: Float32Array.of(0.5, 0, more),
    lefts: Uint32Array.of(1, 0, 0),
  };
}

describe("the forest that ships", () => {
  it("asks only for features that are made (else run `npm run born-trained`)", () => {
    expect(SHIPPED_FOREST.features.filter((name) => !FEATURES.some((made) => made === name))).toEqual([]);
    expect(shipped.featureCount).toBe(FEATURE_COUNT);
    expect(treeCount(shipped)).toBeGreaterThan(20);
  });

  it("takes less than 200 kB, and was learned from simulated shops", () => {
    expect(JSON.stringify(SHIPPED_FOREST).length).toBeLessThan(200_000);
    expect(SHIPPED_FOREST.learnedFrom).toMatch(/^\d+ simulated shops/);
  });

  it("does not ask how many neighbours there are, which grows with the number of sessions", () => {
    expect(SHIPPED_FOREST.features).not.toContain("neighbours");
  });
});

describe("a packed forest", () => {
  it("is the same forest when it is unpacked", () => {
    expect(unpackForest(packForest(shipped, FEATURES, "shops"), FEATURES)).toEqual(shipped);
  });

  it("asks the same features where they have other numbers", () => {
    const others = ["another", ...FEATURES].reverse();
    const moved = unpackForest(packForest(stump("walk", 1), FEATURES, "shops"), others);
    expect(moved?.featureCount).toBe(others.length);
    expect(others[moved!.features[0]!]).toBe("walk");
  });

  it("is none where a feature is missing or its format is another", () => {
    const packed = packForest(stump("walk", 1), FEATURES, "shops");
    expect(
      unpackForest(
        packed,
        FEATURES.filter((name) => name !== "walk"),
      ),
    ).toBeUndefined();
    expect(unpackForest({ ...packed, formatNumber: 2 }, FEATURES)).toBeUndefined();
  });
});

describe("a shop that begins with the forest that ships", () => {
  const learn = (visits: number, forest: Forest) =>
    learnRanker(firstVisits(walks(1200, 1), visits), PRODUCTS, BROWSING, SEED, RANKER_BUDGET, forest);

  it("is served by it with too few steps to learn from, without any, too", () => {
    expect(learn(60, shipped)).toMatchObject({ origin: "shipped", reason: "", forest: shipped });
    expect(learn(5, shipped)).toMatchObject({ origin: "shipped", forest: shipped, judged: undefined });
  });

  it("is served by session neighbours where a shipped forest does much worse on its visits", () => {
    const { forest, reason } = learn(150, stump("close", -5));
    expect(forest).toBeUndefined();
    expect(reason).toBe("no better than session neighbours on the newest sessions");
  });

  it("adds trees of its own to a forest that fits it", () => {
    const { forest, origin } = learn(1200, stump("close", 0.5));
    expect(origin).toBe("shipped_and_own");
    expect(forest && treeCount(forest)).toBeGreaterThan(2);
    expect(forest?.values.slice(0, 3)).toEqual(stump("close", 0.5).values);
  });

  it("is not misled by a forest that does not fit it", () => {
    const misled = learn(1200, stump("close", -3));
    const alone = learnRanker(walks(1200, 1), PRODUCTS, BROWSING, SEED);
    const rankOf = ({ judged }: typeof alone) => judged?.ranker.reciprocalRank ?? 0;
    expect(rankOf(misled)).toBeGreaterThan(rankOf(alone) - 0.03);
  });
});
