import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterPrefix,
  appKey,
  type KeyRange,
  keyOf,
  after as keysAfter, // vitest has a hook of that name, which linters take it for
  keysOf,
  keysOwnedBy,
  ownedKey,
  TIME_LENGTH,
  timedKey,
  timeOf,
  timeText,
  unpart,
} from "../../src/store/keys.js";
import { byCodePoints } from "../contract/open-store.js";

/** Any text at all, control characters included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("\0", "\x01", "\x02", "a"), maxLength: 6 }),
);
const anyTime = fc.maxSafeInteger();

describe("record keys", () => {
  it("are different for different records", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (app, id, otherApp, otherId) => {
        const same = app === otherApp && id === otherId;
        expect(keyOf(app, id) === keyOf(otherApp, otherId)).toBe(same);
      }),
    );
  });

  it("of one app or owner are in the range of its prefix, those of others are not", () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        anyText,
        anyText,
        anyText,
        anyText,
        (app, owner, id, otherApp, otherOwner, otherId) => {
          const within = (prefix: string, key: string) =>
            byCodePoints(prefix, key) <= 0 && byCodePoints(key, afterPrefix(prefix)) < 0;
          expect(within(keyOf(app, ""), keyOf(app, id))).toBe(true);
          expect(within(keyOf(app, ""), ownedKey(app, owner, id))).toBe(true);
          expect(within(ownedKey(app, owner, ""), ownedKey(app, owner, id))).toBe(true);
          expect(within(keyOf(app, ""), keyOf(otherApp, otherId))).toBe(app === otherApp);
          const others = ownedKey(app, otherOwner, otherId);
          expect(within(ownedKey(app, owner, ""), others)).toBe(owner === otherOwner);
        },
      ),
    );
  });

  it("keep the order of their ids", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (app, a, b) => {
        expect(Math.sign(byCodePoints(keyOf(app, a), keyOf(app, b)))).toBe(Math.sign(byCodePoints(a, b)));
      }),
    );
  });

  it("return the parts they were made from", () => {
    fc.assert(
      fc.property(anyText, anyText, anyTime, anyText, (app, owner, at, id) => {
        const key = timedKey(app, owner, at, id);
        const [first = "", second = ""] = key.split("\0");
        expect([unpart(first), unpart(second)]).toEqual([app, owner]);
        const start = first.length + second.length + 2;
        expect(timeOf(key, start)).toBe(at);
        expect(unpart(key.slice(start + TIME_LENGTH))).toBe(id);
      }),
    );
  });

  it("keep the order of times", () => {
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        expect(Math.sign(byCodePoints(timeText(a), timeText(b)))).toBe(Math.sign(a - b));
      }),
    );
    expect(timeOf(timeText(Number.MIN_SAFE_INTEGER), 0)).toBe(Number.MIN_SAFE_INTEGER);
    expect(timeOf(timeText(0), 0)).toBe(0);
    expect(() => timeText(0.5)).toThrow(RangeError);
    expect(() => timeText(Number.NaN)).toThrow(RangeError);
  });

  it("have no key between one and its successor", () => {
    const next = keysAfter(keyOf("a", "b"));
    expect(byCodePoints(keyOf("a", "b"), next)).toBe(-1);
    expect(byCodePoints(next, keyOf("a", "b\x01"))).toBe(-1);
    expect(byCodePoints(appKey("a"), appKey("a-b"))).toBe(-1);
  });

  it("are found from an id on, up to the end of their app or owner", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (app, owner, from, id) => {
        const within = ({ start, end }: KeyRange, key: string) =>
          byCodePoints(start, key) <= 0 && byCodePoints(key, end) < 0;
        const isLater = from === "" || byCodePoints(from, id) < 0;
        expect(within(keysOf(app, from), keyOf(app, id))).toBe(isLater);
        expect(within(keysOwnedBy(app, owner, from), ownedKey(app, owner, id))).toBe(isLater);
      }),
    );
  });
});
