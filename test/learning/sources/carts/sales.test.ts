import { describe, expect, it } from "vitest";
import { rowsFrom } from "../../../../src/learning/common/rows.js";
import { cartSales } from "../../../../src/learning/sources/carts/sales.js";

const DAY = 86_400_000;

describe("the sales of a product", () => {
  // A garden shop: 0 sledge, sold in winter; 1 seeds, sold now; 2 gloves, always; 3 never sold.
  const baskets = rowsFrom([[0, 2], [0, 2], [1, 2], [1]]);
  const at = Float64Array.of(0, 50 * DAY, 95 * DAY, 100 * DAY);
  const sales = cartSales(baskets, at, 4, 100 * DAY);

  it("are the share of orders overall and of the last 90, 30 and 7 days", () => {
    expect([...sales.overall]).toEqual([0.5, 0.5, 0.75, 0]);
    expect([...sales.days90].map((share) => share * 3)).toEqual([1, 2, 2, 0].map((n) => expect.closeTo(n, 5)));
    expect([...sales.days30]).toEqual([0, 1, 0.5, 0]);
    expect([...sales.days7]).toEqual([0, 1, 0.5, 0]);
  });

  it("have days since the first and the last order, -1 for what was never ordered", () => {
    expect([...sales.firstDays]).toEqual([100, 5, 100, -1]);
    expect([...sales.lastDays]).toEqual([50, 0, 5, -1]);
  });

  it("are zeros when nothing was ordered", () => {
    expect([...cartSales(rowsFrom([]), new Float64Array(0), 2, 0).days7]).toEqual([0, 0]);
  });
});
