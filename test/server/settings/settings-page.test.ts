import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTINGS } from "../../../src/server/settings/config.js";

const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8");
const firstCells = [...page.matchAll(/^\|([^|]*)\|([^|]*)\|/gm)].map(([, flags = "", variables = ""]) => ({
  flags: [...flags.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag.replace("--no-", "--")),
  variables: [...variables.matchAll(/AISLE_[A-Z_]+/g)].map(([variable]) => variable),
}));
/** Read by other modules: the keys of secrets, and the server's answer to crashes. */
const NOT_IN_SETTINGS = /^AISLE_SECRET_KEY|^--force$/;
const listed = (names: readonly string[]) => names.filter((name) => !NOT_IN_SETTINGS.test(name)).sort();

describe("docs/settings.md", () => {
  it("has each flag of aisle serve once, and no other", () => {
    const flags = Object.values(SETTINGS).map(({ flag }) => flag);
    expect(listed(firstCells.flatMap((row) => row.flags))).toEqual([...flags].sort());
  });

  it("has each variable of aisle serve once, and no other", () => {
    const variables = Object.values(SETTINGS).map(({ variable }) => variable);
    expect(listed(firstCells.flatMap((row) => row.variables))).toEqual([...variables].sort());
  });
});
