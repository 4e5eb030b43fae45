import { describe, expect, it } from "vitest";
import { demoPicture, demoProducts } from "../../src/demo/demo.js";
import { formFault } from "./xml.js";

const products = demoProducts({ baseUrl: "" }).map(({ productId = "", title = "" }) => ({ productId, title }));

describe("the demo shop's pictures", () => {
  it.each(products)(
    "show $productId in well-formed SVG with its title, and nothing from elsewhere",
    ({ productId, title }) => {
      const svg = demoPicture(productId) ?? "";
      expect(formFault(svg)).toBe("");
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 400 400"/);
      expect(svg).toContain(`>${title.replaceAll("&", "&#38;").replaceAll("'", "&#39;")}</title>`);
      expect(svg).not.toMatch(/NaN|undefined|href|<script|style=/);
    },
  );

  it("are all different, titles left out", () => {
    const drawings = products.map(({ productId }) => demoPicture(productId)?.replace(/<title.*<\/title>/, ""));
    expect(new Set(drawings).size).toBe(products.length);
  });

  it("are the same each time", () => {
    for (const { productId } of products) expect(demoPicture(productId)).toBe(demoPicture(productId));
  });

  it.each(["", "no-such-thing", "__proto__", "constructor"])("do not exist for the unknown id %j", (productId) => {
    expect(demoPicture(productId)).toBeUndefined();
  });
});
