import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ProductSchema } from "../../../src/gen/aisle/v1/product_pb.js";
import { searchProducts } from "../../../web/console/product-search.js";

/** Products `tent-0` … in pages of three, each named by the place it begins at. */
function catalogue(count: number) {
  const products = Array.from({ length: count }, (_, index) =>
    create(ProductSchema, { productId: `tent-${index}`, title: index % 2 === 0 ? "Red tent" : "Blue tent" }),
  );
  const asked: string[] = [];
  const read = async (pageToken: string) => {
    asked.push(pageToken);
    const from = Number(pageToken);
    return {
      products: products.slice(from, from + 3),
      nextPageToken: from + 3 < count ? String(from + 3) : "",
    };
  };
  return { read, asked };
}

const ids = (products: readonly { productId: string }[]) => products.map(({ productId }) => productId);

describe("the product search", () => {
  it("finds products that contain every word, ignoring case", async () => {
    const { read } = catalogue(6);
    expect(ids((await searchProducts(read, "TENT red", 60)).products)).toEqual(["tent-0", "tent-2", "tent-4"]);
    expect(ids((await searchProducts(read, "blue-1", 60)).products)).toEqual([]);
  });

  it("stops reading when there are enough, and continues from there without duplicates", async () => {
    const { read, asked } = catalogue(9);
    const first = await searchProducts(read, "red", 2);
    expect(first).toMatchObject({ looked: 3, nextPageToken: "3" });
    expect(asked).toEqual([""]);
    const all = await searchProducts(read, "red", 60, first);
    expect(ids(all.products)).toEqual(["tent-0", "tent-2", "tent-4", "tent-6", "tent-8"]);
    expect(all).toMatchObject({ looked: 9, nextPageToken: "" });
  });
});
