import { readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import type { ConsoleFile } from "./services/console-answers.js";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
};

/** The files of the console as the build has made them, by path below `/console/`; undefined where this runs from sources. */
export function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> | undefined {
  const folder = join(import.meta.dirname, "console");
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const files = paths.flatMap((path) => {
      const contentType = CONTENT_TYPES[extname(path)];
      if (contentType === undefined) return [];
      return [[path.split(sep).join("/"), { contentType, body: readFileSync(join(folder, path)) }] as const];
    });
    return files.some(([path]) => path === "index.html") ? new Map(files) : undefined;
  } catch {
    return undefined;
  }
}
