import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createSnapshotBuffers } from "../../src/store/snapshot-buffers.js";

const MIB = 2 ** 20;

describe("a buffer for snapshots", () => {
  it("has the requested length, and is reported to the garbage collector only when many are in use", () => {
    const room = createSnapshotBuffers();
    const parts = Array.from({ length: 4 }, () => room([100 * MIB])).flat();
    expect(parts.map(({ length }) => length)).toEqual(Array(4).fill(100 * MIB));
    expect(parts.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([true, true, true, false]);
  });

  it("is hidden from the collector for all pieces of a large snapshot", () => {
    const parts = createSnapshotBuffers()([200 * MIB, 1, 200 * MIB]);
    expect(parts.map(({ length }) => length)).toEqual([200 * MIB, 1, 200 * MIB]);
    expect(parts.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
  });

  it("is reused when nobody references it any more, and not before", async () => {
    const room = createSnapshotBuffers();
    const kept = room([8 * MIB])[0]?.fill(1);
    room([8 * MIB])[0]?.fill(2);
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    await expect
      .poll(() => {
        collect();
        return room([5 * MIB])[0]?.[0];
      })
      .toBe(2);
    expect(kept?.every((byte) => byte === 1)).toBe(true);
  });

  it("holds what is written to it", () => {
    const [bytes] = createSnapshotBuffers()([3]);
    bytes?.set([1, 2, 3]);
    expect(bytes).toEqual(Buffer.from([1, 2, 3]));
  });
});
