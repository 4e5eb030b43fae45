import { describe, expect, it } from "vitest";
import { frameRecord } from "../../src/adapters/embedded/records/app.js";
import { frameShape } from "../../src/adapters/mongo/records/app.js";
import { DataDamaged } from "../../src/domain/errors.js";
import { frame } from "../contract/samples.js";

describe("frames that were stored before they had a diversity", () => {
  const full = frame("f1", { diversity: 0.35 });

  it("are read with 0 by the embedded store, and damaged ones are not", () => {
    // The last cell of a stored record is its checksum.
    const cells = [...frameRecord.toCells(full), 4_294_967_295];
    expect(frameRecord.fromCells(cells, "")).toEqual(full);
    expect(frameRecord.fromCells([...cells.slice(0, 7), 7], "")).toEqual({ ...full, diversity: 0 });
    expect(() => frameRecord.fromCells([...cells.slice(0, 7), "0.35", 7], "")).toThrow(DataDamaged);
  });

  it("are read with 0 by the MongoDB store", () => {
    const { diversity, ...before } = full;
    expect(frameShape.read(frameShape.write(full))).toEqual({ ...before, diversity });
    expect(frameShape.read(before)).toEqual({ ...before, diversity: 0 });
  });
});
