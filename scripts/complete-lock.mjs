// Adds to package-lock.json the platform packages that npm left out.
//   node scripts/complete-lock.mjs [LOCKFILE]
//
// A package with native parts names one optional package for each platform. A registry may lack some of them, such as a
// mirror that keeps only its own platforms. Then `npm install` silently leaves them out of the lock, and
// `npm ci` refuses the lock everywhere. An entry without `integrity` is enough: npm skips it on other platforms, and
// a registry that has the package fills in the rest. Run after `npm install`; test/repository.test.ts fails when it is due.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";

const path = process.argv[2] ?? join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = {
  aarch64: "arm64",
  armv7: "arm",
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ia32: "ia32",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
};

let added = 0;
for (const [owner, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] || lock.packages[`${owner}/${key}`]) continue;
    const words = name.split(/[/-]/);
    const os = words.find((word) => systems.includes(word));
    const musl = words.includes("musl");
    const libc = musl || Object.keys(optionalDependencies).includes(`${name}-musl`);
    const cpu = words.map((word) => processors[word]).find(Boolean);
    if (!/^\d+\.\d+\.\d+$/.test(range) || !os || !cpu) {
      console.error(`complete-lock: ${name}@${range} (of ${owner}) names no exact version or platform: add it by hand`);
      process.exitCode = 1;
      continue;
    }
    lock.packages[key] = {
      version: range,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(libc && { libc: [musl ? "musl" : "glibc"] }),
      optional: true,
      os: [os],
    };
    added += 1;
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = Object.fromEntries(sorted);
if (added > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`complete-lock: ${added} entries added`);
