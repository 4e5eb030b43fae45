import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCategories, readCategoryPath } from "../../../src/catalog/feed/category-path.js";

const ids = (path: string) => readCategoryPath(path, "product_type").map(({ categoryId }) => categoryId);

describe("the category path of a feed", () => {
  it("distinguishes categories of one name by their parents", () => {
    expect(ids("Women > Shoes").at(-1)).not.toBe(ids("Men > Shoes").at(-1));
    expect(readCategories("Women > Shoes").at(-1)).toEqual(readCategories("Men > Shoes").at(-1));
  });

  it("gives every level a valid id, the same each time and different for every path", () => {
    const name = fc
      .string({ minLength: 1, maxLength: 120, unit: "grapheme" })
      .filter((text) => !/[>/]/.test(text) && text.trim() !== "");
    const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join(" > "));
    fc.assert(
      fc.property(path, path, (one, other) => {
        for (const id of ids(one)) expect(Buffer.byteLength(id)).toBeLessThanOrEqual(255);
        expect(ids(one)).toEqual(ids(one));
        const trimmed = (text: string) =>
          text
            .split(">")
            .map((part) => part.trim())
            .join(">");
        if (trimmed(one) !== trimmed(other)) expect(ids(one).at(-1)).not.toBe(ids(other).at(-1));
      }),
    );
  });
});
