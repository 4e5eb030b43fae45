import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FRAME_INTERACTION,
  PRODUCT_INTERACTION,
  RECOMMEND_BODY,
  type RecommendField,
} from "../../src/facade/recommend-fields.js";
import { toRecommendRequest, wantsCurrency } from "../../src/facade/recommend-request.js";
import { RUNS } from "../fixtures/runs.js";
import { readContract } from "./contract.js";

const accepts = readContract().schema("RecommendRequest");

const reads = (body: unknown): boolean => {
  try {
    toRecommendRequest(body);
    return true;
  } catch {
    return false;
  }
};

const TIME = "2026-03-01T10:00:00.000Z";
const INTERACTION = { productInteractionType: "order", productId: "a", productSku: "b", utcInteractionDate: TIME };
const USE = { trackerProductGroupId: "f", utcInteractionDate: TIME };
const BODY = { appId: "shop", productInteractions: [INTERACTION], recommendFrameInteractions: [USE] };

/** What is likely to be sent at any place, right or wrong. */
const value = fc.oneof(
  fc.constantFrom<unknown>(null, "", "a|b", "null", " ", true, false, [], [null], {}, [[]], [{}], "shop", "né"),
  fc.constantFrom<unknown>(
    "VIEW",
    " Order ",
    "product_view",
    "view\n",
    "views",
    TIME,
    "2026-03-01",
    "2026-13-01T00:00:00Z",
  ),
  fc.constantFrom<unknown>([INTERACTION], [{ ...INTERACTION, productId: 7 }], [USE], INTERACTION),
  fc.integer(),
  fc.string(),
);
const objectOf = (fields: Readonly<Record<string, RecommendField>>) =>
  fc.dictionary(fc.constantFrom(...Object.keys(fields), "unknown"), value, { maxKeys: 3 });

const body = fc.oneof(
  { weight: 4, arbitrary: objectOf(RECOMMEND_BODY).map((changes) => ({ ...BODY, ...changes })) },
  {
    weight: 4,
    arbitrary: objectOf(PRODUCT_INTERACTION).map((changes) => ({
      ...BODY,
      productInteractions: [{ ...INTERACTION, ...changes }],
    })),
  },
  {
    weight: 2,
    arbitrary: objectOf(FRAME_INTERACTION).map((changes) => ({
      ...BODY,
      recommendFrameInteractions: [{ ...USE, ...changes }],
    })),
  },
  { weight: 2, arbitrary: fc.subarray(Object.keys(BODY)).map((names) => without(BODY, names)) },
  { weight: 1, arbitrary: value },
);

function without(whole: object, names: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)));
}

describe("the schema of a /recommend body", () => {
  it("accepts exactly the bodies that the server accepts", () => {
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(body, (sent) => {
        const read = reads(sent);
        seen[read ? "read" : "refused"]++;
        expect(read).toBe(accepts(sent));
      }),
      { numRuns: RUNS.many },
    );
    // A property that only ever read, or only refused, would show nothing.
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(RUNS.many / 10);
  });

  it("has exactly the fields that the server reads", () => {
    const asked = { body: new Set<string>(), interaction: new Set<string>(), use: new Set<string>() };
    const noting = <T extends object>(target: T, names: Set<string>): T =>
      new Proxy(target, {
        get(from, name, receiver) {
          if (typeof name === "string") names.add(name);
          return Reflect.get(from, name, receiver);
        },
      });
    const sent = noting(
      {
        ...BODY,
        productInteractions: [noting({ ...INTERACTION }, asked.interaction)],
        recommendFrameInteractions: [noting({ ...USE }, asked.use)],
      },
      asked.body,
    );
    toRecommendRequest(sent);
    wantsCurrency(sent);
    expect([...asked.body].sort()).toEqual(Object.keys(RECOMMEND_BODY).sort());
    expect([...asked.interaction].sort()).toEqual(Object.keys(PRODUCT_INTERACTION).sort());
    expect([...asked.use].sort()).toEqual(Object.keys(FRAME_INTERACTION).sort());
  });
});
