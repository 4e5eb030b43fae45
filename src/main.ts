import { setTimeout as sleep } from "node:timers/promises";
import { runProgram } from "./cli/program.js";

/** Runs one command of `aisle`, of this version, and returns its exit code. */
export async function main(args: readonly string[], version: string): Promise<number> {
  const interrupted = new AbortController();
  const serving = args[0] === "serve";
  if (!serving) process.once("SIGINT", () => interrupted.abort());
  return runProgram(
    {
      // Loaded when it is wanted: the other commands need neither store nor servers.
      serve: async (flags) => {
        const { readConfig } = await import("./server/settings/config.js");
        const config = readConfig(flags, process.env);
        const { serve } = await import("./server/serve.js");
        await serve(config, {
          force: flags.force ?? false,
          version,
          say: (line) => process.stdout.write(`${line}\n`),
        });
      },
      migrate: async function* (request, hooks) {
        const { migrateStores } = await import("./server/migrate-stores.js");
        yield* migrateStores(request, hooks);
      },
      doctor: async function* (request, env) {
        const { examine } = await import("./server/doctor.js");
        yield* examine(request, env);
      },
      backup: async (request, env) => {
        const { backUp } = await import("./server/backup.js");
        await backUp(request, env);
      },
      feedSource:
        (options) =>
        async (...request) => {
          const { createHttpsFeedSource } = await import("./adapters/http/https-feed-source.js");
          return createHttpsFeedSource(options)(...request);
        },
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
