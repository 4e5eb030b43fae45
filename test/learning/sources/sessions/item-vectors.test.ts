import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/learning/common/random.js";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { ITEM_VECTORS, learnItemVectors } from "../../../../src/learning/sources/sessions/item-vectors.js";

/** Two shelves of ten products; a visit stays with one. Product 20 is in no visit. */
function shelves(count: number) {
  const random = createRandom(5);
  return rowsFrom(
    Array.from({ length: count }, (_, visit) =>
      Array.from({ length: 5 }, () => 10 * (visit % 2) + Math.floor(10 * random())),
    ),
  );
}

const PRODUCTS = 21;
const FEW = { ...ITEM_VECTORS, dimensions: 16, leastPasses: 6, mostPasses: 6, drawn: 16, batch: 32 };

const cosine = ({ vectors, dimensions }: ReturnType<typeof learnItemVectors>, a: number, b: number) => {
  let sum = 0;
  for (let d = 0; d < dimensions; d++) sum += vectors[a * dimensions + d]! * vectors[b * dimensions + d]!;
  return sum;
};

describe("vectors of products", () => {
  const learned = learnItemVectors(shelves(400), PRODUCTS, 7, FEW);

  it("have length 1, and are 0 for a product in no visit", () => {
    for (let p = 0; p < 20; p++) expect(cosine(learned, p, p)).toBeCloseTo(1, 5);
    expect(cosine(learned, 20, 20)).toBe(0);
  });

  it("are near for products of the same visits, and far for others", () => {
    const means = [true, false].map((isSame) => {
      const pairs = Array.from({ length: 400 }, (_, i) => [i % 20, Math.floor(i / 20)] as const);
      const its = pairs.filter(([a, b]) => a !== b && (Math.floor(a / 10) === Math.floor(b / 10)) === isSame);
      return its.reduce((sum, [a, b]) => sum + cosine(learned, a, b), 0) / its.length;
    });
    expect(means[0]! - means[1]!).toBeGreaterThan(0.5);
  });

  it("are the same for the same seed, and others for another", () => {
    expect(learnItemVectors(shelves(400), PRODUCTS, 7, FEW)).toEqual(learned);
    expect(learnItemVectors(shelves(400), PRODUCTS, 8, FEW).vectors).not.toEqual(learned.vectors);
  });

  it("are those of the newest visits, where there are many", () => {
    const sessions = shelves(400);
    const { offsets, items } = sessions;
    const newest = {
      offsets: offsets.slice(300).map((offset) => offset - offsets[300]!),
      items: items.slice(offsets[300]),
    };
    expect(learnItemVectors(sessions, PRODUCTS, 7, { ...FEW, newest: 500 })).toEqual(
      learnItemVectors(newest, PRODUCTS, 7, FEW),
    );
  });

  it("of visits too few for one batch have length 1, too", () => {
    const few = learnItemVectors(shelves(2), PRODUCTS, 7, FEW);
    expect(cosine(few, 0, 0) + cosine(few, 10, 10)).toBeGreaterThan(0.9);
  });
});
