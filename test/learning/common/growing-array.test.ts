import { describe, expect, it } from "vitest";
import { GrowingArray } from "../../../src/learning/common/growing-array.js";

const COUNT = 3 * 2 ** 16 + 5;

describe("an array that grows", () => {
  it("gives all numbers in their order, over several pieces", () => {
    const growing = new GrowingArray((length) => new Uint32Array(length));
    for (let n = 0; n < COUNT; n++) growing.push(n * 7);
    expect(growing.length).toBe(COUNT);
    expect(growing.take()).toEqual(Uint32Array.from({ length: COUNT }, (_, n) => n * 7));
  });

  it("gives as many as a piece holds", () => {
    const growing = new GrowingArray((length) => new Float64Array(length));
    for (let n = 0; n < 2 ** 16; n++) growing.push(n / 3);
    expect(growing.take()).toEqual(Float64Array.from({ length: 2 ** 16 }, (_, n) => n / 3));
  });

  it("is empty once it was taken", () => {
    const growing = new GrowingArray((length) => new Uint8Array(length));
    for (let n = 0; n < COUNT; n++) growing.push(1);
    growing.take();
    expect(growing.length).toBe(0);
    growing.push(4);
    expect([...growing.take()]).toEqual([4]);
  });
});
