import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { type ServerProcess, sharedOwner, startServer, temporaryDirectory } from "../fixtures/server.js";

const { owner, release } = sharedOwner();
let server: ServerProcess;

beforeAll(async () => {
  const directory = join(await temporaryDirectory(owner), "store");
  server = await startServer({ directory, flags: ["--rpc-names", "aisle_rpc"], owner });
});
afterAll(release);

/** HTTP status of a request for this host. */
function statusFor(authority: string): Promise<unknown> {
  const session = connect(server.rpcUrl);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":authority": authority, ":path": "/healthz" });
  return new Promise((resolve, reject) => {
    stream.once("response", (answer) => resolve(answer[":status"]));
    stream.once("error", reject);
    stream.resume();
  });
}

describe("--rpc-names aisle_rpc", () => {
  it("admits the host that nginx sends for an upstream of this name", async () => {
    expect([await statusFor("aisle_rpc"), await statusFor("other_rpc")]).toEqual([200, 403]);
  });

  const isInstalled = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].some((folder) =>
    existsSync(join(folder, "nginx")),
  );
  if (!isInstalled) process.stderr.write("\nSkipped: a test with nginx, which is not installed\n");

  it.skipIf(!isInstalled).each([
    ["the name of the upstream", ""],
    ["the host of its caller", "grpc_set_header Host $host;"],
  ])("lets nginx pass gRPC calls with %s as their host", async (_, setting) => {
    const baseUrl = await startNginx(setting);
    const apps = createClient(AppService, createGrpcTransport({ baseUrl }));
    expect((await apps.createApp({ app: {} })).app?.appId).not.toBe("");
    await expect(apps.getApp({ appId: "none" })).rejects.toThrow("There is no such app");
  });
});

/** Starts nginx as docs/operate.md configures it, on a free port. */
async function startNginx(setting: string): Promise<string> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const file = join(directory, "nginx.conf");
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr;
    events {}
    http {
      access_log off; ${places.join(" ")}
      upstream aisle_rpc { server ${new URL(server.rpcUrl).host}; }
      server { listen 127.0.0.1:${port} http2; location / { ${setting} grpc_pass grpc://aisle_rpc; } }
    }`,
  );
  const env = { ...process.env, PATH: [process.env.PATH, "/usr/sbin"].join(delimiter) };
  const child = spawn("nginx", ["-p", directory, "-e", "stderr", "-c", file], { env, stdio: "ignore" });
  onTestFinished(() => ended(child));
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => accepts(url), { timeout: 10_000 }).toBe(true);
  return url;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.kill("SIGTERM")) await exit;
}

function accepts(url: string): Promise<boolean> {
  const session = connect(url);
  return new Promise((resolve) => {
    session.once("connect", () => resolve(true));
    session.once("error", () => resolve(false));
  }).then((isOpen) => {
    session.destroy();
    return isOpen === true;
  });
}

function freePort(): Promise<number> {
  const listener = createServer();
  return new Promise((resolve) =>
    listener.listen(0, "127.0.0.1", () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    }),
  );
}
