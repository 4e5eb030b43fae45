import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";

const source = join(import.meta.dirname, "shim/disk-shim.c");
const folder = join(import.meta.dirname, "../../node_modules/.cache/disk-shim");

/** LD_PRELOAD is for Linux with the C library that it was compiled for. */
export const canShim = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

/** `describe` for tests that stand between a process and its disk: skipped where that is not possible, an error under CI. */
export function describeWithShim(title: string, body: () => void): void {
  describe.skipIf(!canShim && process.env.CI !== "true")(`${title} (needs Linux and cc; an error under CI)`, body);
}

/** What `disk-shim.c` is to watch and do. */
export interface ShimOptions {
  /** The directory whose files it is about. */
  readonly directory: string;
  /** A file that says, while it is there, what fails. */
  readonly fault?: string;
  /** A file that it notes all changes in. */
  readonly journal?: string;
}

/** The environment of a process behind the shim, which is compiled when its source is new. */
export function shimEnvironment({ directory, fault, journal }: ShimOptions): Record<string, string> {
  return {
    LD_PRELOAD: library(),
    AISLE_SHIM_DIR: directory,
    ...(fault !== undefined && { AISLE_SHIM_FAULT: fault }),
    ...(journal !== undefined && { AISLE_SHIM_JOURNAL: journal }),
  };
}

function library(): string {
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const path = join(folder, `${hash}.so`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const made = `${path}.${process.pid}`;
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", made, source, "-ldl", "-lpthread"]);
  renameSync(made, path);
  return path;
}
