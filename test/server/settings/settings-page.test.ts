import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/program.js";
import { readConfig, SETTINGS } from "../../../src/server/settings/config.js";
import { NOTES, SECRETS } from "./settings-notes.js";

const SOURCE = join(import.meta.dirname, "../../../src/server/settings");

const HEAD = `# Settings

For operators. After this page you can set each thing that \`aisle serve\` lets you set, and you know its default.

A flag wins over its variable. An empty variable counts as absent. A wrong value ends the start with one line and exit code 2.
\`aisle serve --help\` prints the same. A test makes this page from the code that reads the settings.

| setting, variable | default | meaning |
|---|---|---|
`;

const program = await createProgram({
  serve: async () => {},
  migrate: async function* () {},
  doctor: async function* () {},
  backup: async () => {},
  feedSource: () => async () => undefined,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  now: () => 0,
  sleep: async () => {},
  version: "",
});
const options = program.commands.find((command) => command.name() === "serve")?.options ?? [];

interface Row {
  readonly flag: string;
  readonly variable: string;
  readonly byDefault: string;
  readonly meaning: string;
}

/** The help of an option ends with `(VARIABLE)` or `(VARIABLE, else DEFAULT)`. */
const rows: readonly Row[] = options
  .filter(({ negate, hidden }) => !negate && !hidden)
  .map(({ long, description }) => {
    const [, meaning = description, variable = "", byDefault = ""] =
      /^(.*) \((AISLE_\w+)(?:, else ([^)]*))?\)$/.exec(description) ?? [];
    return { flag: `${long}`, variable, byDefault, meaning };
  });

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
const code = (text: string) => (text === "" ? "" : `\`${text}\``);

function line({ flag, variable, byDefault, meaning }: Row): string {
  const shown = /^[\w.:/-]+$/.test(byDefault) ? code(byDefault) : byDefault;
  const note = NOTES[flag];
  const text = `${cell(meaning)}${note === undefined ? "" : `. ${note}`}`;
  const names = [flag, variable].filter(Boolean).map(code).join("<br>");
  return `| ${names} | ${shown} | ${text} |`;
}

describe("docs/settings.md", () => {
  // Made again by `npx vitest run test/server/settings/settings-page.test.ts -u`.
  it("has each setting that the code reads, with its default", async () => {
    const secrets = SECRETS.map(([variable, meaning]) => `| ${code(variable)} | | ${meaning} |`);
    const page = `${HEAD}${[...rows.map(line), ...secrets].join("\n")}\n`;
    await expect(page).toMatchFileSnapshot("../../../docs/settings.md");
  });

  it("states the defaults that the code has", () => {
    const names = new Map(Object.entries(SETTINGS).map(([name, { flag }]) => [flag as string, name]));
    const switches = ["--learned-order"];
    const stated = rows.filter(({ flag, byDefault }) => /^[\w.:/-]+$/.test(byDefault) && !switches.includes(flag));
    expect(stated.length).toBeGreaterThan(15);
    for (const { flag, byDefault } of stated) {
      const given = { [names.get(flag) ?? ""]: byDefault };
      expect([flag, readConfig(given, {})]).toEqual([flag, readConfig({}, {})]);
    }
  });

  it("names each variable that the reader of the settings names, and no other", () => {
    const read = ["config.ts", "secret-keys.ts", "settings.ts"].flatMap((name) =>
      [...readFileSync(join(SOURCE, name), "utf8").matchAll(/AISLE_[A-Z_]+/g)].map(([variable]) => variable),
    );
    // secret-keys.ts adds _FILE to both of its variables.
    const files = ["AISLE_SECRET_KEY_FILE", "AISLE_SECRET_KEY_PREVIOUS_FILE"];
    const listed = [...rows.map(({ variable }) => variable), ...SECRETS.map(([variable]) => variable)].filter(Boolean);
    expect(listed.sort()).toEqual([...new Set([...read, ...files])].sort());
  });

  it("has notes for flags that exist alone", () => {
    const flags = rows.map(({ flag }) => flag);
    expect(Object.keys(NOTES).filter((flag) => !flags.includes(flag))).toEqual([]);
  });
});
