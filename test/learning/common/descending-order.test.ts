import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDescendingOrder } from "../../../src/learning/common/descending-order.js";

const scored = fc.uniqueArray(
  fc.record({
    id: fc.nat(1000),
    score: fc.oneof(fc.constantFrom(0, -0, 1, 0.5), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  }),
  { selector: ({ id }) => id, maxLength: 600 },
);

describe("descending order", () => {
  it("is that of a sort by falling score and rising id", () => {
    const falling = createDescendingOrder();
    fc.assert(
      fc.property(scored, (all) => {
        const scores = Float64Array.from(all, ({ score }) => score);
        const ids = Uint32Array.from(all, ({ id }) => id);
        const order = falling.of(scores, ids, all.length);
        const expected = [...all.keys()].sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
        expect([...order]).toEqual(expected);
      }),
    );
  });

  it("sorts only the first places", () => {
    const order = createDescendingOrder().of(Float64Array.of(1, 2, 9), Uint32Array.of(0, 1, 2), 2);
    expect([...order]).toEqual([1, 0]);
  });
});
