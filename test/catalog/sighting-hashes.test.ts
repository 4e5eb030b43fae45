import fc from "fast-check";
import { expect, it } from "vitest";
import { createSightingHashes } from "../../src/catalog/sighting-hashes.js";
import { RUNS } from "../fixtures/runs.js";

it("the hashes of a product and its values do not depend on what was hashed before", () => {
  const used = createSightingHashes();
  for (let n = 0; n < 5000; n++) used.product(`product ${n % 3000}`, [`title ${n}`]);
  const text = fc.stringMatching(/^[1:a]{0,3}$/);
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), (productId, values) => {
      expect(used.product(productId, values)).toEqual(createSightingHashes().product(productId, values));
      expect(used.network(productId)).toBe(createSightingHashes().network(productId));
    }),
    { numRuns: RUNS.many },
  );
});

it("a product's values have different hashes in different fields and for different products", () => {
  const { product } = createSightingHashes();
  const hashes = [...product("p1", ["Tent", "Tent", ""]).values, ...product("p2", ["Tent"]).values];
  expect(hashes[2]).toBe("");
  expect(new Set(hashes).size).toBe(4);
});
