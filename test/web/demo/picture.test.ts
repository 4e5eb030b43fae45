import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoProducts } from "../../../src/server/demo/catalogue.js";
import { createDemoFiles } from "../../../src/server/demo/files.js";
import { formFault } from "./xml.js";

const products = demoProducts({ baseUrl: "" }).map(({ productId = "" }) => productId);
const demoFile = createDemoFiles();
const pictureOf = (productId: string) => demoFile(`/demo/img/${productId}.svg`);

describe("the demo shop's pictures", () => {
  it.each(products)("show %s in well-formed SVG with a title, and load nothing", (productId) => {
    const { contentType, body = "" } = pictureOf(productId) ?? {};
    const svg = String(body);
    expect(contentType).toBe("image/svg+xml; charset=utf-8");
    expect(formFault(svg)).toBe("");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 400 400"/);
    expect(svg).toMatch(/<title id="t">[^<]+<\/title>/);
    expect(svg).not.toMatch(/NaN|undefined|href|<script|style=/);
  });

  it("are all different, titles left out", () => {
    const drawings = products.map((productId) => String(pictureOf(productId)?.body).replace(/<title.*<\/title>/, ""));
    expect(new Set(drawings).size).toBe(products.length);
  });

  it("are one for each product, and no more", () => {
    const files = readdirSync(join(import.meta.dirname, "../../../web/demo/pictures"));
    expect(files.sort()).toEqual(products.map((productId) => `${productId}.svg`).sort());
  });

  it.each(["", "no-such-thing", "__proto__", "constructor"])("do not exist for the unknown id %j", (productId) => {
    expect(pictureOf(productId)).toBeUndefined();
  });
});
