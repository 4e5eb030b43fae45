import { readFileSync } from "node:fs";
import { get } from "node:https";
import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials } from "@grpc/grpc-js";
import { expect, it, onTestFinished } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { makeCertificate } from "../../fixtures/certificate.js";
import { temporaryDirectory } from "../../fixtures/server.js";
import { openListener } from "./rpc-fixture.js";

/** A certificate for 127.0.0.1 that signs itself, its parts in PEM. */
async function certificateOf(name: string) {
  const files = makeCertificate(await temporaryDirectory(), name, ["127.0.0.1"]);
  return { cert: readFileSync(files.cert, "utf8"), key: readFileSync(files.key, "utf8") };
}

async function openSecure(deps: Parameters<typeof openListener>[0] & { readonly clientCa?: string } = {}) {
  const { clientCa, ...rest } = deps;
  const certificate = await certificateOf("server");
  const listener = await openListener({ certificate: { ...certificate, clientCa }, ...rest });
  return { ...listener, url: `https://${listener.address}`, certificate, ca: certificate.cert };
}

interface Trust {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

const TRANSPORTS = {
  gRPC: (baseUrl: string, nodeOptions: Trust) => createGrpcTransport({ baseUrl, nodeOptions }),
  "gRPC-Web over HTTP/1.1": (baseUrl: string, nodeOptions: Trust) =>
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1", nodeOptions }),
  "Connect over HTTP/1.1": (baseUrl: string, nodeOptions: Trust) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions }),
  "Connect over HTTP/2": (baseUrl: string, nodeOptions: Trust) =>
    createConnectTransport({ baseUrl, httpVersion: "2", nodeOptions }),
};

const noSuchApp = (url: string, trust: Trust, kind: keyof typeof TRANSPORTS = "gRPC") =>
  createClient(AppService, TRANSPORTS[kind](url, trust)).getApp({ appId: "none" });

/** The status of a plain GET, or what went wrong. */
function statusOf(url: string, trust: Trust): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = get(url, { ...trust, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once("error", (error) => resolve(error.message));
  });
}

it.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])("with a certificate %s uses TLS", async (kind) => {
  const { url, ca } = await openSecure();
  await expect(noSuchApp(url, { ca }, kind)).rejects.toMatchObject({ code: Code.NotFound });
});

it("with a certificate a stock grpc-js client that trusts it is served", async () => {
  const { address, ca } = await openSecure();
  const client = new Client(address, credentials.createSsl(Buffer.from(ca)));
  onTestFinished(() => client.close());
  const same = (bytes: Buffer) => bytes;
  const answer = new Promise((resolve) => {
    client.makeUnaryRequest("/aisle.v1.AppService/GetApp", same, same, Buffer.alloc(0), (error) =>
      resolve(error?.code),
    );
  });
  expect(await answer).toBe(Code.NotFound);
});

it("with a certificate health and metrics use https, and a plaintext caller gets no answer", async () => {
  const { url, port, ca } = await openSecure();
  expect(await statusOf(`${url}/healthz`, { ca })).toBe(200);
  const socket = connectPlain(port, "127.0.0.1", () =>
    socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"),
  );
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  await new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
  expect(received).not.toContain("HTTP/1.1 2");
});

it("a client authority admits its own callers and refuses others in the handshake", async () => {
  const [known, foreign] = [await certificateOf("known"), await certificateOf("foreign")];
  const { url, ca } = await openSecure({ clientCa: known.cert });
  await expect(noSuchApp(url, { ca, ...known })).rejects.toMatchObject({ code: Code.NotFound });
  expect(await statusOf(`${url}/healthz`, { ca, ...known })).toBe(200);
  for (const trust of [{ ca }, { ca, ...foreign }]) {
    await expect(noSuchApp(url, trust)).rejects.not.toMatchObject({ code: Code.NotFound });
    expect(await statusOf(`${url}/healthz`, trust)).toEqual(expect.any(String));
  }
});

it("a renewed certificate and authority serve new connections, and a call under way continues", async () => {
  const [before, after] = [await certificateOf("before"), await certificateOf("after")];
  const { url, ca, renewCertificate } = await openSecure({ clientCa: before.cert });
  const open = createClient(AppService, TRANSPORTS.gRPC(url, { ca, ...before }));
  await expect(open.getApp({ appId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
  const other = await certificateOf("other");
  renewCertificate({ ...other, clientCa: after.cert });
  await expect(open.getApp({ appId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
  await expect(noSuchApp(url, { ca: other.cert, ...after })).rejects.toMatchObject({ code: Code.NotFound });
  expect(await statusOf(`${url}/healthz`, { ca: other.cert, ...before })).toEqual(expect.any(String));
});

it.each([
  ["says nothing", false],
  ["sends a byte of one record now and then", true],
])("a peer that never ends the handshake and %s is disconnected", async (_, drips) => {
  const { port } = await openSecure({ limits: { firstBytesMs: 200 } });
  const socket = connectPlain(port, "127.0.0.1").on("error", () => undefined);
  // The head of a record of 512 bytes, and then its bytes: more time than the test has.
  const record = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01];
  const drip = setInterval(() => drips && socket.write(Buffer.from([record.shift() ?? 0])), 80);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(drip);
});

it("a peer that ends the handshake and shows no protocol is disconnected", async () => {
  const { port, ca } = await openSecure({ limits: { firstBytesMs: 200 } });
  const socket = connectTls({ port, host: "127.0.0.1", ca }).on("error", () => undefined);
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  await new Promise((resolve) => socket.once("close", resolve));
});

it("a connection that is not admitted gets no TLS handshake", async () => {
  const { url, ca } = await openSecure({ admits: () => false });
  expect(await statusOf(`${url}/healthz`, { ca })).toEqual(expect.any(String));
});

it("the TLS listener closes while a handshake has not ended", async () => {
  const { port, close } = await openSecure();
  const socket = connectPlain(port, "127.0.0.1").on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await close(5_000);
  await closed;
});
