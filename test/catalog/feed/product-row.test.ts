import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createColumnPlan } from "../../../src/catalog/feed/columns.js";
import { PRODUCT_FIELDS, type ProductField, readProduct } from "../../../src/catalog/feed/product-row.js";
import { BadLine } from "../../../src/catalog/feed/rows.js";
import { Availability, ProductSchema } from "../../../src/gen/aisle/v1/product_pb.js";
import { row, rowOf } from "./product-rows.js";

const HEADER = "id,title,description,category,price,image_url,url,sku,brand,availability,colour,size";
const product = (values: Partial<Record<ProductField, unknown>>, extras: [string, unknown][] = []) =>
  readProduct(row<ProductField>({ id: "1", ...values }, extras), "").product;

describe("readProduct", () => {
  const msOf = (time: { seconds: bigint } | undefined) => time && new Date(Number(time.seconds) * 1000).toISOString();

  it.each([
    ["in_stock", "2026-12-01T00:00:00.000Z"],
    ["preorder", undefined],
    ["BackOrder", undefined],
  ])("shows a product with an availability date and the availability %s from %s on", (availability, from) => {
    const read = product({ availability, availability_date: "2026-12-01", expiration_date: "2027-01-01T10:00+0100" });
    expect([msOf(read.displayStartTime), msOf(read.displayEndTime)]).toEqual([from, "2027-01-01T09:00:00.000Z"]);
  });

  it("reads what a product costs the shop, and its pieces in stock", () => {
    const read = product({ price: "10.00 EUR", cost_of_goods: "6,50", stock: "12" });
    expect(read.costOfGoods).toMatchObject({ amount: "6.50", currency: "EUR" });
    expect(read.stock).toBe(12);
    expect(product({ availability: "7" }).stock).toBe(7);
    expect(product({ availability: "in_stock" }).stock).toBeUndefined();
    const odd = readProduct(row<ProductField>({ id: "1", cost_of_goods: "-1", stock: "many" }), "");
    expect([odd.leftOut, odd.product.stock, odd.product.costOfGoods]).toEqual([
      ["cost_of_goods", "stock"],
      undefined,
      undefined,
    ]);
  });

  it("finds Google's names for cost and pieces", () => {
    const named = (column: string) => createColumnPlan(PRODUCT_FIELDS, []).fieldsOf(column);
    expect(named("g:cost_of_goods_sold")).toEqual(["cost_of_goods"]);
    expect(named("quantity")).toEqual(["stock"]);
  });

  it("takes valid_from and valid_until before the dates of feeds, and leaves out what is no time", () => {
    const values = { id: "1", valid_from: "2026-11-01", availability_date: "2026-12-01", valid_until: "soon" };
    const read = readProduct(row<ProductField>(values), "");
    expect(msOf(read.product.displayStartTime)).toBe("2026-11-01T00:00:00.000Z");
    expect(read.leftOut).toEqual(["valid_until"]);
  });

  it("reads every documented column, and other columns as attributes", () => {
    const text = `${HEADER}\n7,Mug,"Blue, big",Home > Kitchen > Mugs,12.50,https://x.example/7.png,http://x.example/7,S7,Acme,in_stock,blue,\n`;
    expect(readProduct(rowOf(text, PRODUCT_FIELDS), "EUR")).toEqual({
      product: create(ProductSchema, {
        productId: "7",
        title: "Mug",
        description: "Blue, big",
        categories: ["Home", "Kitchen", "Mugs"].map((name) => ({ categoryId: name, name })),
        price: { amount: "12.50", currency: "EUR" },
        imageUrl: "https://x.example/7.png",
        url: "http://x.example/7",
        sku: "S7",
        brand: "Acme",
        availability: Availability.IN_STOCK,
        attributes: { colour: "blue" },
      }),
      leftOut: [],
    });
  });

  it.each([
    ["Home/Kitchen", ["Home", "Kitchen"]],
    ["TV/Audio > Radios", ["TV/Audio", "Radios"]],
    [" > Home >> Mugs", ["Home", "Mugs"]],
    [
      ["Men", " Shoes ", ""],
      ["Men", "Shoes"],
    ],
    [["Men/Boys"], ["Men/Boys"]],
    [12, ["12"]],
    [null, []],
    ["", []],
  ])("reads the category %j as %j", (category, path) => {
    expect(product({ category }).categories.map((level) => level.categoryId)).toEqual(path);
  });

  it.each([
    ["in_stock", Availability.IN_STOCK],
    ["In Stock", Availability.IN_STOCK],
    ["InStock", Availability.IN_STOCK],
    ["https://schema.org/InStock", Availability.IN_STOCK],
    ["preorder", Availability.IN_STOCK],
    [true, Availability.IN_STOCK],
    [12, Availability.IN_STOCK],
    ["out of stock", Availability.OUT_OF_STOCK],
    ["http://schema.org/OutOfStock", Availability.OUT_OF_STOCK],
    ["sold-out", Availability.OUT_OF_STOCK],
    [0, Availability.OUT_OF_STOCK],
    [-3, Availability.OUT_OF_STOCK],
    ["no", Availability.OUT_OF_STOCK],
    ["", Availability.UNSPECIFIED],
  ])("reads the availability %j as %i", (availability, expected) => {
    expect(product({ availability }).availability).toBe(expected);
  });

  it("prefers the currency of the column to that of the price, and both to the default", () => {
    const price = { id: "1", price: "5 EUR" };
    expect(readProduct(row({ ...price, currency: "usd" }), "GBP").product.price?.currency).toBe("USD");
    expect(readProduct(row(price), "GBP").product.price?.currency).toBe("EUR");
    expect(readProduct(row({ id: "1", price: 5 }), "GBP").product.price?.currency).toBe("GBP");
    expect(product({ price: "" }).price).toBeUndefined();
  });

  it("drops URLs that are not http(s), with a note", () => {
    const { product: read, leftOut } = readProduct(row({ id: "1", image_url: "a.png", url: "javascript:1" }), "");
    expect([read.imageUrl, read.url]).toEqual(["", ""]);
    expect([...leftOut].sort()).toEqual(["image_url", "url"]);
  });

  it("keeps lists and objects of extra columns as text", () => {
    const extras: [string, unknown][] = [
      ["also_buy", ["2", 3]],
      ["size", { cm: 5 }],
      ["empty", ""],
    ];
    expect({ ...product({}, extras).attributes }).toEqual({ also_buy: "2, 3", size: '{"cm":5}' });
  });

  it("keeps a column named __proto__ as data", () => {
    const read = product({}, [["__proto__", "x"]]);
    expect(Object.keys(read.attributes)).toEqual(["__proto__"]);
    expect(toBinary(ProductSchema, read)).toContain("x".charCodeAt(0));
  });

  it.each<[string, Partial<Record<ProductField, unknown>>]>([
    ["id: missing", { id: " " }],
    ["price: a decimal number is accepted", { price: "on request" }],
    ["availability: in_stock", { availability: "perhaps" }],
    ["title: text is accepted", { title: ["a"] }],
    ["category: text is accepted", { category: [["a"]] }],
  ])("rejects with %s", (reason, values) => {
    expect(() => product(values)).toThrow(BadLine);
    expect(() => product(values)).toThrow(reason);
  });

  it("returns a message or a rejected line for any JSON", () => {
    const values = fc.dictionary(fc.constantFrom(...PRODUCT_FIELDS.fields), fc.jsonValue());
    fc.assert(
      fc.property(values, fc.array(fc.tuple(fc.string(), fc.jsonValue())), (given, extras) => {
        try {
          const { product: read } = readProduct(row<ProductField>(given, extras), "");
          expect(read.productId).not.toBe("");
        } catch (error) {
          if (!(error instanceof BadLine)) throw error;
          expect(error.message).toMatch(/^[a-z_]+: /);
        }
      }),
    );
  });
});
