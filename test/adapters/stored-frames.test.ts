import { describe, expect, it } from "vitest";
import { frameExposureRecord, frameRecord } from "../../src/adapters/embedded/records/frame.js";
import { frameExposureShape, frameShape } from "../../src/adapters/mongo/records/frame.js";
import { DataDamaged } from "../../src/domain/errors.js";
import { exposure, frame, fullFrame, variant } from "../contract/samples.js";

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

  it("have variants that change neither filter nor pins, and leave what is out of stock to requests", () => {
    const variants = [variant("a", 1), variant("b", 2, { rotation: false })];
    const kept = frame("f1", { ...before, variants, inStockOnly: false });
    const rules = frameRecord.toCells(kept)[8];
    if (!Array.isArray(rules)) throw new Error("a frame's rules are a list");
    const earlier = rules.slice(0, 11).map((one, i) => (i === 8 ? one.map((row: unknown[]) => row.slice(0, 10)) : one));
    expect(frameRecord.fromCells([...cells, 0, earlier, CHECKSUM], "")).toEqual(kept);
    const { stockSaid: _, ...document } = Object.assign({}, kept);
    const asStored = variants.map(({ filter: _, pinnedProductIds: __, ...row }) => row);
    expect(frameShape.read({ ...document, variants: asStored })).toEqual(kept);
  });

  it("were met by visitors of whose orders nothing more was kept than when", () => {
    const met = exposure();
    const earlier = { frames: met.frames.map((one) => ({ ...one, orderIds: [] })) };
    const rows = met.frames.map((one) => [...Object.values(one).slice(0, 7)]);
    expect(frameExposureRecord.fromCells([rows, CHECKSUM], "")).toEqual(earlier);
    expect(frameExposureRecord.fromCells([...frameExposureRecord.toCells(met), CHECKSUM], "")).toEqual(met);
    const documents = met.frames.map(({ orderIds: _, ...one }) => one);
    expect(frameExposureShape.read({ frames: documents })).toEqual(earlier);
  });

  it("stand as they did in the MongoDB store", () => {
    const document = { frameId: "f1", includeBought: false, ...before };
    expect(frameShape.read(document)).toEqual(frame("f1", before));
    expect(frameShape.read({ ...document, diversity: 0.35 })).toEqual(frame("f1", { ...before, diversity: 0.35 }));
  });
});
