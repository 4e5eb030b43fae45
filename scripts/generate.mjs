// Generates src/gen from proto/ and from the standard protocols in their npm packages.
//   node scripts/generate.mjs [--out DIR]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { root } from "./lib.mjs";

// `--out DIR` puts the tree into DIR/src/gen instead, to compare it with the committed one.
const flag = process.argv.indexOf("--out");
const base = flag < 0 ? root : resolve(process.argv[flag + 1]);

// buf names a file by its path below its module, so each protocol is laid out by its package first.
const standard = mkdtempSync(join(tmpdir(), "aisle-protos-"));
const lay = (from, to) => {
  mkdirSync(join(standard, to, ".."), { recursive: true });
  cpSync(join(root, "node_modules", from), join(standard, to));
};
lay("grpc-health-check/proto/health/v1/health.proto", "grpc/health/v1/health.proto");
lay("@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto", "grpc/reflection/v1/reflection.proto");
lay("google-gax/build/protos/google/rpc/error_details.proto", "google/rpc/error_details.proto");

rmSync(join(base, "src/gen"), { recursive: true, force: true });
const bin = join(root, "node_modules/.bin");
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
for (const input of [join(root, "proto"), standard]) {
  execFileSync(join(bin, "buf"), ["generate", input, "--template", join(root, "buf.gen.yaml"), "--output", base], {
    cwd: root,
    env,
    stdio: "inherit",
  });
}
rmSync(standard, { recursive: true, force: true });
