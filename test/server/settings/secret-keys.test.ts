import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSecretKeys } from "../../../src/server/settings/secret-keys.js";
import { temporaryDirectory } from "../../fixtures/server.js";

const KEY = "k3Jd".repeat(11);

describe("the encryption keys of secrets", () => {
  it("are read from a variable, else from a file, and are optional", async () => {
    const file = join(await temporaryDirectory(), "key");
    await writeFile(file, `${KEY}\n`);
    expect(readSecretKeys({})).toEqual({ current: undefined, previous: undefined });
    expect(readSecretKeys({ AISLE_SECRET_KEY: ` ${KEY}1 `, AISLE_SECRET_KEY_FILE: file }).current).toBe(`${KEY}1`);
    expect(readSecretKeys({ AISLE_SECRET_KEY_FILE: file, AISLE_SECRET_KEY_PREVIOUS: `${KEY}2` })).toEqual({
      current: KEY,
      previous: `${KEY}2`,
    });
    expect(readSecretKeys({ AISLE_SECRET_KEY_PREVIOUS_FILE: file }).previous).toBe(KEY);
  });

  it("are rejected with one line that names the variable when short, empty or unreadable", async () => {
    const folder = await temporaryDirectory();
    const empty = join(folder, "empty");
    await writeFile(empty, "\n");
    const lineOf = (env: Record<string, string>) => {
      try {
        readSecretKeys(env);
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
      return "";
    };
    expect(lineOf({ AISLE_SECRET_KEY: "tooshort" })).toMatch(/^AISLE_SECRET_KEY: a key of at least 32 characters/);
    expect(lineOf({ AISLE_SECRET_KEY: "tooshort" })).not.toContain("tooshort");
    expect(lineOf({ AISLE_SECRET_KEY_FILE: empty })).toBe("AISLE_SECRET_KEY_FILE: holds no key");
    expect(lineOf({ AISLE_SECRET_KEY_PREVIOUS_FILE: join(folder, "none") })).toBe(
      "AISLE_SECRET_KEY_PREVIOUS_FILE: cannot be read",
    );
  });
});
