/** Locates what lies beside this code in a checkout, a package or an image. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The path of a file or folder of the installation, such as `web/demo`. */
export function installed(path: string): string {
  return join(ROOT, path);
}

/** The built module that a process or a thread begins with. */
export function entryOf(name: "training-worker" | "store-reader" | "worker"): string {
  return installed(`dist/${name}.js`);
}

const ROOT = folderOfPackage(import.meta.dirname);

/** The nearest folder, upwards, with a `package.json`: sources and bundles lie at different depths. */
function folderOfPackage(folder: string): string {
  const above = dirname(folder);
  return existsSync(join(folder, "package.json")) || above === folder ? folder : folderOfPackage(above);
}
