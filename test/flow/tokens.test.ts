import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTokens } from "../../src/server/rpc-tokens.js";
import { hashOf } from "../../src/services/access/authorization.js";
import { freePort, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";

/** A token as the command makes one: what the caller says, and the line for the server. */
async function tokenOf(name: string, scope: string) {
  const { stdout } = await runAisle(["token", "--name", name, "--scope", scope]);
  const [, token = ""] = /: (aisle_\S+)/.exec(stdout) ?? [];
  const [, line = ""] = /: +(\S+ \S+ [0-9a-f]{64})$/m.exec(stdout) ?? [];
  return { token, line };
}

it("a server with tokens serves commands and a facade in another process, and no caller without one", async () => {
  const directory = await temporaryDirectory();
  const [admin, facadeToken] = [await tokenOf("ops", "admin"), await tokenOf("facade", "storefront")];
  const file = join(directory, "tokens");
  writeFileSync(file, `${admin.line}\n${facadeToken.line}\n`);
  const auditLog = join(directory, "audit.log");
  const services = await startServer({
    directory: join(directory, "store"),
    flags: [
      "--role",
      "services",
      "--rpc-tokens",
      file,
      "--audit-log",
      auditLog,
      "--rpc-port",
      String(await freePort()),
    ],
  });
  const create = (env: Record<string, string>) =>
    runAisle(["app", "create", "shop", "--server", services.rpcUrl], { env });
  expect(await create({})).toMatchObject({ code: 1, stderr: expect.stringContaining("AISLE_TOKEN") });
  expect(await create({ AISLE_TOKEN: facadeToken.token })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the scope admin is needed"),
  });
  expect(await create({ AISLE_TOKEN: admin.token })).toMatchObject({ code: 0 });
  const facade = await startServer({
    directory: join(directory, "none"),
    flags: ["--role", "facade", "--rpc-url", services.rpcUrl],
    env: { AISLE_TOKEN: facadeToken.token },
  });
  const body = new URLSearchParams({ app_id: "shop", action_type: "homepage_view", c_id: "c1" });
  const traced = await fetch(`${facade.facadeUrl}/trace`, { method: "POST", body });
  expect(traced.status).toBe(200);
  const visitor = "app_id=shop&fpcid=fp-1";
  expect((await fetch(`${facade.facadeUrl}/subscription_status?${visitor}`)).status).toBe(200);
  const asked = await fetch(`${facade.facadeUrl}/recommend`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ appId: "shop", productInteractions: [], currentProductIds: "p1" }),
  });
  expect(asked.status).toBe(200);
  const audits = readFileSync(auditLog, "utf8").trimEnd().split("\n");
  const entry = (token: string, app: string, code: string) => ({
    time: expect.stringMatching(/^20\d\d-/),
    audit: { peer: "127.0.0.1", token, method: "aisle.v1.AppService/CreateApp", app, code },
  });
  expect(audits.map((line): unknown => JSON.parse(line))).toEqual([
    entry("", "", "unauthenticated"),
    entry("facade", "", "permission_denied"),
    entry("ops", "shop", "ok"),
  ]);
  expect(statSync(auditLog).mode & 0o777).toBe(0o600);
  expect(services.output() + audits.join()).not.toContain("aisle_");
}, 120_000);

it("a facade whose token is limited to one app serves no other", async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, "tokens");
  writeFileSync(file, `facade storefront apps=mine ${hashOf("secret")}\nops admin ${hashOf("other")}\n`);
  const services = await startServer({
    directory: join(directory, "store"),
    flags: ["--role", "services", "--rpc-tokens", file],
  });
  const create = (app: string) =>
    runAisle(["app", "create", app, "--server", services.rpcUrl], { env: { AISLE_TOKEN: "other" } });
  await Promise.all([create("mine"), create("other")]);
  const facade = await startServer({
    directory: join(directory, "none"),
    flags: ["--role", "facade", "--rpc-url", services.rpcUrl],
    env: { AISLE_TOKEN: "secret" },
  });
  const trace = async (appId: string) => {
    const body = new URLSearchParams({ app_id: appId, action_type: "homepage_view", c_id: "c1" });
    const { status } = await fetch(`${facade.facadeUrl}/trace`, { method: "POST", body });
    return status;
  };
  const statusOf = async (path: string) => (await fetch(facade.facadeUrl + path)).status;
  expect([await trace("mine"), await trace("other"), await trace("none")]).toEqual([200, 400, 400]);
  expect(await statusOf("/subscription_status?app_id=other&fpcid=fp-1")).toBe(400);
  expect(await statusOf("/s/other.AAAA.AAAAAAAAAAAAAAAAAAAAAA")).toBe(404);
  expect(facade.output()).not.toContain('"level":50');
}, 120_000);

it("the audit log goes to standard error although logging is off", async () => {
  const server = await startServer({
    directory: join(await temporaryDirectory(), "store"),
    flags: ["--role", "services", "--log-level", "silent"],
  });
  expect(await runAisle(["app", "create", "shop", "--server", server.rpcUrl])).toMatchObject({ code: 0 });
  await expect
    .poll(server.output)
    .toMatch(/"audit":\{.*"method":"aisle.v1.AppService\/CreateApp","app":"shop","code":"ok"/);
});

it("a server does not start when it cannot open its audit log", async () => {
  const directory = await temporaryDirectory();
  const start = startServer({
    directory: join(directory, "store"),
    flags: ["--audit-log", join(directory, "no", "log")],
  });
  await expect(start).rejects.toThrow(/ended with 2 .*--audit-log \(AISLE_AUDIT_LOG\): the file cannot be opened/s);
});

it("aisle token prints a line with scopes, apps and an expiry that the server accepts", async () => {
  const made = await runAisle([
    "token",
    "--name",
    "crm",
    "--scope",
    "read,personal",
    "--app",
    "a,b",
    "--app",
    "c",
    "--expires",
    "2099-12-31",
  ]);
  const [, line = ""] = /file: +(.+)$/m.exec(made.stdout) ?? [];
  const file = join(await temporaryDirectory(), "tokens");
  writeFileSync(file, line);
  expect([...readTokens(file).values()]).toEqual([
    {
      name: "crm",
      scopes: new Set(["read", "personal"]),
      apps: new Set(["a", "b", "c"]),
      expiresAt: Date.UTC(2099, 11, 31),
    },
  ]);
  const days = await runAisle(["token", "--name", "crm", "--scope", "read", "--expires", "30d"]);
  const end = Date.parse(/expires=(\S+)/.exec(days.stdout)?.[1] ?? "");
  expect(Math.abs(end - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
});

it.each([
  ["a scope that is none", ["--scope", "all"]],
  ["an app that cannot be", ["--scope", "read", "--app", "my shop"]],
  ["a day that is over", ["--scope", "read", "--expires", "2020-01-01"]],
  ["a day that is none", ["--scope", "read", "--expires", "2099-02-30"]],
])("aisle token refuses %s as a usage error", async (_, flags) => {
  expect(await runAisle(["token", "--name", "x", ...flags])).toMatchObject({ code: 2, stdout: "" });
});
