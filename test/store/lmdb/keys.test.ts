import { describe, expect, it } from "vitest";
import { fits, MAX_KEY_BYTES, timedKey } from "../../../src/store/lmdb/keys.js";

describe("keys of the embedded store", () => {
  it("fit even with three ids of 255 bytes", () => {
    const id = "ä".repeat(127);
    expect(fits(timedKey("a".repeat(64), id, 1, `order:${id}`))).toBe(true);
    expect(fits("x".repeat(MAX_KEY_BYTES))).toBe(true);
    expect(fits("x".repeat(MAX_KEY_BYTES + 1))).toBe(false);
    expect(fits("ä".repeat(MAX_KEY_BYTES / 2 + 1))).toBe(false);
  });
});
