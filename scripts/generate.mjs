// Generates src/gen from proto/ and from the standard protocols in their npm packages.
//   node scripts/generate.mjs [--out DIR]
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { bin, Failure, filesBelow, root, run, script } from "./lib.mjs";

// `--out DIR` puts the tree into DIR/src/gen instead, to compare it with the committed one.
const flag = process.argv.indexOf("--out");
const base = flag < 0 ? root : resolve(process.argv[flag + 1]);
const work = mkdtempSync(join(tmpdir(), "aisle-generate-"));

// buf names a file by its path below its module, so each protocol is laid out by its package first.
const standard = join(work, "standard");
const lay = (from, to) => {
  mkdirSync(dirname(join(standard, to)), { recursive: true });
  cpSync(join(root, "node_modules", from), join(standard, to));
};

/** Makes folder `to` equal to folder `from`, touching only files that differ: others may be reading them. */
function mirror(from, to) {
  const files = filesBelow(from);
  for (const file of filesBelow(to)) if (!files.includes(file)) rmSync(join(to, file));
  const present = new Set(filesBelow(to));
  for (const file of files) {
    if (present.has(file) && readFileSync(join(from, file)).equals(readFileSync(join(to, file)))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(from, file), join(to, file));
  }
}

await script(async () => {
  try {
    lay("grpc-health-check/proto/health/v1/health.proto", "grpc/health/v1/health.proto");
    lay("@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto", "grpc/reflection/v1/reflection.proto");
    lay("google-gax/build/protos/google/rpc/error_details.proto", "google/rpc/error_details.proto");
    const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}` };
    for (const input of [join(root, "proto"), standard]) {
      const args = ["generate", input, "--template", join(root, "buf.gen.yaml"), "--output", work];
      const { code } = await run(bin("buf"), args, { env });
      if (code !== 0) throw new Failure("buf generate failed");
    }
    mirror(join(work, "src/gen"), join(base, "src/gen"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
