// Files of the client packages.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure, filesBelow, root } from "../lib.mjs";

/** Generated source in a language with `//` comments. */
export const packageFile = (text) => `// Generated from the contract of Aisle.\n${text}`;

/** Copies the hand-written part of a package, with its version in its metadata and a whole program in its README. */
export function copyPackage(language, folder, version) {
  const from = join(root, "clients", language);
  for (const file of filesBelow(from)) {
    const to = join(folder, file);
    mkdirSync(dirname(to), { recursive: true });
    const change = CHANGES[file];
    if (change) writeFileSync(to, change(readFileSync(join(from, file), "utf8"), { language, version }));
    else cpSync(join(from, file), to);
  }
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

const VERSION = /(?:"version": "|^version = "|<version>)0\.0\.0/m;
const withVersion = (text, { version }) => text.replace(VERSION, (found) => found.replace("0.0.0", version));
/** As Python writes it (PEP 440): 1.0.0rc1 for 1.0.0-rc.1. */
const withPythonVersion = (text, { language, version }) =>
  withVersion(text, { language, version: version.replace(/-rc\.(\d+)$/, "rc$1") });
const withExample = (text, { language }) => text.replace("<!-- example -->", () => exampleOf(language));

const CHANGES = {
  "README.md": withExample,
  "package.json": withVersion,
  "pyproject.toml": withPythonVersion,
  "pom.xml": withVersion,
  "Cargo.toml": withVersion,
};

/** The program of docs/clients.md, where a test runs it. */
function exampleOf(language) {
  const page = readFileSync(join(root, "docs/clients.md"), "utf8");
  const section = page.split(/^## /m).find((part) => part.toLowerCase().startsWith(`${language}\n`));
  const block = section && /^```\w+\n[\s\S]*?^```$/m.exec(section);
  if (!block) throw new Failure(`docs/clients.md has no program in ${language}`);
  return block[0];
}
