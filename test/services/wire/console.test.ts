import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ConsolePages, createConsole } from "../../../src/services/wire/console.js";
import { createRpcListener } from "../../../src/services/wire/rpc-listener.js";

const FILES: ConsolePages["files"] = new Map([
  ["index.html", { contentType: "text/html; charset=utf-8", body: Buffer.from("<!doctype html>") }],
  ["assets/index.js", { contentType: "text/javascript; charset=utf-8", body: Buffer.from("1") }],
]);
const PAGES: ConsolePages = { files: FILES, storefrontUrl: "https://aisle.shop.test", anyPeer: false };

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function get(port: number, { path = "/console/", method = "GET", headers = {} }: Asked = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const request = send({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.once("error", reject);
    request.end();
  });
}

async function listener(pages: ConsolePages | undefined) {
  const rpc = createRpcListener({ routes: () => undefined, host: "127.0.0.1", port: 0, console: pages });
  const { port } = await rpc.listen();
  onTestFinished(() => rpc.close(0));
  return (asked?: Asked) => get(port, asked);
}

/** The answers to a caller at another address. */
async function fromAddress(address: string, pages: ConsolePages) {
  const answer = createConsole(pages);
  const server = createServer((request, response) => {
    Object.defineProperty(request.socket, "remoteAddress", { value: address });
    if (!answer(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return get((server.address() as AddressInfo).port);
}

describe("the console on the RPC listener", () => {
  it("is a page that may load and call only its own origin, and pictures over https or from the facade", async () => {
    const ask = await listener(PAGES);
    const { status, headers, body } = await ask();
    expect([status, headers["content-type"], body]).toEqual([200, "text/html; charset=utf-8", "<!doctype html>"]);
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data: https: https://aisle.shop.test",
      ]),
    );
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("answers HEAD without a body", async () => {
    const ask = await listener(PAGES);
    expect(await ask({ method: "HEAD" })).toMatchObject({ status: 200, body: "" });
  });

  it("redirects /console to its page, and serves no other file or method", async () => {
    const ask = await listener(PAGES);
    expect(await ask({ path: "/console" })).toMatchObject({ status: 308, headers: { location: "/console/" } });
    expect(await ask({ path: "/console/../config" })).toMatchObject({ status: 404 });
    expect(await ask({ path: "/console/index.html.map" })).toMatchObject({ status: 404 });
    expect(await ask({ method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  it("gives the page the address of the facade", async () => {
    const ask = await listener(PAGES);
    const { body } = await ask({ path: "/console/about.json" });
    expect(JSON.parse(body)).toEqual({ storefrontUrl: "https://aisle.shop.test" });
  });

  it("answers 404 where it is off", async () => {
    const ask = await listener(undefined);
    expect(await ask()).toMatchObject({ status: 404 });
  });

  it("is refused under a host name that could be rebound to this machine", async () => {
    const ask = await listener({ ...PAGES, anyPeer: true });
    expect(await ask({ headers: { host: "rebound.test" } })).toMatchObject({ status: 403 });
  });

  it.each(["x-forwarded-for", "forwarded"])("is refused to callers behind a proxy (%s)", async (name) => {
    const ask = await listener(PAGES);
    expect(await ask({ headers: { [name]: "203.0.113.7" } })).toMatchObject({ status: 403 });
  });

  it.each(["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7", "1270.0.0.1", ""])(
    "is refused to a caller at %s unless remote callers are allowed",
    async (address) => {
      expect(await fromAddress(address, PAGES)).toMatchObject({ status: 403 });
      expect(await fromAddress(address, { ...PAGES, anyPeer: true })).toMatchObject({ status: 200 });
    },
  );

  it.each(["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])("is shown to a caller at %s", async (address) => {
    expect(await fromAddress(address, PAGES)).toMatchObject({ status: 200 });
  });
});
