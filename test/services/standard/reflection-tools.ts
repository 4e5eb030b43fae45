import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");

/**
 * Path of a grpcurl: one on PATH, else the one that .ci/tools builds. Undefined, with a line that says so, when there is
 * neither; under CI that is an error.
 */
export async function findGrpcurl(): Promise<string | undefined> {
  if (await runs("grpcurl", "-version")) return "grpcurl";
  const built = join(root, "node_modules/.cache/bin/grpcurl");
  if (existsSync(built)) return built;
  const text = "grpcurl is neither on PATH nor built by .ci/tools";
  if (process.env.CI === "true") throw new Error(text);
  console.warn(`skipped: ${text}`);
  return undefined;
}

/** Path of the buf that comes with the development dependencies. */
export const buf = join(root, "node_modules/.bin/buf");

/** Runs a program and gives its output; a failure gives its error output instead. */
export async function output(program: string, ...args: string[]): Promise<string> {
  try {
    return (await run(program, args)).stdout;
  } catch (error) {
    if (error instanceof Error && "stderr" in error) return String(error.stderr);
    throw error;
  }
}

async function runs(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}
