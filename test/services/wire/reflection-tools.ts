import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const bin = join(root, "node_modules/.cache/bin");

/**
 * Path of a grpcurl: one on PATH, else built by `go install` into a cache folder of the checkout. Undefined, with
 * a line that says so, when neither is possible; under CI that is an error.
 */
export async function findGrpcurl(): Promise<string | undefined> {
  if (await runs("grpcurl", "-version")) return "grpcurl";
  const cached = join(bin, "grpcurl");
  if (!existsSync(cached) && (await runs("go", "version"))) {
    mkdirSync(bin, { recursive: true });
    const env = { ...process.env, GOBIN: bin };
    await run("go", ["install", "github.com/fullstorydev/grpcurl/cmd/grpcurl@latest"], { env }).catch((error: Error) =>
      console.warn(`grpcurl cannot be built: ${error.message}`),
    );
  }
  if (existsSync(cached)) return cached;
  const text = "grpcurl is neither on PATH nor can it be built with go";
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
