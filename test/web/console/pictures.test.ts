import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ProductOrigin, ProductSchema } from "../../../src/gen/aisle/v1/product_pb.js";
import { isOnOneOf, pictureHosts } from "../../../web/console/pictures.js";

const product = (origin: ProductOrigin, imageUrl: string) => create(ProductSchema, { origin, imageUrl });

it("the console trusts the picture hosts of the shop's own products, not those learned from events", () => {
  const hosts = pictureHosts([
    product(ProductOrigin.CATALOG, "https://cdn.shop.example/a.jpg"),
    product(ProductOrigin.CATALOG, "http://127.0.0.1:8080/b.svg"),
    product(ProductOrigin.CATALOG, ""),
    product(ProductOrigin.EVENT, "https://tracker.example/c.gif"),
    product(ProductOrigin.UNSPECIFIED, "https://other.example/d.gif"),
  ]);
  expect([...hosts]).toEqual(["cdn.shop.example", "127.0.0.1:8080"]);
});

it.each([
  ["https://cdn.shop.example/x.jpg", true],
  ["https://CDN.shop.example/x.jpg", true],
  ["https://cdn.shop.example:444/x.jpg", false],
  ["https://cdn.shop.example@tracker.example/x.jpg", false],
  ["https://tracker.example/cdn.shop.example", false],
  ["https://evil.cdn.shop.example/x.jpg", false],
  ["//tracker.example/x.jpg", false],
  ["data:image/svg+xml,<svg/>", false],
  ["javascript:alert(1)", false],
  ["", false],
])("the console takes a picture at %s as on a host of the shop: %s", (url, isShown) => {
  expect(isOnOneOf(new Set(["cdn.shop.example"]), url)).toBe(isShown);
});
