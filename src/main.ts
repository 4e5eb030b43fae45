import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "./cli/program.js";
import { readConfig } from "./config.js";
import { serve } from "./serve.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** Runs one command of `aisle` and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  const serving = args[0] === "serve";
  if (!serving) process.once("SIGINT", () => interrupted.abort());
  return runProgram(
    {
      serve: (flags) => serve(readConfig(flags, process.env), (line) => process.stdout.write(`${line}\n`)),
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      now: Date.now,
      sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
      signal: interrupted.signal,
      version,
    },
    args,
  );
}
