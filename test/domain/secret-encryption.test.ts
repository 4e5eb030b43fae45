import { describe, expect, it } from "vitest";
import { DataDamaged } from "../../src/domain/errors.js";
import { createSeal, SecretKeyMissing } from "../../src/domain/secret-encryption.js";

const OLD = "0ld".repeat(12);
const NEW = "n3w".repeat(12);
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("an encrypted secret", () => {
  it("is unreadable, differs each time, and opens with its key alone", () => {
    const seal = createSeal(NEW);
    const [one, two] = [seal.seal("shop", SECRET), seal.seal("shop", SECRET)];
    expect(one).toMatch(/^sealed:1:[0-9a-f]{8}:[A-Za-z0-9_-]+$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain(SECRET.slice(6, 20));
    for (const kept of [one, two]) expect(createSeal(NEW).open("shop", kept)).toBe(SECRET);
  });

  it("fails without its key with one line that names the key's setting, and shows no key", () => {
    const kept = createSeal(OLD).seal("shop", SECRET);
    const id = kept.split(":")[2];
    for (const seal of [createSeal(undefined), createSeal(NEW), createSeal(NEW, "another".repeat(9))]) {
      expect(() => seal.open("shop", kept)).toThrow(SecretKeyMissing);
      expect(() => seal.open("shop", kept)).toThrow(
        new RegExp(`^the store's secrets are encrypted with the key ${id}, `),
      );
      expect(() => seal.open("shop", kept)).not.toThrow(/0ld|n3w|\n/);
    }
  });

  it("opens with the previous key, and is marked for encryption with the new one", () => {
    const kept = createSeal(OLD).seal("shop", SECRET);
    const both = createSeal(NEW, OLD);
    expect(both.open("shop", kept)).toBe(SECRET);
    expect(both.isStale(kept)).toBe(true);
    expect(both.isStale(SECRET)).toBe(true);
    expect(both.isStale(both.seal("shop", SECRET))).toBe(false);
    expect(both.isStale("")).toBe(false);
  });

  it("is plain text without a key, and becomes plain text again with only a previous one", () => {
    const none = createSeal(undefined, OLD);
    expect(none.seal("shop", SECRET)).toBe(SECRET);
    expect(none.open("shop", SECRET)).toBe(SECRET);
    expect([none.isStale(SECRET), none.isStale(createSeal(OLD).seal("shop", SECRET))]).toEqual([false, true]);
  });

  it("does not open when it was changed, cut short, or made for another app", () => {
    const seal = createSeal(NEW);
    const kept = seal.seal("shop", SECRET);
    const flipped = kept.slice(0, -5) + (kept.at(-5) === "A" ? "B" : "A") + kept.slice(-4);
    for (const bad of [flipped, kept.slice(0, -6), kept.slice(0, 20), kept.slice(0, kept.lastIndexOf(":") + 1)])
      expect(() => seal.open("shop", bad)).toThrow(DataDamaged);
    expect(() => seal.open("shop2", kept)).toThrow(DataDamaged);
  });
});
