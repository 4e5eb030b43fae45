// The licences that bundled code has to carry with it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";

/** The licence texts of all packages among the inputs of a bundle, paths from the checkout. */
export function bundledLicences(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const texts = [...folders].sort().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    const file = readdirSync(join(root, path)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? "" : readFileSync(join(root, path, file), "utf8");
    return `## ${name} ${version}\n\n${license}\n\n${text.trim()}\n`;
  });
  return `# Licences of bundled packages\n\n${texts.join("\n")}`;
}
