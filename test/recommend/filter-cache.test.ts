import { describe, expect, it } from "vitest";
import { createFilterCache } from "../../src/recommend/products/filter.js";

/** The products found for a key, and the keys that were looked for. */
function open() {
  const cache = createFilterCache();
  const looked: string[] = [];
  const find = (catalog: { readonly revision?: number }, key: string) =>
    cache(catalog, key, () => {
      looked.push(key);
      return new Set([key]);
    });
  return { looked, find };
}

describe("the products of a filter", () => {
  it("are found once for a revision of the catalogue", () => {
    const { looked, find } = open();
    const catalog = { revision: 1 };
    expect(find(catalog, "a")).toBe(find(catalog, "a"));
    catalog.revision = 2;
    expect([...find(catalog, "a").ids]).toEqual(["a"]);
    expect(looked).toEqual(["a", "a"]);
  });

  it("are forgotten for the filter that was not asked for the longest", () => {
    const { looked, find } = open();
    const catalog = { revision: 1 };
    const keys = Array.from({ length: 20 }, (_, n) => `${n}`);
    for (const key of [...keys, "0", "new"]) find(catalog, key);
    expect(looked).toEqual([...keys, "new"]);
    find(catalog, "0");
    expect(looked).toHaveLength(21);
    find(catalog, "1");
    expect(looked).toHaveLength(22);
  });

  it("are found each time where the catalogue has no revision", () => {
    const { looked, find } = open();
    for (let n = 0; n < 2; n++) find({}, "a");
    expect(looked).toEqual(["a", "a"]);
  });
});
