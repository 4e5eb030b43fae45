import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareFrame, type FrameVariant } from "../../src/domain/frame.js";
import { NO_FILTER } from "../../src/domain/product-filter.js";
import { frameOfVariant, splittingKey, variantOf } from "../../src/recommend/frames/variants.js";
import { variant } from "../contract/samples.js";

const visitors = Array.from({ length: 20_000 }, (_, i) => `f:visitor-${i}`);
const split = (variants: readonly FrameVariant[], frameId = "home", appId = "shop") =>
  visitors.map((key) => variantOf(appId, { frameId, variants }, key)?.name);

describe("a visitor's variant", () => {
  it("is the same on every server and for ever", () => {
    const variants = [variant("a", 1), variant("b", 1)];
    expect(split(variants).slice(0, 12).join("")).toBe("bbbaabbaaaab");
  });

  it("follows the shares of the weights, within statistical limits", () => {
    const names = split([variant("a", 1), variant("b", 2), variant("c", 1), variant("none", 0)]);
    const share = (name: string) => names.filter((one) => one === name).length / names.length;
    // Five standard deviations of a share of 20,000 visitors are below 0.018.
    expect(Math.abs(share("a") - 0.25)).toBeLessThan(0.018);
    expect(Math.abs(share("b") - 0.5)).toBeLessThan(0.018);
    expect(share("none")).toBe(0);
  });

  it("changes only for the visitors that a changed weight needs", () => {
    const before = split([variant("a", 1), variant("b", 1)]);
    const after = split([variant("a", 1), variant("b", 3)]);
    const moved = visitors.filter((_, i) => before[i] !== after[i]);
    expect(visitors.some((_, i) => before[i] === "b" && after[i] === "a")).toBe(false);
    expect(Math.abs(moved.length / visitors.length - 0.25)).toBeLessThan(0.018);
  });

  it("does not depend on the order of the variants", () => {
    const variants = [variant("a", 1), variant("b", 2), variant("c", 0.5)];
    expect(split([...variants].reverse())).toEqual(split(variants));
  });

  it("is drawn separately in each frame and each app", () => {
    const variants = [variant("a", 1), variant("b", 1)];
    for (const other of [split(variants, "cart"), split(variants, "home", "shop2")]) {
      const same = split(variants).filter((name, i) => name === other[i]).length / visitors.length;
      expect(Math.abs(same - 0.5)).toBeLessThan(0.018);
    }
  });

  it("does not exist for a visitor without a name, or where there are no variants", () => {
    expect(variantOf("shop", { frameId: "home", variants: [variant("a", 1)] }, undefined)).toBeUndefined();
    expect(variantOf("shop", { frameId: "home", variants: [] }, "f:1")).toBeUndefined();
  });

  it("depends on the fingerprint id, else the client id, else the user id", () => {
    expect(splittingKey({ clientId: "c", fingerprintId: "f", userId: "u" })).toBe("f:f");
    expect(splittingKey({ clientId: "c", fingerprintId: "", userId: "u" })).toBe("c:c");
    expect(splittingKey({ clientId: "", fingerprintId: "", userId: "u" })).toBe("u:u");
    expect(splittingKey({ clientId: "", fingerprintId: "\n", userId: "" })).toBeUndefined();
  });
});

describe("the frame with a variant applied", () => {
  it("has every field of the variant, and the frame's own in the rest", () => {
    const said = {
      recommendedCount: 0,
      alternativeCount: 4,
      diversity: 0,
      sources: [],
      includeViewed: false,
      includeBought: true,
      rotation: false,
      fallback: false,
      filter: { ...NO_FILTER, noGroup: ["sale"] },
      pinnedProductIds: ["p1"],
    };
    const frame = { ...bareFrame("f"), recommendedCount: 9, diversity: 0.5, includeViewed: true };
    expect(frameOfVariant(frame, variant("a", 1, said))).toEqual({ ...frame, ...said });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(said)), (field) => {
        const only = variant("a", 1, { [field]: said[field as keyof typeof said] });
        expect(frameOfVariant(frame, only)).toEqual({ ...frame, [field]: said[field as keyof typeof said] });
      }),
    );
  });
});
