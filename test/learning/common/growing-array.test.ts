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

  it.each([COUNT, 2 ** 17])("drops what is not to be kept, and grows on: %i numbers", (count) => {
    for (const isKept of [(n: number) => n % 3 === 0, () => true, () => false, (n: number) => n >= 2 ** 16]) {
      const growing = new GrowingArray((length) => new Uint32Array(length));
      const numbers = Array.from({ length: count }, (_, n) => n * 7);
      for (const number of numbers) growing.push(number);
      growing.keep(isKept);
      const kept = numbers.filter((_, n) => isKept(n));
      expect(growing.length).toBe(kept.length);
      growing.push(4);
      expect(growing.take().join()).toBe([...kept, 4].join());
    }
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
