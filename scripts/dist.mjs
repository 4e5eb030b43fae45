// Makes what is in dist/: the server with the packages it needs, and the pages of web/, bundled. esbuild alone does that, in a second
// or two; it removes types and does not check them, which `npm run check` does.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, stop } from "esbuild";
import { root } from "./lib.mjs";
import { bundledLicences } from "./licence-texts.mjs";

/** Packages with native parts, which stay beside the bundle. */
export const NATIVE = ["@node-rs/crc32", "lmdb", "msgpackr"];
/** One that a server does without where it could not be compiled. */
export const OPTIONAL = ["hnswlib-node"];

/** Modules of src/ that a process or a thread begins with. */
const SERVER_ENTRIES = [
  "main",
  "server/machine-limits",
  "server/training-worker",
  "server/store-reader",
  "server/workers/worker",
];

/** @throws Error that names file and line of what is no TypeScript, or what a page imports in vain */
export async function makeDist(folder) {
  try {
    await Promise.all([
      bundleServer(folder),
      bundleHelper(join(folder, "web/helper")),
      bundlePage("web/demo/shop.ts", join(folder, "web/demo")),
      bundleConsole(join(folder, "web/console")),
    ]);
  } finally {
    // Its process, of some 250 MB, would stay as long as this one, which `npm start` serves in.
    await stop();
  }
}

/**
 * Entries of the processes and threads of a server, and chunks of what they share. A server loads some 60 files instead of 1,100,
 * and is ready in half the time.
 */
async function bundleServer(outdir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: SERVER_ENTRIES.map((name) => join("src", `${name}.ts`)),
    outdir,
    entryNames: "[name]",
    bundle: true,
    splitting: true,
    external: [...NATIVE, ...OPTIONAL],
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "error",
    // Bundled CommonJS packages call require for modules of Node.
    banner: {
      js: 'import { createRequire as aisleRequire } from "node:module"; const require = aisleRequire(import.meta.url);',
    },
  });
  writeFileSync(join(outdir, "LICENSES.md"), bundledLicences(Object.keys(metafile.inputs)));
}

/** The helper for shops' pages: one script and one style sheet. */
async function bundleHelper(outdir) {
  await bundlePage("web/helper/aisle.ts", outdir);
  await bundlePage("web/helper/aisle.css", outdir);
}

/** A script or style sheet with all that it imports, for any page. */
async function bundlePage(entry, outdir) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    logLevel: "silent",
  });
}

/** The console: its page, with the files that it names under names of their content, and licences of what is in them. */
async function bundleConsole(outdir) {
  const source = "web/console";
  const page = readFileSync(join(root, source, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, file]) => file);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: named.map((file) => join(source, file)),
    outdir: join(outdir, "assets"),
    entryNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome109", "firefox115", "safari16"],
    loader: { ".svg": "copy" },
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    logLevel: "silent",
  });
  const made = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [basename(entryPoint ?? ""), basename(path)]),
  );
  const linked = page.replace(
    /((?:href|src)=")\.\/([^"]+)"/g,
    (_, before, file) => `${before}/console/assets/${made.get(file)}"`,
  );
  writeFileSync(join(outdir, "index.html"), linked);
  writeFileSync(join(outdir, "licenses.md"), bundledLicences(Object.keys(metafile.inputs)));
}
