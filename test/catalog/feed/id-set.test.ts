import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdSet } from "../../../src/catalog/feed/id-set.js";

describe("createIdSet", () => {
  it("has the ids that were added and no others", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (added, asked) => {
        const set = createIdSet();
        const model = new Set(added);
        for (const id of added) set.add(id);
        expect(set.size).toBe(model.size);
        for (const id of [...added, ...asked]) expect(set.has(id)).toBe(model.has(id));
      }),
    );
  });

  it("grows past its first size", () => {
    const set = createIdSet();
    for (let n = 0; n < 5000; n++) set.add(`p${n}`);
    expect(set.size).toBe(5000);
    expect(Array.from({ length: 10_000 }, (_, n) => set.has(`p${n}`)).filter(Boolean)).toHaveLength(5000);
  });
});
