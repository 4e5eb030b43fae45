import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";

/** A token as the command makes one: what the caller says, and the line for the server. */
async function tokenOf(name: string, scope: string) {
  const { stdout } = await runAisle(["token", "--name", name, "--scope", scope]);
  const [, token = ""] = /: (aisle_\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /: +(\S+ \S+ [0-9a-f]{64})$/m.exec(stdout) ?? [];
  return { token, line };
}

it("a server with tokens serves commands, a facade in another process, and nobody else", async () => {
  const directory = await temporaryDirectory();
  const [admin, writer] = [await tokenOf("ops", "admin"), await tokenOf("facade", "write")];
  const file = join(directory, "tokens");
  writeFileSync(file, `${admin.line}\n${writer.line}\n`);
  const services = await startServer({
    directory: join(directory, "store"),
    flags: ["--role", "services", "--rpc-tokens", file, "--rpc-port", String(await freePort())],
  });
  const create = (env: Record<string, string>) =>
    runAisle(["app", "create", "shop", "--server", services.rpcUrl], { env });
  expect(await create({})).toMatchObject({ code: 1, stderr: expect.stringContaining("AISLE_TOKEN") });
  expect(await create({ AISLE_TOKEN: writer.token })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the scope admin is needed"),
  });
  expect(await create({ AISLE_TOKEN: admin.token })).toMatchObject({ code: 0 });
  const facade = await startServer({
    directory: join(directory, "none"),
    flags: ["--role", "facade", "--rpc-url", services.rpcUrl],
    env: { AISLE_TOKEN: writer.token },
  });
  const body = new URLSearchParams({ app_id: "shop", action_type: "homepage_view", c_id: "c1" });
  const traced = await fetch(`${facade.facadeUrl}/trace`, { method: "POST", body });
  expect(traced.status).toBe(200);
  const audits = services
    .output()
    .split("\n")
    .flatMap((line) => (line.includes('"audit"') ? [(JSON.parse(line) as { audit: unknown }).audit] : []));
  const method = "aisle.v1.AppService/CreateApp";
  expect(audits).toEqual([
    { caller: "", method, app: "shop", code: "unauthenticated" },
    { caller: "facade", method, app: "shop", code: "permission_denied" },
    { caller: "ops", method, app: "shop", code: "ok" },
  ]);
  expect(services.output()).not.toContain("aisle_");
});
