import { describe, expect, it } from "vitest";
import { hnswIndexes } from "../../../src/adapters/hnsw/vector-indexes.js";
import type { SnapshotBytes } from "../../../src/domain/model.js";
import { rowsFrom } from "../../../src/learning/common/rows.js";
import { decodeContainer, encodeContainer } from "../../../src/learning/snapshot/container.js";
import { loadServingModel } from "../../../src/learning/snapshot/serving-model.js";
import { encodeSnapshot, SNAPSHOT_FORMAT, snapshotSteps } from "../../../src/learning/snapshot/snapshot.js";
import { runAtOnce } from "../../../src/learning/snapshot/yielding-steps.js";
import { type BlendWeights, sourceWeights } from "../../../src/learning/sources/blend-weights.js";
import { associationRules } from "../../../src/learning/sources/rules/association-rules.js";

const manifest = {
  formatNumber: SNAPSHOT_FORMAT,
  cutOff: 1000,
  seed: 1,
  dataCounts: {},
  algorithms: [],
};
const weights = sourceWeights(() => 1);
const blend: BlendWeights = { cart: { one: weights, few: weights, many: weights } };
const rules = associationRules(
  rowsFrom([
    [0, 1],
    [0, 1],
    [1, 2],
  ]),
  3,
);
const none = { cart: undefined, cartRanking: undefined, sessions: undefined, ranker: undefined, semantic: undefined };
const fitted = { productIds: ["a", "b", "c"], popularity: Float32Array.of(3, 2, 1), rules, blend, ...none };

const decodeSnapshot = (bytes: SnapshotBytes) => runAtOnce(snapshotSteps(decodeContainer(bytes), hnswIndexes().open));

/** A snapshot in which one part has another format. */
function withFormat(part: string, formatNumber: number): SnapshotBytes {
  const container = decodeContainer(encodeSnapshot(manifest, fitted));
  const sections = new Map(container.sections);
  sections.set(part, { numbers: {}, arrays: {}, ...sections.get(part), formatNumber });
  return encodeContainer({ ...container, sections });
}

describe("a snapshot of another version", () => {
  it.each([
    ["association_rules", { rules: undefined }],
    ["blend", { blend: undefined }],
  ])("is read without its %s when these have another format, and reports that", (part, missing) => {
    const read = decodeSnapshot(withFormat(part, 99));
    expect(read.unread).toEqual([part]);
    expect(read.fitted).toMatchObject({ productIds: ["a", "b", "c"], ...missing });
  });

  it("is read without its order of carts of the format before", () => {
    const read = decodeSnapshot(withFormat("cart_ranking", 1));
    expect(read.unread).toEqual(["cart_ranking"]);
    expect(read.fitted.cartRanking).toBeUndefined();
  });

  it("serves with its remaining parts, and reports the missing ones", () => {
    const told: string[] = [];
    const model = loadServingModel("m1", withFormat("blend", 0), hnswIndexes(), (parts) => told.push(...parts));
    expect(model.sources.map(({ name }) => name)).toEqual(["association_rules"]);
    expect(told).toEqual(["blend"]);
  });
});

describe("a snapshot of this version", () => {
  it("is read with all its parts", () => {
    const read = decodeSnapshot(encodeSnapshot(manifest, fitted));
    expect(read.unread).toEqual([]);
    expect(read.fitted).toMatchObject({ rules, blend });
  });

  it("is rejected when a part is damaged", () => {
    const container = decodeContainer(encodeSnapshot(manifest, fitted));
    const sections = new Map(container.sections);
    sections.set("association_rules", { ...sections.get("association_rules")!, arrays: {} });
    expect(() => decodeSnapshot(encodeContainer({ ...container, sections }))).toThrow("lack");
  });
});
