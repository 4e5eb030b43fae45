import { copyFileSync, readFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeCertificate } from "../fixtures/certificate.js";
import { freePort, launchServer, runAisle, startServer, temporaryDirectory } from "../fixtures/server.js";

/** Services that ask callers for a certificate, and the environment of a caller that has one. */
async function guardedServices() {
  const directory = await temporaryDirectory();
  const files = makeCertificate(directory, "server", ["127.0.0.1"]);
  const client = makeCertificate(directory, "client", ["client.test"]);
  const flags = ["--rpc-tls-cert", files.cert, "--rpc-tls-key", files.key, "--rpc-client-ca", client.cert];
  const port = ["--rpc-port", String(await freePort())];
  const services = await startServer({
    directory: join(directory, "store"),
    flags: ["--role", "services", ...flags, ...port],
  });
  const env = { AISLE_CA: files.cert, AISLE_CLIENT_CERT: client.cert, AISLE_CLIENT_KEY: client.key };
  return { directory, files, client, services, env };
}

it("services that require client certificates serve commands and a facade that have one, and no others", async () => {
  const { directory, files, client, services, env } = await guardedServices();
  expect(services.rpcUrl).toMatch(/^https:/);
  const create = ["app", "create", "shop", "--server", services.rpcUrl];
  expect(await runAisle(create, { env: { AISLE_CA: files.cert } })).toMatchObject({ code: 1 });
  const flags = ["--ca", files.cert, "--client-cert", client.cert, "--client-key", client.key];
  expect(await runAisle([...create, ...flags])).toMatchObject({ code: 0 });
  const facade = await startServer({
    directory: join(directory, "none"),
    flags: ["--role", "facade", "--rpc-url", services.rpcUrl],
    env,
  });
  const body = new URLSearchParams({ app_id: "shop", action_type: "homepage_view", c_id: "c1" });
  expect((await fetch(`${facade.facadeUrl}/trace`, { method: "POST", body })).status).toBe(200);
});

it("new connections use replaced RPC certificates without a restart", async () => {
  const { directory, files, client, services } = await guardedServices();
  const other = makeCertificate(directory, "other", ["127.0.0.1"]);
  copyFileSync(other.cert, files.cert);
  copyFileSync(other.key, files.key);
  const trust = { ca: readFileSync(other.cert), cert: readFileSync(client.cert), key: readFileSync(client.key) };
  const status = () =>
    new Promise((resolve) => {
      get(`${services.rpcUrl}/healthz`, { ...trust, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).once("error", () => resolve(0));
    });
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
});

it("a server stops with a line that names the setting when its client authority is not PEM", async () => {
  const directory = await temporaryDirectory();
  const { cert, key } = makeCertificate(directory, "server", ["127.0.0.1"]);
  const flags = ["--rpc-tls-cert", cert, "--rpc-tls-key", key, "--rpc-client-ca", key];
  const server = launchServer({ directory: join(directory, "store"), flags });
  expect(await server.ended).toBe(2);
  expect(server.output()).toContain("--rpc-client-ca (AISLE_RPC_CLIENT_CA): certificates in PEM are accepted");
});
