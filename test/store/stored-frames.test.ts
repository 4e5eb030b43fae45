import { describe, expect, it } from "vitest";
import { DataDamaged } from "../../src/domain/errors.js";
import { NO_EXPOSURE } from "../../src/domain/frame-exposure.js";
import { codecOf } from "../../src/store/lmdb/codec.js";
import { frameExposure, frame as frameKind } from "../../src/store/schema/frames.js";
import { exposure, frame, fullFrame, variant } from "../contract/samples.js";

// The last cell of a stored record is its checksum.
const CHECKSUM = 4_294_967_295;
const frameCodec = codecOf(frameKind);
const exposureCodec = codecOf(frameExposure);

describe("stored frames", () => {
  const full = fullFrame("f1");

  it("are decoded by the embedded store as they were written, and damaged ones are rejected", () => {
    const cells = [...frameCodec.toCells(full), CHECKSUM];
    expect(frameCodec.fromCells(cells, "")).toEqual(full);
    expect(() => frameCodec.fromCells([...cells.slice(0, 7), "0.35", CHECKSUM], "")).toThrow(DataDamaged);
    expect(() => frameCodec.fromCells([...cells.slice(0, 8), ["moon"], CHECKSUM], "")).toThrow(DataDamaged);
  });

  it("are decoded by the MongoDB store as they were written, and damaged ones are rejected", () => {
    expect(frameKind.fromDocument(frameKind.toDocument(full))).toEqual(full);
    const stored = Object.assign({}, frameKind.toDocument(full), { pageKind: "moon" });
    expect(() => frameKind.fromDocument(stored)).toThrow(DataDamaged);
  });
});

describe("frames stored by earlier versions", () => {
  const before = { title: "T", recommendedCount: 3, alternativeCount: 4, includeViewed: true, updatedAt: 7 };
  const cells = ["f1", "T", 3, 4, true, false, 7];

  it("are read by the embedded store, without diversity and rules", () => {
    expect(frameCodec.fromCells([...cells, CHECKSUM], "")).toEqual(frame("f1", before));
    expect(frameCodec.fromCells([...cells, 0.35, CHECKSUM], "")).toEqual(frame("f1", { ...before, diversity: 0.35 }));
  });

  it("have variants that change neither filter nor pins, and leave stock to the request", () => {
    const variants = [variant("a", 1), variant("b", 2, { rotation: false })];
    const kept = frame("f1", { ...before, variants, inStockOnly: false });
    const rules = frameCodec.toCells(kept).slice(8);
    const asRow = (one: unknown) => (Array.isArray(one) ? one.slice(0, 10) : one);
    const earlier = rules.slice(0, 11).map((one, i) => (i === 8 && Array.isArray(one) ? one.map(asRow) : one));
    expect(frameCodec.fromCells([...cells, 0, ...earlier, CHECKSUM], "")).toEqual(kept);
    const { stockSaid: _, ...document } = Object.assign({}, kept);
    const asStored = variants.map(({ filter: _, pinnedProductIds: __, ...row }) => row);
    expect(frameKind.fromDocument({ ...document, variants: asStored })).toEqual(kept);
  });

  it("have exposures whose orders carry only a time", () => {
    const rows = [["f1", "a", 1, 2, ["p1"], 2, 3, ["o1"]]];
    const met = { frameId: "f1", variant: "a", firstAt: 1, lastAt: 2, shown: ["p1"], usedAt: [2] };
    const earlier = {
      ...NO_EXPOSURE,
      frames: [{ ...met, recommendationIds: [], explored: [], experimentAt: 0, seenAt: [] }],
      counted: null,
    };
    expect(exposureCodec.fromCells([rows, CHECKSUM], "")).toEqual(earlier);
    const { usedAt: _, ...document } = { ...met, clickedAt: 2, orderedAt: 3, orderIds: ["o1"] };
    expect(frameExposure.fromDocument({ frames: [document] })).toEqual(earlier);
  });

  it("have exposures whose clicks and orders become acts and orders, which the tallies hold already", () => {
    const clicks = ["r1 p1", "r1 p2"];
    const orders = [["o1", "EUR", 5, true]];
    const rows = [["f1", "", 1, 20, ["p1", "p2"], 2, 9, null, 8, ["r1"], clicks, orders, []]];
    const ids = { receivedAt: 0, isView: true, orderId: "", recommendationIds: ["r1"] };
    const found = exposureCodec.fromCells([rows, [], CHECKSUM], "");
    expect(found).toEqual({
      ...NO_EXPOSURE,
      frames: [expect.objectContaining({ frameId: "f1", recommendationIds: ["r1"], usedAt: [] })],
      acts: [
        { ...ids, at: 2, receivedAt: 2, productIds: ["p1"] },
        { ...ids, at: 8, receivedAt: 8, productIds: ["p2"] },
      ],
      orders: [{ orderId: "o1", at: 9, receivedAt: 0, currency: "EUR", amount: 5 }],
      counted: null,
    });
    const met = { frameId: "f1", variant: "", firstAt: 1, lastAt: 20, shown: ["p1", "p2"], recommendationIds: ["r1"] };
    const order = { orderId: "o1", currency: "EUR", amount: 5, isAfterClick: true };
    const results = { clickedAt: 2, orderedAt: 9, lastClickedAt: 8, clicks, orders: [order] };
    expect(frameExposure.fromDocument({ frames: [{ ...met, ...results }], shownLists: [] })).toEqual(found);
    expect(exposureCodec.fromCells([...exposureCodec.toCells(exposure()), CHECKSUM], "")).toEqual(exposure());
    expect(frameExposure.fromDocument(frameExposure.toDocument(exposure()))).toEqual(exposure());
  });

  it("are read by the MongoDB store", () => {
    const document = { frameId: "f1", includeBought: false, ...before };
    expect(frameKind.fromDocument(document)).toEqual(frame("f1", before));
    expect(frameKind.fromDocument({ ...document, diversity: 0.35 })).toEqual(
      frame("f1", { ...before, diversity: 0.35 }),
    );
  });
});
