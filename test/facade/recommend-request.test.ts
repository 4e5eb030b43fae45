import { toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refused } from "../../src/facade/errors.js";
import { toRecommendRequest } from "../../src/facade/recommend-request.js";
import { RecommendRequestSchema } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { RUNS } from "../fixtures/runs.js";

const NAMES = [
  "appId",
  "productInteractions",
  "recommendFrameInteractions",
  "currentProductIds",
  "currentProductSkus",
  "currentCategoryIds",
  "cId",
  "fpccid",
  "marketingMachineFrameConfigurationId",
  "filterByGroups",
  "externalCookieGaId",
  "version",
];
const interaction = fc.record(
  {
    productInteractionType: fc.oneof(fc.constantFrom("order", "VIEW", "Add_To_Cart", "x"), fc.jsonValue()),
    productId: fc.jsonValue(),
    productSku: fc.jsonValue(),
    utcInteractionDate: fc.oneof(fc.constant("2026-03-01T10:00:00.000Z"), fc.jsonValue()),
    trackerProductGroupId: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const value = fc.oneof(fc.jsonValue(), fc.array(interaction), fc.constantFrom("1|2", "a,b", "shop", ""));
const body = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value),
  fc.record({
    appId: fc.constant("shop"),
    productInteractions: fc.array(interaction),
    cId: value,
    filterByGroups: value,
  }),
);

const base = { appId: "shop", productInteractions: [] };

describe("the parser of /recommend bodies", () => {
  it("returns a valid message or rejects with a text that names a field", () => {
    fc.assert(
      fc.property(body, (json) => {
        try {
          expect(toBinary(RecommendRequestSchema, toRecommendRequest(json)).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(Refused);
          expect(error).toMatchObject({
            status: 400,
            text: expect.stringMatching(/^(Missing required field|Invalid)/),
          });
        }
      }),
      { numRuns: RUNS.many },
    );
  });

  it("never quotes a value", () => {
    const secret = "s3cret-value";
    for (const name of NAMES) {
      const wrong = { ...base, [name]: [{ [secret]: secret }] };
      try {
        toRecommendRequest(wrong);
      } catch (error) {
        expect(String(error)).not.toContain(secret);
      }
    }
  });

  it("keeps at most 100 current product ids", () => {
    const list = Array.from({ length: 150 }, (_, i) => i).join(",");
    expect(toRecommendRequest({ ...base, currentProductIds: list }).currentProductIds).toHaveLength(100);
  });

  it("keeps every interaction at its index, so that a service can name it", () => {
    const interactions = [{ productInteractionType: "order", utcInteractionDate: "2026-03-01T10:00:00Z" }];
    expect(toRecommendRequest({ ...base, productInteractions: interactions }).interactions).toHaveLength(1);
  });

  it('treats "null" and "undefined" as absent ids', () => {
    const { visitor } = toRecommendRequest({ ...base, cId: "null", fpccid: "undefined" });
    expect(visitor).toMatchObject({ clientId: "", fingerprintId: "" });
  });
});
