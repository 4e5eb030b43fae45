import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");

/** The rows of the table below a heading, cell by cell. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = page.split(new RegExp(`^#+ ${heading}$`, "m"));
  const [body = ""] = section.split(/^#+ /m);
  return [...body.matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row = ""]) => row.split(" | "));
}

it("the threat model of docs/security.md names an existing test for each threat", () => {
  const rows = rowsBelow("Threats and answers").filter(([threat]) => !threat?.startsWith("---"));
  expect(rows.length).toBeGreaterThan(10);
  let folder = "";
  for (const [threat, , proof = ""] of rows) {
    const named = [...proof.matchAll(/`(test\/[^`]+|[\w-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    expect([threat, named.length > 0]).toEqual([threat, true]);
    for (const path of named) {
      const full = path.includes("/") ? path : join(folder, path);
      folder = join(full, "..");
      expect([full, existsSync(join(root, full))]).toEqual([full, true]);
    }
  }
});

it("the OWASP ASVS table of docs/security.md has every chapter once, with a state", () => {
  const rows = rowsBelow("OWASP ASVS").filter(([chapter]) => chapter?.startsWith("V"));
  expect(rows.map(([chapter = ""]) => chapter.split(" ")[0])).toEqual(
    Array.from({ length: 17 }, (_, n) => `V${n + 1}`),
  );
  for (const [, state] of rows) expect(["met", "partly", "not applicable"]).toContain(state);
});

it("docs/security.md names only existing files", () => {
  const paths = [...page.matchAll(/`((?:src|test|scripts|deploy)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it("SECURITY.md contains no e-mail address", () => {
  expect(readFileSync(join(root, "SECURITY.md"), "utf8")).not.toMatch(/[\w.]+@[\w.]+/);
});
