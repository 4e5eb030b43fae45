import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../fixtures/certificate.js";
import {
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/clients.md"), "utf8");
const run = promisify(execFile);

/** The languages of the page, and what must be installed for each. */
const TOOLS = { TypeScript: [], Go: ["go"], Python: ["python3"], Java: ["mvn", "javac"] } as const;

/** Packages are fetched and compiled the first time. */
const FIRST_MS = 8 * 60_000;

/** The lines of the page that a developer types. */
function commandsFor(language: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${language}\n`)) ?? "";
  return [...section.matchAll(/^ {4}(.+)$/gm)].map(([, line]) => line ?? "");
}

/** Types the lines into a shell that stops at the first that fails, and gives what they printed. */
async function type(lines: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run("bash", ["-euc", lines.join("\n")], {
    cwd: root,
    env: { ...process.env, ...env },
    timeout: FIRST_MS,
  });
  return stripVTControlCharacters(stdout);
}

const isOnPath = (command: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));

const { owner, release } = sharedOwner();
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ directory: join(await temporaryDirectory(owner), "store"), owner });
});
afterAll(release);

it("docs/clients.md has a section with commands for every language", () => {
  for (const language of Object.keys(TOOLS))
    expect(commandsFor(language)).toContainEqual(expect.stringContaining("buf generate"));
});

describe.each(Object.entries(TOOLS))("a client in %s", (language, tools) => {
  const missing = tools.filter((tool) => !isOnPath(tool));
  if (missing.length > 0) {
    const text = `the client in ${language} needs ${missing.join(" and ")} on the PATH`;
    if (process.env.CI) throw new Error(text);
    process.stderr.write(`\nSkipped: ${text}\n`);
  }

  it.skipIf(missing.length > 0)(
    "is generated and prints the documented output, by the commands of docs/clients.md",
    async () => {
      const printed = await type(commandsFor(language), { AISLE_SERVER: server.rpcUrl });
      expect(linesOf(printed)).toEqual(linesOf(page));
      const appId = /^app: (\S+)$/m.exec(printed)?.[1] ?? "";
      const { apps, events } = rpcClients(server.rpcUrl);
      expect((await apps.getApp({ appId })).app?.displayName).toBe("Tea shop");
      expect((await events.listEvents({ appId })).events).toHaveLength(40);
    },
    FIRST_MS,
  );

  it.skipIf(missing.length > 0)(
    "sends its token to a server with a certificate, and is refused without one",
    async () => {
      const directory = await temporaryDirectory();
      const { cert, key } = makeCertificate(directory, "server", ["127.0.0.1"]);
      const token = await adminToken(join(directory, "tokens"));
      const flags = ["--rpc-tls-cert", cert, "--rpc-tls-key", key, "--rpc-tokens", join(directory, "tokens")];
      const secure = await startServer({ directory: join(directory, "store"), flags });
      const env = { AISLE_SERVER: secure.rpcUrl, AISLE_CA: cert };
      const lines = commandsFor(language).filter((line) => !PREPARES.test(line));
      expect(linesOf(await type(lines, { ...env, AISLE_TOKEN: token }))).toEqual(linesOf(page));
      const refused = await type(lines, env).catch(
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      expect(refused).toMatch(/unauthenticated/i);
    },
    FIRST_MS,
  );
});

/** Makes a token of scope admin and the server's file of it. */
async function adminToken(file: string): Promise<string> {
  const { stdout } = await runAisle(["token", "--name", "shop", "--scope", "admin"]);
  const [, token = ""] = /: (aisle_\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /: +(\S+ \S+ [0-9a-f]{64})$/m.exec(stdout) ?? [];
  writeFileSync(file, `${line}\n`);
  return token;
}

/** Lines that make what is there already. */
const PREPARES = /buf generate|-m venv|pip install|dependency:copy|chmod|tsc/;

/** What a program prints but for the id of its app; languages write the names of codes each in their way. */
function linesOf(text: string): string[] {
  const lines = text.matchAll(/^ *((?:recorded|trained|with tea|refused): .+)$/gm);
  return [...lines].map(([, line = ""]) =>
    line.replace(/(?<=refused: )\w+/, (code) => code.replaceAll("_", "").toLowerCase()),
  );
}
