import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataDamaged } from "../../../src/domain/errors.js";
import type { Section } from "../../../src/learning/common/section.js";
import { type Container, decodeContainer, encodeContainer } from "../../../src/learning/snapshot/container.js";
import { decodeStrings, encodeStrings } from "../../../src/learning/snapshot/snapshot.js";
import { runAtOnce } from "../../../src/learning/snapshot/yielding-steps.js";

const manifest = { formatNumber: 1, cutOff: 5, seed: 7, dataCounts: { products: 2 }, algorithms: [] };

// The header is JSON: names are plain words, and it knows no -0.
const name = fc.stringMatching(/^[a-z][a-z_]*$/);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

const sections = fc.dictionary(
  name,
  fc.record({
    formatNumber: fc.nat(),
    numbers: fc.dictionary(name, number),
    arrays: fc.dictionary(
      name,
      fc.oneof(fc.uint8Array(), fc.uint32Array(), fc.int32Array(), fc.float32Array(), fc.float64Array()),
    ),
  }),
);

describe("the snapshot container", () => {
  it("returns what was put in, also from bytes that do not begin at a multiple of 8", () => {
    fc.assert(
      fc.property(sections, fc.nat(7), (parts, shift) => {
        const container: Container = { manifest, sections: new Map<string, Section>(Object.entries(parts)) };
        const bytes = Buffer.concat(encodeContainer(container));
        const moved = new Uint8Array(bytes.length + shift);
        moved.set(bytes, shift);
        const decoded = decodeContainer([moved.subarray(shift)]);
        expect(decoded.manifest).toEqual(manifest);
        expect(Object.fromEntries(decoded.sections)).toEqual(Object.fromEntries(container.sections));
      }),
    );
  });

  it("is read from pieces of any length, which together are the same bytes", () => {
    fc.assert(
      fc.property(sections, fc.nat(200), (parts, largeBytes) => {
        const container: Container = { manifest, sections: new Map<string, Section>(Object.entries(parts)) };
        const pieces = encodeContainer(container, undefined, largeBytes);
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(encodeContainer(container)));
        expect(Object.fromEntries(decodeContainer(pieces).sections)).toEqual(Object.fromEntries(container.sections));
      }),
    );
  });

  it("keeps a large array in a piece of its own", () => {
    const arrays = { small: new Uint8Array(3), large: new Float32Array(100), other: new Uint8Array(2) };
    const pieces = encodeContainer(
      { manifest, sections: new Map([["a", { formatNumber: 1, numbers: {}, arrays }]]) },
      undefined,
      400,
    );
    expect(pieces.slice(-2).map(({ length }) => length)).toEqual([400, 8]);
  });

  it("has the same bytes for the same contents", () => {
    const make = () =>
      encodeContainer({
        manifest,
        sections: new Map([["a", { formatNumber: 1, numbers: {}, arrays: { x: Float64Array.of(1, 2) } }]]),
      });
    expect(make()).toEqual(make());
  });

  it.each([
    ["nothing", new Uint8Array(0)],
    ["something else", new TextEncoder().encode("PK and so on and on and on")],
  ])("rejects %s", (_name, bytes) => {
    expect(() => decodeContainer([bytes])).toThrow(DataDamaged);
  });

  it("rejects a truncated snapshot", () => {
    const [whole = new Uint8Array()] = encodeContainer({
      manifest,
      sections: new Map([["a", { formatNumber: 1, numbers: {}, arrays: { x: new Float64Array(100) } }]]),
    });
    for (const length of [10, 60, whole.length - 8])
      expect(() => decodeContainer([whole.slice(0, length)])).toThrow(DataDamaged);
  });

  it("rejects a newer format and names it", () => {
    const [bytes = new Uint8Array()] = encodeContainer({ manifest, sections: new Map() });
    bytes[8] = 99;
    expect(() => decodeContainer([bytes])).toThrow("format 99");
  });
});

describe("the texts of a snapshot", () => {
  it("are the same after decoding", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
        expect(runAtOnce(decodeStrings(encodeStrings(texts)))).toEqual(texts);
      }),
    );
  });
});
