// npm run clients [-- LANGUAGE…] [--out DIR] [--go-module PATH]: client packages for TypeScript, Go, Python, Java and Rust, made
// from proto/. Writes one folder for each language and service-config.json into DIR, build/clients by default.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readContract, retry, serviceConfig } from "./clients/contract.mjs";
import { copyPackage } from "./clients/files.mjs";
import { buildGo } from "./clients/go.mjs";
import { buildJava } from "./clients/java.mjs";
import { buildPython } from "./clients/python.mjs";
import { buildRust } from "./clients/rust.mjs";
import { buildTypeScript } from "./clients/typescript.mjs";
import { Failure, root, say, script } from "./lib.mjs";
import { setUp } from "./setup.mjs";

/** How each package is made, and what must be on the PATH for it. */
const LANGUAGES = {
  typescript: { build: buildTypeScript },
  go: { build: buildGo, tool: "go" },
  python: { build: buildPython, tool: "python3" },
  java: { build: buildJava },
  rust: { build: buildRust },
};

await script(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: "string" }, "go-module": { type: "string" } },
  });
  const unknown = positionals.find((language) => !Object.hasOwn(LANGUAGES, language));
  if (unknown) throw new Failure(`${unknown}: the languages are ${Object.keys(LANGUAGES).join(", ")}`);
  await setUp("tools");
  const out = resolve(values.out ?? join(root, "build/clients"));
  const contract = { ...(await readContract()), retry, goModule: values["go-module"] };
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const config = `${JSON.stringify(serviceConfig(contract), null, 2)}\n`;
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "service-config.json"), config);
  for (const language of positionals.length > 0 ? positionals : Object.keys(LANGUAGES)) {
    const { build, tool } = LANGUAGES[language];
    if (tool && !isOnPath(tool)) {
      if (positionals.length > 0) throw new Failure(`the package for ${language} needs ${tool} on the PATH`);
      say(`no package for ${language}: it needs ${tool} on the PATH`);
      continue;
    }
    const folder = join(out, language);
    say(`building ${folder} …`);
    rmSync(folder, { recursive: true, force: true });
    copyPackage(language, folder, version);
    await build(contract, folder, config);
  }
});

function isOnPath(tool) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, tool)));
}
