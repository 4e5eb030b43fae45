import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNewArrivals } from "../../src/recommend/gather/new-arrivals.js";
import { Shelf } from "../../src/recommend/products/catalog.js";
import { RUNS } from "../fixtures/runs.js";
import { catalogOf, shopProduct } from "./frame-shop.js";

const DAY = 86_400_000;
const MOST = 2000;

describe("new arrivals", () => {
  it("are the 2,000 newest of a large catalogue, in whichever order it names them", () => {
    const times = fc.array(fc.nat(30), { minLength: 4100, maxLength: 4500 });
    fc.assert(
      fc.property(times, (daysAgo) => {
        const now = 1000 * DAY;
        const products = daysAgo.map((ago, n) => shopProduct(`p${n}`, { addedAt: now - ago * DAY }));
        const { products: found } = createNewArrivals()(new Shelf(catalogOf(products), undefined, undefined), 365, now);
        const wanted = [...products].sort((a, b) => b.addedAt - a.addedAt || (a.productId < b.productId ? -1 : 1));
        expect([...found].sort()).toEqual(
          wanted
            .slice(0, MOST)
            .map(({ productId }) => productId)
            .sort(),
        );
      }),
      { numRuns: RUNS.few },
    );
  });
});
