import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import type { Owner } from "../fixtures/server.js";

export const ROOT = join(import.meta.dirname, "../..");

/** What developers of clients read. */
export const page = readFileSync(join(ROOT, "docs/clients.md"), "utf8");

/** Packages are fetched and compiled the first time. */
export const FIRST_MS = 8 * 60_000;

/** The part of the page below a heading of level two or three. */
const sectionOf = (title: string) =>
  page.split(/^##+ /m).find((part) => part.replace("\\", "").startsWith(`${title}\n`)) ?? "";

/** The lines of a section that a developer types. */
export function commandsFor(title: string): string[] {
  const withoutFiles = sectionOf(title).replace(/^```[\s\S]*?^```$/gm, "");
  return [...withoutFiles.matchAll(/^ {4}(.+)$/gm)].map(([, line]) => line ?? "");
}

/** Saves the files of a section that a developer copies. */
export function saveFiles(title: string, folder: string): void {
  for (const [, name = "", text = ""] of sectionOf(title).matchAll(/^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

type Environment = Readonly<Record<string, string>>;

const environment = (env: Environment) => ({
  ...process.env,
  AISLE_CLIENTS: join(ROOT, "build/clients"),
  AISLE_PROTO: join(ROOT, "proto"),
  // Compiled once on a machine, for all checkouts, and without what only a debugger reads.
  CARGO_TARGET_DIR: join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "aisle-tests/clients-rust"),
  CARGO_PROFILE_DEV_DEBUG: "0",
  ...env,
});

/** Types the lines into a shell that stops at the first that fails, and gives what they printed. */
export async function type(lines: readonly string[], cwd: string, env: Environment = {}): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-euc", lines.join("\n")], {
    cwd,
    env: environment(env),
    timeout: FIRST_MS,
  });
  return stripVTControlCharacters(stdout);
}

/** The same for a program to watch while it runs. It does not outlive its owner. */
export function start(lines: readonly string[], cwd: string, env: Environment, owner: Owner) {
  const child = spawn("bash", ["-euc", lines.join("\n")], { cwd, env: environment(env), detached: true });
  let printed = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (printed += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  owner(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  return { printed: () => printed, ended, hasEnded: () => child.exitCode !== null };
}

export const isOnPath = (command: string) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));

/** What is missing for a test, said aloud. Under CI it is an error, unless not every machine can have it. */
export function isWithout(what: string, missing: readonly string[], isOptional: boolean): boolean {
  if (missing.length === 0) return false;
  const text = `${what} needs ${missing.join(" and ")} on the PATH`;
  if (process.env.CI && !isOptional) throw new Error(text);
  process.stderr.write(`\nSkipped: ${text}\n`);
  return true;
}
