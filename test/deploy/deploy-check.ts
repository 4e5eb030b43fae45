import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const source = join(root, "test/peers/deploy");
const run = promisify(execFile);

/** What stands in for the passwords that a Compose file asks for. */
const SECRETS = {
  MONGO_KEY: "key",
  MONGO_ADMIN_PASSWORD: "first",
  MONGO_AISLE_PASSWORD: "second",
  AISLE_TOKEN: "third",
  AISLE_RPC_TOKENS_LINES: "fourth",
};

/** True when there is `go` to build the program with; under CI its absence is an error. */
export function canCheck(): boolean {
  const found = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "go")));
  if (!found && process.env.CI) throw new Error("No go on the PATH for the check of deploy/");
  if (!found) process.stderr.write("\nSkipped: the check of deploy/ (needs go on the PATH; an error under CI)\n");
  return found;
}

export type Check = (kind: "compose" | "kubernetes", file: string) => Promise<unknown>;

/** Builds the program of `test/peers/deploy` when its source is new; half a minute the first time. */
export async function openCheck(): Promise<Check> {
  const hash = createHash("sha256");
  for (const name of ["main.go", "go.mod", "go.sum"]) hash.update(readFileSync(join(source, name)));
  const folder = join(root, "node_modules/.cache/deploycheck");
  const program = join(folder, hash.digest("hex").slice(0, 16));
  if (!existsSync(program)) {
    await mkdir(folder, { recursive: true });
    const made = `${program}.${process.pid}`;
    const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
    await run("go", ["build", "-trimpath", "-buildvcs=false", "-o", made, "."], { cwd: source, env });
    await rename(made, program);
  }
  return async (kind, file) => {
    const { stdout } = await run(program, [kind, file], { env: { ...process.env, ...SECRETS } });
    return JSON.parse(stdout);
  };
}

/** Checks a copy of a file in which `before` is replaced, which must be there. */
export async function checkChanged(
  check: Check,
  kind: "compose" | "kubernetes",
  file: string,
  [before, after]: readonly [string, string],
): Promise<unknown> {
  const text = readFileSync(file, "utf8");
  if (!text.includes(before)) throw new Error(`${basename(file)} does not hold ${before}`);
  const folder = await mkdtemp(join(tmpdir(), "aisle-deploy-"));
  try {
    const copy = join(folder, basename(file));
    await writeFile(copy, text.replace(before, after));
    return await check(kind, copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A value of the JSON at a path of names and places, undefined when there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    found =
      typeof found === "object" && found !== null ? Object.getOwnPropertyDescriptor(found, step)?.value : undefined;
  }
  return found;
}

/** The array at a path, empty when there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path, "" when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}
