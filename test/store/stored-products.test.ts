import { describe, expect, it } from "vitest";
import { codecOf } from "../../src/store/lmdb/codec.js";
import { product } from "../../src/store/schema/catalog.js";
import { bareProduct } from "../fixtures/bare-product.js";

// The last cell of a stored record is its checksum.
const CHECKSUM = 4_294_967_295;
const productCodec = codecOf(product);

describe("products stored before feeds could hide them", () => {
  const before = bareProduct("p1", { title: "Lamp", hidden: true, updatedAt: 7 });

  it("are read by the embedded store as hidden by no feed and of unknown age", () => {
    const cells = productCodec.toCells(before).slice(0, 17);
    expect(productCodec.fromCells([...cells, CHECKSUM], "")).toEqual(before);
    const hidden = { ...before, hiddenByFeed: true, addedAt: 5 };
    expect(productCodec.fromCells([...productCodec.toCells(hidden), CHECKSUM], "")).toEqual(hidden);
  });

  it("are read by the MongoDB store", () => {
    const {
      hiddenByFeed: _,
      addedAt: __,
      validFrom: ___,
      validUntil: ____,
      ...document
    } = Object.assign({}, before, product.toDocument(before));
    expect(product.fromDocument(document)).toEqual(before);
  });
});
