import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { validate, version } from "uuid";
import { describe, expect, it } from "vitest";
import { createUuids } from "../../src/server/uuids.js";

const AT = Date.UTC(2026, 10, 21);
const timeOf = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

describe("generated UUIDs", () => {
  it("are of version 7 and begin with the millisecond", () => {
    const id = createUuids({ now: () => AT, randomUuid: randomUUID })();
    expect([validate(id), version(id), timeOf(id)]).toEqual([true, 7, AT]);
  });

  it("increase, whatever the clock does", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 100 }), (steps) => {
        let at = AT;
        const newId = createUuids({ now: () => at, randomUuid: randomUUID });
        let before = newId();
        for (const step of steps) {
          at += step;
          const id = newId();
          expect(id > before).toBe(true);
          before = id;
        }
      }),
    );
  });

  it("increase beyond what one millisecond can count, with a time ahead of the clock", () => {
    const newId = createUuids({ now: () => AT, randomUuid: randomUUID });
    const ids = Array.from({ length: 10_000 }, newId);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(timeOf(ids.at(-1) ?? "")).toBe(AT + 2);
  });

  it("end with the random part of the given UUIDv4", () => {
    const random = "01234567-89ab-4cde-8f01-23456789abcd";
    const id = createUuids({ now: () => AT, randomUuid: () => random })();
    expect(id.slice(15)).toBe("66f-8f01-23456789abcd");
  });
});
