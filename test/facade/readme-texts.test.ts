import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TEXT } from "../../src/facade/errors.js";

it("README lists every error text of the facade once", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const section = readme.split(/^## /m).find((part) => part.startsWith("Error texts\n")) ?? "";
  const listed = [...section.matchAll(/^\| ([^|]+) \| \d{3}/gm)].map(([, text]) => text?.trim());
  expect(listed.sort()).toEqual(Object.values(TEXT).sort());
});
