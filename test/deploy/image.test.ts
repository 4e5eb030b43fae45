import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/server/settings/config.js";
import { startServer, temporaryDirectory } from "../fixtures/server.js";
import { unknownNames } from "./settings.js";

const root = join(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = text("Dockerfile").replaceAll("\\\n", " ");
const lines = (word: string) =>
  [...dockerfile.matchAll(new RegExp(`^${word} (.+)$`, "gm"))].map(([, rest]) => rest ?? "");

/** Runs the health check of the image; its exit code. */
function healthCheck(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [join(root, "deploy/health-check.mjs"), ...args], {
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  return new Promise((resolve) => child.once("exit", resolve));
}

const portOf = (url: string) => new URL(url).port;

it("every file that the Dockerfile copies exists and passes .dockerignore", () => {
  const [first = "", ...kept] = text(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(first).toBe("*");
  expect(kept.filter((line) => !line.startsWith("!") || !existsSync(join(root, line.slice(1))))).toEqual([]);
});

it("the build stage has every file that the build steps need", () => {
  const read = [...text("scripts/setup.mjs").matchAll(/hashOf\(([^)]+)\)/g)]
    .flatMap(([, names = ""]) => [...names.matchAll(/"([^"]+)"/g)])
    .flatMap(([, name]) => name ?? []);
  const kept = text(".dockerignore");
  expect(read.length).toBeGreaterThan(5);
  expect(read.filter((name) => !kept.includes(`!${name.split("/")[0]}\n`))).toEqual([]);
});

it("the final image has the built files that package.json names", () => {
  const copied = lines("COPY --from=build").flatMap((line) =>
    line.split(" ").filter((word) => word.startsWith("/aisle/")),
  );
  for (const path of ["node_modules", "bin", "dist", "package.json"]) expect(copied).toContain(`/aisle/${path}`);
  expect(JSON.parse(text("package.json")).bin.aisle).toBe("bin/aisle.js");
});

it("the image sets only existing variables, and starts a server with them, without root or a shell", () => {
  const environment = Object.fromEntries(
    lines("ENV").flatMap((line) =>
      line.split(/\s+/).map((pair): [string, string] => {
        const [name = "", value = ""] = pair.split("=");
        return [name, value];
      }),
    ),
  );
  expect(
    unknownNames(
      Object.keys(environment).filter((name) => name !== "NODE_ENV"),
      [],
    ),
  ).toEqual([]);
  const { facade, rpc } = readConfig({}, environment);
  expect(facade).toEqual({ host: "0.0.0.0", port: Number(lines("EXPOSE")[0]) });
  expect(rpc.host).toBe("127.0.0.1");
  expect(lines("USER")).toEqual(["1000:1000"]);
  expect(lines("ENTRYPOINT")).toEqual(['["node", "/aisle/bin/aisle.js"]']);
  expect(lines("CMD")).toEqual(['["serve"]']);
  // Build arguments, so that whoever builds can name them by digest.
  const images = new Map(lines("ARG").map((line) => [line.split("=")[0], line.split("=")[1] ?? ""]));
  const bases = lines("FROM").map((from) => images.get(/^\$\{(\w+)\}/.exec(from)?.[1] ?? ""));
  expect(bases).toEqual(["node:24-bookworm", "node:24-bookworm-slim"]);
});

it("the health check passes while a server answers, by the RPC port for every role but the facade", async () => {
  const directory = await temporaryDirectory();
  const all = await startServer({ directory });
  expect(await healthCheck({ AISLE_FACADE_PORT: portOf(all.facadeUrl) })).toBe(0);
  const services = { AISLE_ROLE: "services", AISLE_RPC_PORT: portOf(all.rpcUrl) };
  expect(await healthCheck(services)).toBe(0);
  expect(await healthCheck({ ...services, AISLE_ROLE: "trainer" })).toBe(0);
  expect(await healthCheck({}, `${all.facadeUrl}/readyz`)).toBe(0);
  await all.end("SIGTERM");
  expect(await healthCheck({ AISLE_FACADE_PORT: portOf(all.facadeUrl) })).toBe(1);
  expect(await healthCheck(services)).toBe(1);
});

it("the health check fails for a facade that is not ready", async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/readyz" ? 503 : 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(await healthCheck({ AISLE_ROLE: "facade", AISLE_FACADE_PORT: String(port) })).toBe(1);
  expect(await healthCheck({ AISLE_ROLE: "services", AISLE_RPC_PORT: String(port) })).toBe(0);
});

it("services answer to the host names that they are given, and to no others", async () => {
  const flags = ["--role", "services", "--rpc-names", "aisle-services,aisle-services.shop.svc"];
  const services = await startServer({ directory: await temporaryDirectory(), flags });
  const port = portOf(services.rpcUrl);
  const ask = (name: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = get({ port, path: "/healthz", headers: { host: `${name}:${port}` } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.once("error", reject);
    });
  for (const name of ["aisle-services", "aisle-services.shop.svc", "127.0.0.1"]) expect(await ask(name)).toBe(200);
  expect(await ask("elsewhere.example")).toBe(403);
});
