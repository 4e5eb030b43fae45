import { execFile } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startServer, temporaryDirectory } from "../fixtures/server.js";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);
/** Packages with native parts, which npm installs beside this one. */
const NATIVE = ["@harperfast", "@lmdb", "@msgpackr-extract", "@node-rs", "lmdb", "msgpackr", "msgpackr-extract"];
const THEIRS = ["detect-libc", "node-gyp-build-optional-packages", "ordered-binary", "weak-lru-cache"];

it("the package of npm run package takes events and recommends, with no package beside it but the native ones", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  await run("npm", ["run", "--silent", "package"], { cwd: ROOT });
  const folder = await temporaryDirectory();
  await run("tar", ["xzf", join(ROOT, `build/aisle-server-${version}.tgz`), "-C", folder]);
  const modules = join(folder, "package/node_modules");
  await mkdir(modules);
  for (const name of [...NATIVE, ...THEIRS].filter((one) => existsSync(join(ROOT, "node_modules", one))))
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));

  const directory = await temporaryDirectory();
  // Links are followed to the checkout, where all other packages are, unless Node keeps them.
  const env = { NODE_OPTIONS: "--preserve-symlinks", AISLE_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  const program = join(folder, "package/bin/aisle.js");
  const { facadeUrl } = await startServer({ directory, program, flags: ["--demo"], env });
  const traced = await fetch(`${facadeUrl}/trace`, {
    method: "POST",
    body: new URLSearchParams({
      app_id: "demo",
      action_type: "product_view",
      product_ids: "lark-2",
      fp_ccid: "fp-maja",
    }),
  });
  expect(traced.status).toBe(200);
  const answer = await fetch(`${facadeUrl}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: "demo", productInteractions: [], currentProductIds: "lark-2", fpccid: "fp-maja" }),
  });
  expect(await answer.json()).toMatchObject({ recommended: expect.arrayContaining([expect.anything()]) });
  expect(readFileSync(join(folder, "package/dist/LICENSES.md"), "utf8")).toContain("## fastify ");
}, 300_000);
