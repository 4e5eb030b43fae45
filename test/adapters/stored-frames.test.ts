import { describe, expect, it } from "vitest";
import { frameRecord } from "../../src/adapters/embedded/records/frame.js";
import { frameShape } from "../../src/adapters/mongo/records/frame.js";
import { DataDamaged } from "../../src/domain/errors.js";
import { frame, fullFrame } from "../contract/samples.js";

// The last cell of a stored record is its checksum.
const CHECKSUM = 4_294_967_295;

describe("stored frames", () => {
  const full = fullFrame("f1");

  it("are read by the embedded store as they were written, and damaged ones are not", () => {
    const cells = [...frameRecord.toCells(full), CHECKSUM];
    expect(frameRecord.fromCells(cells, "")).toEqual(full);
    expect(() => frameRecord.fromCells([...cells.slice(0, 7), "0.35", CHECKSUM], "")).toThrow(DataDamaged);
    expect(() => frameRecord.fromCells([...cells.slice(0, 8), ["moon"], CHECKSUM], "")).toThrow(DataDamaged);
  });

  it("are read by the MongoDB store as they were written, and damaged ones are not", () => {
    expect(frameShape.read(frameShape.write(full))).toEqual(full);
    const stored = Object.assign({}, frameShape.write(full), { pageKind: "moon" });
    expect(() => frameShape.read(stored)).toThrow(DataDamaged);
  });
});

describe("frames that were stored by earlier versions", () => {
  const before = { title: "T", recommendedCount: 3, alternativeCount: 4, includeViewed: true, updatedAt: 7 };
  const cells = ["f1", "T", 3, 4, true, false, 7];

  it("stand as they did in the embedded store, without a diversity and without rules", () => {
    expect(frameRecord.fromCells([...cells, CHECKSUM], "")).toEqual(frame("f1", before));
    expect(frameRecord.fromCells([...cells, 0.35, CHECKSUM], "")).toEqual(frame("f1", { ...before, diversity: 0.35 }));
  });

  it("stand as they did in the MongoDB store", () => {
    const document = { frameId: "f1", includeBought: false, ...before };
    expect(frameShape.read(document)).toEqual(frame("f1", before));
    expect(frameShape.read({ ...document, diversity: 0.35 })).toEqual(frame("f1", { ...before, diversity: 0.35 }));
  });
});
