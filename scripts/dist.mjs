// Makes what is in dist/: src/ compiled file by file, and the pages of web/ bundled. esbuild alone does that, in a second or two;
// it removes types and does not check them, which `npm run check` does.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, stop } from "esbuild";
import { filesBelow, root } from "./lib.mjs";
import { bundledLicences } from "./licence-texts.mjs";

/** @throws Error that names file and line of what is no TypeScript, or what a page imports in vain */
export async function makeDist(folder) {
  try {
    await Promise.all([
      compileSources(folder),
      bundleHelper(join(folder, "web/helper")),
      bundlePage("web/demo/shop.ts", join(folder, "web/demo")),
      bundleConsole(join(folder, "web/console")),
    ]);
  } finally {
    // Its process, of some 250 MB, would stay as long as this one, which `npm start` serves in.
    await stop();
  }
}

async function compileSources(outdir) {
  const files = filesBelow(join(root, "src")).filter((file) => !file.startsWith("learning/kernels/assembly/"));
  await build({
    absWorkingDir: root,
    entryPoints: files.filter((file) => file.endsWith(".ts")).map((file) => join("src", file)),
    outbase: "src",
    outdir,
    format: "esm",
    platform: "node",
    target: "es2023",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "silent",
  });
  for (const file of files.filter((name) => !name.endsWith(".ts"))) {
    mkdirSync(dirname(join(outdir, file)), { recursive: true });
    cpSync(join(root, "src", file), join(outdir, file));
  }
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
