import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { invalid, KEY_HEADER, missing, TEXT } from "../../src/facade/errors.js";

it("docs/errors.md lists every error text of the facade once", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.startsWith("Texts of the REST interface\n")) ?? "";
  const listed = [...section.matchAll(/^\| ([^|]+) \| \d{3}/gm)].map(([, text]) => text?.trim());
  expect(listed.sort()).toEqual(Object.values(TEXT).sort());
});

it.each([missing("trace", "X-Aisle-Id"), invalid("trace", "X-Aisle-Id"), invalid("trace", KEY_HEADER)])(
  "docs/errors.md has the text of a header besides those: $text",
  ({ text }) => {
    expect(readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8")).toContain(`\`${text}\``);
  },
);
