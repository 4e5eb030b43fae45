// What the scripts share. Node built-ins only, in a form that old versions of Node can read too, so that they get a clear line.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The folder of what the scripts remember between runs. It may be deleted at any time. */
export const stamps = join(root, ".stamps");

/** A failure that its own text explains: shown without a stack. */
export class Failure extends Error {}

/** Says on standard error what is being done: standard output belongs to the program that is set up. */
export function say(text) {
  process.stderr.write(`aisle: ${text}\n`);
}

/** Runs the main function of a script. A Failure ends it with one line and exit code 1. */
export async function script(main) {
  try {
    const code = await main();
    if (code) process.exitCode = code;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/** Throws a Failure when this Node is older than package.json allows. */
export function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [needMajor, needMinor] = engines.node
    .replace(/[^\d.]/g, "")
    .split(".")
    .map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  throw new Failure(`Node ${needMajor}.${needMinor} or newer is needed, this is ${process.versions.node}`);
}

/** Every file below a folder, as sorted paths relative to it with forward slashes. An absent folder has none. */
export function filesBelow(folder) {
  const found = [];
  const visit = (path) => {
    let entries;
    try {
      entries = readdirSync(path, { withFileTypes: true });
    } catch (error) {
      if (error.code === "ENOENT") return;
      throw error;
    }
    for (const entry of entries) {
      const full = join(path, entry.name);
      if (entry.isDirectory()) visit(full);
      else found.push(relative(folder, full).split(sep).join("/"));
    }
  };
  visit(folder);
  return found.sort();
}

/** One hash over names and contents of files and folders of the checkout. An absent one counts as empty. */
export function hashOf(...paths) {
  const hash = createHash("sha256");
  const add = (name, bytes) => hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  for (const path of paths) {
    try {
      add(path, readFileSync(join(root, path)));
    } catch (error) {
      if (error.code === "EISDIR") {
        for (const file of filesBelow(join(root, path))) add(`${path}/${file}`, readFileSync(join(root, path, file)));
      } else if (error.code !== "ENOENT") throw error;
    }
  }
  return hash.digest("hex");
}

/** The text of a file, or undefined when there is none. */
export function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Runs a command in the checkout, in this process group, and passes SIGTERM, SIGINT and SIGHUP on while it runs; the
 * Ctrl-C of a terminal has reached it already.
 *
 * `quiet` gathers its output instead of showing it. Resolves to `{ code, output }`; a child that a signal ended has
 * 128 + its number as a shell says it. When a signal came to us, this process ends with the child.
 */
export function run(command, args, { quiet = false, env = process.env, cwd = root } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit" });
    let output = "";
    let received;
    const forward = (signal) => {
      received = signal;
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of Object.keys(signalNumbers)) process.on(signal, forward);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) {
        stream.setEncoding("utf8");
        stream.on("data", (text) => {
          output += text;
        });
      }
    }
    const settle = () => {
      for (const signal of Object.keys(signalNumbers)) process.off(signal, forward);
    };
    child.once("error", (error) => {
      settle();
      fail(error.code === "ENOENT" ? new Failure(`${command} is not there: it must be on PATH`) : error);
    });
    child.once("close", (code, signal) => {
      settle();
      if (received) process.exit(128 + signalNumbers[received]);
      done({ code: signal ? 128 + (signalNumbers[signal] || 9) : code, output });
    });
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** The path of an executable that a package of the checkout brings. */
export function bin(name) {
  return join(root, "node_modules/.bin", process.platform === "win32" ? `${name}.cmd` : name);
}
