import { describe, expect, it } from "vitest";
import { productRecord } from "../../src/adapters/embedded/records/catalog.js";
import { productShape } from "../../src/adapters/mongo/records/catalog.js";
import { bareProduct } from "../fixtures/bare-product.js";

// The last cell of a stored record is its checksum.
const CHECKSUM = 4_294_967_295;

describe("products that were stored before feeds hid any", () => {
  const before = bareProduct("p1", { title: "Lamp", hidden: true, updatedAt: 7 });

  it("stand as they did in the embedded store, hidden by no feed and of unknown age", () => {
    const cells = productRecord.toCells(before).slice(0, 17);
    expect(productRecord.fromCells([...cells, CHECKSUM], "")).toEqual(before);
    const hidden = { ...before, hiddenByFeed: true, addedAt: 5 };
    expect(productRecord.fromCells([...productRecord.toCells(hidden), CHECKSUM], "")).toEqual(hidden);
  });

  it("stand as they did in the MongoDB store", () => {
    const { hiddenByFeed: _, addedAt: __, ...document } = Object.assign({}, before, productShape.write(before));
    expect(productShape.read(document)).toEqual(before);
  });
});
