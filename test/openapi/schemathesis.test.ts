import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { METHODS } from "../../src/facade/operations.js";
import { rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

const MISSING =
  "schemathesis (python3 -m venv node_modules/.cache/schemathesis, then pip install -r test/openapi/requirements.txt)";

/** Where CI installs it; else the PATH's own. */
const program = [
  join(import.meta.dirname, "../../node_modules/.cache/schemathesis/bin"),
  ...(process.env.PATH ?? "").split(delimiter),
]
  .map((folder) => join(folder, "schemathesis"))
  .find((path) => existsSync(path));

if (program === undefined) {
  if (process.env.CI) throw new Error(`There is no ${MISSING}`);
  process.stderr.write(`\nSkipped: ${MISSING}\n`);
}

/** Some 600 requests. More of them: AISLE_SCHEMATHESIS_EXAMPLES=500. */
const examples = process.env.AISLE_SCHEMATHESIS_EXAMPLES ?? "15";

it.skipIf(program === undefined)(
  "schemathesis finds no answer that differs from the OpenAPI document",
  async () => {
    const directory = await temporaryDirectory();
    const server = await startServer({ directory: join(directory, "store") });
    await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "demo" } });
    const ours = (file: string) => join(import.meta.dirname, file);
    const { code, text } = await run(program ?? "", {
      args: [
        ...["--config-file", ours("schemathesis.toml"), "run", `${server.facadeUrl}/openapi.json`],
        ...["--url", server.facadeUrl, "--max-examples", examples, "--generation-database", "none", "--no-color"],
      ],
      env: { SCHEMATHESIS_HOOKS: ours("hooks.py"), PYTHONDONTWRITEBYTECODE: "1" },
      cwd: directory,
    });
    expect(code, text).toBe(0);
    // Each phase ran: a document that it cannot follow would leave nothing to find.
    expect(text).toContain(`Tested: ${METHODS.size}\n`);
    for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"]) expect(text).toMatch(`✅ ${phase}\n`);
  },
  600_000,
);

function run(
  command: string,
  { args, env, cwd }: { args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string },
): Promise<{ code: number | null; text: string }> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, text }));
  });
}
