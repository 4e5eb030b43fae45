import { expect, it } from "vitest";
import { narrowingOf } from "../../src/recommend/gather/gather.js";
import { Shelf } from "../../src/recommend/products/catalog.js";
import type { PassingFilter } from "../../src/recommend/products/filter.js";
import { ProductTable } from "../../src/recommend/products/product-table.js";
import { catalogOf, modelOf, shopProduct } from "./frame-shop.js";

it("a filter of too many products to list lets those of the catalogue pass that it lets pass", () => {
  const ids = ["cheap", "dear", "gone"];
  const catalog = catalogOf([shopProduct("cheap"), shopProduct("dear")]);
  const broad: PassingFilter = {
    passes: ({ productId }) => productId !== "dear",
    atMost: 1,
    ids: () => ids,
    few: () => undefined,
  };
  const shelf = new Shelf(catalog, modelOf(ids), new ProductTable(ids, catalog));
  const narrowing = narrowingOf(broad, shelf);
  expect(ids.map((_, index) => narrowing?.passes(index))).toEqual([true, false, false]);
  expect([narrowing?.among, narrowing?.oneOf]).toEqual([undefined, 2]);
});
