import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { makeCertificate } from "../fixtures/certificate.js";
import { launchServer, rpcClients, startServer, temporaryDirectory } from "../fixtures/server.js";

interface Answer {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly body: string;
}

/** Calls the server and trusts this certificate alone. */
function call(url: string, ca: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(url, { ca, servername: "aisle.test", method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, cookies: answer.headers["set-cookie"] ?? [], body: text }),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

async function secureShop() {
  const directory = await temporaryDirectory();
  const files = makeCertificate(directory, "used", ["aisle.test"]);
  const flags = ["--tls-cert", files.cert, "--tls-key", files.key];
  const server = await startServer({ directory: `${directory}/store`, flags });
  await rpcClients(server.rpcUrl).apps.createApp({ app: { appId: "shop" } });
  return { directory, files, server };
}

it("the facade serves https with a certificate, and its cookies work across sites", async () => {
  const { files, server } = await secureShop();
  expect(server.facadeUrl).toMatch(/^https:/);
  const ca = readFileSync(files.cert, "utf8");
  const form = "app_id=shop&action_type=product_view&product_ids=p1&c_id=c1";
  expect(await call(`${server.facadeUrl}/trace`, ca, form)).toMatchObject({ status: 200 });
  const status = await call(`${server.facadeUrl}/subscription_status?app_id=shop&fpcid=f1`, ca);
  expect(JSON.parse(status.body)).toEqual({ identified: false, status: null, message: "Success" });
  expect(status.cookies).toHaveLength(3);
  for (const cookie of status.cookies) expect(cookie).toContain("Secure; SameSite=None; Partitioned");
});

it("new connections use a replaced certificate without a restart", async () => {
  const { directory, files, server } = await secureShop();
  const other = makeCertificate(directory, "other", ["aisle.test"]);
  copyFileSync(other.cert, files.cert);
  copyFileSync(other.key, files.key);
  const ca = readFileSync(other.cert, "utf8");
  const isRenewed = () =>
    call(`${server.facadeUrl}/healthz`, ca).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(isRenewed, { timeout: 20_000 }).toBe(200);
});

it("the container's health check uses https when the server has a certificate", async () => {
  const { files, server } = await secureShop();
  const check = join(import.meta.dirname, "../../deploy/health-check.mjs");
  const env = { ...process.env, AISLE_TLS_CERT: files.cert, AISLE_FACADE_PORT: new URL(server.facadeUrl).port };
  const child = spawn(process.execPath, [check], { env });
  expect((await once(child, "exit"))[0]).toBe(0);
});

it("a peer that offers only TLS 1.1 is refused", async () => {
  const { server } = await secureShop();
  const { port } = new URL(server.facadeUrl);
  const versions = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const outcome = await new Promise((resolve) => {
    const socket = connect({ port: Number(port), rejectUnauthorized: false, ...versions }, () => resolve("connected"));
    socket.once("error", () => resolve("refused"));
  });
  expect(outcome).toBe("refused");
});

it("a server stops with a line that names the setting when it cannot read its certificate", async () => {
  const directory = await temporaryDirectory();
  const { cert } = makeCertificate(directory, "used", ["aisle.test"]);
  const flags = ["--tls-cert", cert, "--tls-key", "/nowhere"];
  const server = launchServer({ directory: `${directory}/store`, flags });
  expect(await server.ended).toBe(2);
  expect(server.output()).toContain("--tls-key (AISLE_TLS_KEY): the file cannot be read");
});
