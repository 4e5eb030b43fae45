import { describe, expect, it } from "vitest";
import { isAppId } from "../../../src/domain/ids.js";
import { isDecimal } from "../../../src/domain/money.js";
import { webUrl } from "../../../src/domain/product.js";
import { Availability } from "../../../src/gen/aisle/v1/product_pb.js";
import { DEMO_APP_ID, DEMO_APP_NAME, demoProducts } from "../../../src/server/demo/catalogue.js";

const BASE = "https://shop.example";
const products = demoProducts({ baseUrl: BASE });

describe("the demo shop's products", () => {
  it("are at least 160 in at least 9 categories of at least 10 products each", () => {
    const perCategory = new Map<string, number>();
    for (const { categories = [] } of products) {
      const deepest = categories.at(-1)?.categoryId ?? "";
      perCategory.set(deepest, (perCategory.get(deepest) ?? 0) + 1);
    }
    expect(products.length).toBeGreaterThanOrEqual(160);
    expect(perCategory.size).toBeGreaterThanOrEqual(9);
    expect(Math.min(...perCategory.values())).toBeGreaterThanOrEqual(10);
  });

  it("have a department and a category, and no id names two of them", () => {
    const names = new Map<string, string>();
    for (const { categories = [] } of products) {
      expect(categories).toHaveLength(2);
      for (const { categoryId = "", name = "" } of categories) {
        expect(name).not.toBe("");
        expect(names.get(categoryId) ?? name).toBe(name);
        names.set(categoryId, name);
      }
    }
    expect(new Set(names.values()).size).toBe(names.size);
  });

  it.each(["productId", "sku", "title", "description", "url", "imageUrl"] as const)(
    "differ from each other in %s",
    (field) => {
      expect(new Set(products.map((product) => product[field])).size).toBe(products.length);
    },
  );

  it("are described in one to three sentences", () => {
    for (const { productId, description = "" } of products) {
      const sentences = description.match(/[.!?](?=\s+[A-Z0-9]|$)/g) ?? [];
      expect(description.length, productId).toBeGreaterThanOrEqual(60);
      expect(sentences.length, productId).toBeGreaterThanOrEqual(1);
      expect(sentences.length, productId).toBeLessThanOrEqual(3);
    }
  });

  it("have a brand, tags and a price in euro above zero", () => {
    for (const { productId, brand, tags = [], price } of products) {
      expect(brand, productId).not.toBe("");
      expect(tags.length, productId).toBeGreaterThanOrEqual(1);
      expect(isDecimal(price?.amount ?? ""), productId).toBe(true);
      expect(Number(price?.amount), productId).toBeGreaterThan(0);
      expect(price?.currency).toBe("EUR");
    }
  });

  it("have their page and picture below the base URL, with or without a slash at its end", () => {
    for (const { productId, url = "", imageUrl = "" } of products) {
      expect(url).toBe(`${BASE}/demo/p/${productId}`);
      expect(imageUrl).toBe(`${BASE}/demo/img/${productId}.svg`);
      expect(webUrl(url)).toBe(url);
    }
    expect(demoProducts({ baseUrl: `${BASE}/` })).toEqual(products);
  });

  it("are out of stock in a few cases only", () => {
    const out = products.filter(({ availability }) => availability === Availability.OUT_OF_STOCK);
    expect(out.length).toBeGreaterThanOrEqual(3);
    expect(out.length).toBeLessThan(products.length / 10);
  });

  it("come in two variants in a few cases, within one category", () => {
    const groups = new Map<string, typeof products>();
    for (const product of products) {
      const { variantGroupId = "" } = product;
      if (variantGroupId !== "") groups.set(variantGroupId, [...(groups.get(variantGroupId) ?? []), product]);
    }
    expect(groups.size).toBeGreaterThanOrEqual(5);
    for (const [group, variants] of groups) {
      expect(variants.length, group).toBeGreaterThanOrEqual(2);
      expect(new Set(variants.map(({ categories }) => categories?.at(-1)?.categoryId)).size, group).toBe(1);
    }
  });

  it("belong to an app with a valid id and a name", () => {
    expect(isAppId(DEMO_APP_ID)).toBe(true);
    expect(DEMO_APP_NAME).not.toBe("");
  });
});
