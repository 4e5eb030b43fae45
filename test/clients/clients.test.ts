import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeSignedCertificate } from "../fixtures/certificate.js";
import {
  rpcClients,
  runAisle,
  type ServerProcess,
  sharedOwner,
  startServer,
  temporaryDirectory,
} from "../fixtures/server.js";
import { unavailableOnce } from "./unavailable-once.js";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/clients.md"), "utf8");
const run = promisify(execFile);

/** The languages of the page, and what must be on the PATH for each. */
const TOOLS = {
  TypeScript: [],
  Go: ["go"],
  Python: ["python3"],
  Java: ["mvn", "javac"],
  Rust: ["cargo"],
} as const;

/** Languages whose compiler not every machine for tests can have. */
const OPTIONAL: readonly string[] = ["Rust"];

/** Calls that every program repeats: two reads, and events under keys in a stream and alone. */
const REPEATED = [
  "/aisle.v1.EventService/ListEvents",
  "/aisle.v1.RecommendationService/Recommend",
  "/aisle.v1.EventService/RecordEvents",
  "/aisle.v1.EventService/RecordEvent",
];

/** Packages are fetched and compiled the first time. */
const FIRST_MS = 8 * 60_000;

const sectionOf = (language: string) => page.split(/^## /m).find((part) => part.startsWith(`${language}\n`)) ?? "";

/** The lines of the page that a developer types. */
function commandsFor(language: string): string[] {
  const withoutFiles = sectionOf(language).replace(/^```[\s\S]*?^```$/gm, "");
  return [...withoutFiles.matchAll(/^ {4}(.+)$/gm)].map(([, line]) => line ?? "");
}

/** Saves the files of the page that a developer copies. */
function saveFiles(language: string, folder: string): void {
  for (const [, name = "", text = ""] of sectionOf(language).matchAll(/^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Types the lines into a shell that stops at the first that fails, and gives what they printed. */
async function type(lines: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run("bash", ["-euc", lines.join("\n")], {
    cwd,
    env: {
      ...process.env,
      AISLE_CLIENTS: packages,
      // Compiled once for all runs of the tests.
      CARGO_TARGET_DIR: join(root, "node_modules/.cache/clients-rust"),
      ...env,
    },
    timeout: FIRST_MS,
  });
  return stripVTControlCharacters(stdout);
}

const isOnPath = (command: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, command))) &&
  (command !== "cargo" || hasRecentRust());

/** The oldest minor version of Rust 1 that compiles tonic. */
const OLDEST_RUST = 88;

function hasRecentRust(): boolean {
  const [, minor] = /^cargo 1\.(\d+)/.exec(execFileSync("cargo", ["--version"], { encoding: "utf8" })) ?? [];
  return Number(minor) >= OLDEST_RUST;
}

const { owner, release } = sharedOwner();
const packages = join(root, "build/clients");
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ directory: join(await temporaryDirectory(owner), "store"), owner });
  await run(process.execPath, [join(root, "scripts/clients.mjs")]);
}, FIRST_MS);
afterAll(release);

describe.each(Object.entries(TOOLS))("a client in %s", (language, tools) => {
  const missing = tools.filter((tool) => !isOnPath(tool));
  if (missing.length > 0) {
    const version = language === "Rust" ? ` in version 1.${OLDEST_RUST} or newer` : "";
    const text = `the client in ${language} needs ${missing.join(" and ")}${version} on the PATH`;
    if (process.env.CI && !OPTIONAL.includes(language)) throw new Error(text);
    process.stderr.write(`\nSkipped: ${text}\n`);
  }
  const folder = temporaryDirectory(owner);

  it.skipIf(missing.length > 0)(
    "is made from an empty folder by docs/clients.md and prints the documented output",
    async () => {
      saveFiles(language, await folder);
      const printed = await type(commandsFor(language), await folder, { AISLE_SERVER: server.rpcUrl });
      expect(linesOf(printed)).toEqual(linesOf(page));
      const appId = /^app: (\S+)$/m.exec(printed)?.[1] ?? "";
      const { apps, events } = rpcClients(server.rpcUrl);
      expect((await apps.getApp({ appId })).app?.displayName).toBe("Tea shop");
      expect((await events.listEvents({ appId })).events).toHaveLength(40);
    },
    FIRST_MS,
  );

  it.skipIf(missing.length > 0)(
    "repeats reads and keyed events, unchanged, when the server is unavailable",
    async () => {
      const { url, attempts } = await unavailableOnce(server.rpcUrl, REPEATED, onTestFinished);
      const printed = await type(startsOf(language), await folder, { AISLE_SERVER: url });
      expect(linesOf(printed)).toEqual(linesOf(page));
      for (const path of REPEATED) {
        const [first, second] = attempts.get(path) ?? [];
        expect(second?.equals(first ?? Buffer.of()), path).toBe(true);
      }
      expect(String(attempts.get("/aisle.v1.EventService/RecordEvent")?.[0])).toMatch(/[0-9a-f-]{36}/);
    },
    FIRST_MS,
  );

  it.skipIf(missing.length > 0)(
    "sends its token to a server with a certificate, and is refused without one",
    async () => {
      const directory = await temporaryDirectory();
      const { ca, cert, key } = makeSignedCertificate(directory, "server", ["127.0.0.1"]);
      const token = await adminToken(join(directory, "tokens"));
      const flags = ["--rpc-tls-cert", cert, "--rpc-tls-key", key, "--rpc-tokens", join(directory, "tokens")];
      const secure = await startServer({ directory: join(directory, "store"), flags });
      const env = { AISLE_SERVER: secure.rpcUrl, AISLE_CA: ca };
      const lines = startsOf(language);
      expect(linesOf(await type(lines, await folder, { ...env, AISLE_TOKEN: token }))).toEqual(linesOf(page));
      const refused = await type(lines, await folder, env).catch(
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      expect(refused).toMatch(/unauthenticated/i);
    },
    FIRST_MS,
  );
});

it(
  "the program in TypeScript has no type errors",
  async () => {
    const folder = await temporaryDirectory();
    saveFiles("TypeScript", folder);
    await type(
      commandsFor("TypeScript").filter((line) => line.startsWith("npm")),
      folder,
      {},
    );
    const tsc = join(root, "node_modules/.bin/tsc");
    await type([`${tsc} --noEmit --strict --module nodenext --lib es2023,dom,esnext.disposable shop.ts`], folder, {});
  },
  FIRST_MS,
);

/** Makes a token of scope admin and the server's file of it. */
async function adminToken(file: string): Promise<string> {
  const { stdout } = await runAisle(["token", "--name", "shop", "--scope", "admin"]);
  const [, token = ""] = /: (aisle_\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /: +(\S+ \S+ [0-9a-f]{64})$/m.exec(stdout) ?? [];
  writeFileSync(file, `${line}\n`);
  return token;
}

/** The lines that start a program which is there already. */
const startsOf = (language: string) => commandsFor(language).filter((line) => STARTS.test(line));
const STARTS = /^(npx tsx|go run|\. \.venv|python |mvn --quiet compile|cargo run)/;

/** What a program prints but for the id of its app. */
function linesOf(text: string): string[] {
  return [...text.matchAll(/^ *((?:recorded|listed|trained|with tea|refused): .+)$/gm)].map(([, line = ""]) => line);
}
