// npm run docs [-- --base /PATH/] [-- --serve]: the documentation as a static site, build/docs-site/site. VitePress is no dependency of
// the checkout: this script installs it into build/docs-site by a lock file of its own, when it is not there yet.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkNode, Failure, hashOf, readIfThere, root, run, say, script } from "./lib.mjs";
import { withLock } from "./lock.mjs";
import { sidebarOf, writePages } from "./site/pages.mjs";

const folder = join(root, "build/docs-site");
/** Exit code when the packages cannot be fetched; a test is skipped then. */
const UNAVAILABLE = 69;

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);

await script(async () => {
  checkNode();
  if (args.includes("--help")) {
    console.log(
      "npm run docs: builds build/docs-site/site\n  -- --base /PATH/  for a site below a path of its host\n  -- --serve        shows it at http://127.0.0.1:4173",
    );
    return 0;
  }
  const base = option("--base") ?? "/";
  if (!/^\/(.*\/)?$/.test(base)) throw new Failure("--base: a path that starts and ends with / is accepted");
  const code = await withLock(join(folder, ".lock"), () => buildSite(base));
  if (code !== 0 || !args.includes("--serve")) return code;
  return vitepress("preview", "--host", "127.0.0.1", "--port", "4173");
});

async function buildSite(base) {
  if (!(await install())) return UNAVAILABLE;
  rmSync(join(folder, "pages"), { recursive: true, force: true });
  const places = writePages(join(folder, "pages"));
  const here = join(root, "scripts/site");
  mkdirSync(join(folder, ".vitepress/theme"), { recursive: true });
  for (const name of ["config.mjs", "anchors.mjs"]) copyFileSync(join(here, name), join(folder, ".vitepress", name));
  copyFileSync(join(here, "theme.mjs"), join(folder, ".vitepress/theme/index.mjs"));
  copyFileSync(join(here, "theme.css"), join(folder, ".vitepress/theme/theme.css"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(
    join(folder, ".vitepress/site.json"),
    JSON.stringify({ sidebar: sidebarOf(places), base, version }, null, 2),
  );
  const code = await vitepress("build");
  if (code === 0) say(`${places.size} pages and files in build/docs-site/site; "npm run docs -- --serve" shows them`);
  return code;
}

async function vitepress(...words) {
  const main = join(folder, "node_modules/vitepress/bin/vitepress.js");
  return (await run(process.execPath, [main, ...words], { cwd: folder })).code;
}

/** Installs VitePress when the lock file has changed. */
async function install() {
  const stamp = join(folder, ".installed");
  const wanted = hashOf("scripts/site/package.json", "scripts/site/package-lock.json");
  if (readIfThere(stamp) === wanted) return true;
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(root, "scripts/site", name), join(folder, name));
  }
  // No install script: esbuild's binary is an optional package.
  const npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await run("npm", npm, { cwd: folder, quiet: true });
  if (code !== 0) {
    say(`VitePress could not be installed; is the registry of npm reachable?\n${output.trimEnd()}`);
    return false;
  }
  writeFileSync(stamp, wanted);
  return true;
}
