import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TEXT } from "../../src/facade/errors.js";

it("docs/errors.md lists every error text of the facade once", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith("Texts of the REST interface\n")) ?? "";
  const listed = [...section.matchAll(/^\| ([^|]+) \| \d{3}/gm)].map(([, text]) => text?.trim());
  expect(listed.sort()).toEqual(Object.values(TEXT).sort());
});
