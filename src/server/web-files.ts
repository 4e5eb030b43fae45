/** Locates the files of `web/`. */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import type { ConsoleFile, ConsolePages } from "../services/wire/console.js";
import { installed } from "./installed.js";
import type { Ports, RoleTasks } from "./roles.js";
import type { Config } from "./settings/config.js";

/** Data, pictures and style sheet of the demo shop, in `web/` itself. */
export const DEMO_DATA = installed("web/demo");

/** The built files of `web/`. */
const BUILT = installed("dist/web");

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
};

/** The helper for shops' pages; undefined where it was not built. */
export function readHelperScript(): Buffer | undefined {
  return readBuilt("helper/aisle.js");
}

/** The style sheet of its shelves; undefined where it was not built. */
export function readHelperStyle(): Buffer | undefined {
  return readBuilt("helper/aisle.css");
}

/** The script of the demo shop's pages; undefined where it was not built. */
export function readDemoScript(): Buffer | undefined {
  return readBuilt("demo/shop.js");
}

/** The content of `/console/` on the RPC port; undefined without a console. */
export function consolePages(config: Config, duties: RoleTasks, ports: Ports): ConsolePages | undefined {
  const files = config.console === "off" || duties.rpc !== "services" ? undefined : readConsoleFiles();
  if (files === undefined) return undefined;
  const storefrontUrl = duties.facade ? ports.facadeUrl : (config.publicUrl ?? undefined);
  return { files, storefrontUrl, anyPeer: config.console === "any" };
}

/** The files of the console, by path below `/console/`; undefined where it was not built. */
function readConsoleFiles(): ReadonlyMap<string, ConsoleFile> | undefined {
  const folder = join(BUILT, "console");
  try {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const files = paths.flatMap((path) => {
      const contentType = CONTENT_TYPES[extname(path)];
      if (contentType === undefined) return [];
      return [[path.split(sep).join("/"), { contentType, body: readFileSync(join(folder, path)) }] as const];
    });
    return files.some(([path]) => path === "index.html") ? new Map(files) : undefined;
  } catch {
    // not built
    return undefined;
  }
}

function readBuilt(path: string): Buffer | undefined {
  try {
    return readFileSync(join(BUILT, path));
  } catch {
    // not built
    return undefined;
  }
}
