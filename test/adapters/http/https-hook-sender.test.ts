import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPublicAddress } from "../../../src/adapters/http/checked-address.js";
import { createHttpsHookSender } from "../../../src/adapters/http/https-hook-sender.js";
import { makeCertificate } from "../../fixtures/certificate.js";
import { temporaryDirectory } from "../../fixtures/server.js";

const HERE = [{ address: "127.0.0.1", family: 4 }];

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A receiver at https://hooks.test on this machine, and what it received. */
async function receiver(answer: (answer: ServerResponse) => void = (one) => one.end()) {
  const files = makeCertificate(await temporaryDirectory(), "hooks", ["hooks.test"]);
  const received: Received[] = [];
  const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.once("end", () => {
      received.push({ headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://hooks.test:${port}/in?shop=1`, port, ca: readFileSync(files.cert, "utf8"), received };
}

const message = (url: string) => ({
  url,
  headers: { "content-type": "application/json", "webhook-id": "m1" },
  body: "{}",
});

describe("the hook sender", () => {
  it("posts body and headers, and counts a 2xx as delivered", async () => {
    const { url, ca, received } = await receiver((answer) => answer.writeHead(202).end());
    const send = createHttpsHookSender({ allowPrivate: true, ca, resolve: async () => HERE });
    expect(await send(message(url))).toEqual({ failure: undefined, status: 202 });
    expect(received).toEqual([{ headers: expect.objectContaining({ "webhook-id": "m1" }), body: "{}" }]);
  });

  it("does not connect when a name has a private address, even beside a public one", async () => {
    const { url, ca, received } = await receiver();
    const resolve = async () => [{ address: "93.184.215.14", family: 4 }, ...HERE];
    const send = createHttpsHookSender({ allowPrivate: false, ca, resolve });
    expect(await send(message(url))).toEqual({ failure: "address_not_allowed", status: 0 });
    expect(received).toEqual([]);
  });

  it("connects to the address that it checked, without a second DNS lookup", async () => {
    const { url, ca, received } = await receiver();
    let looks = 0;
    const resolve = async () => (looks++ === 0 ? HERE : [{ address: "127.0.0.9", family: 4 }]);
    const send = createHttpsHookSender({ allowPrivate: true, ca, resolve });
    expect(await send(message(url))).toEqual({ failure: undefined, status: 200 });
    expect([looks, received.length]).toEqual([1, 1]);
  });

  it.each(["https://127.0.0.1:PORT/", "https://[::1]:PORT/", "https://2130706433:PORT/", "https://0x7f.1:PORT/"])(
    "rejects %s, an address in place of a name",
    async (url) => {
      const { port, ca, received } = await receiver();
      const send = createHttpsHookSender({ allowPrivate: false, ca });
      expect(await send(message(url.replace("PORT", String(port))))).toEqual({
        failure: "address_not_allowed",
        status: 0,
      });
      expect(received).toEqual([]);
    },
  );

  it("follows no redirect", async () => {
    const target = await receiver();
    const { url, ca } = await receiver((answer) => answer.writeHead(307, { location: target.url }).end());
    const send = createHttpsHookSender({ allowPrivate: true, ca, resolve: async () => HERE });
    expect(await send(message(url))).toEqual({ failure: "redirected", status: 307 });
    expect(target.received).toEqual([]);
  });

  it.each([400, 410, 500, 503])("counts the answer %i as refused", async (status) => {
    const { url, ca } = await receiver((answer) => answer.writeHead(status).end());
    const send = createHttpsHookSender({ allowPrivate: true, ca, resolve: async () => HERE });
    expect(await send(message(url))).toEqual({ failure: "refused", status });
  });

  it("sends nothing without https", async () => {
    const send = createHttpsHookSender({ allowPrivate: true });
    expect(await send(message("http://127.0.0.1:1/"))).toEqual({ failure: "address_not_allowed", status: 0 });
  });

  it("rejects a certificate that it does not trust", async () => {
    const { url, received } = await receiver();
    const send = createHttpsHookSender({ allowPrivate: true, resolve: async () => HERE });
    expect(await send(message(url))).toEqual({ failure: "certificate_refused", status: 0 });
    expect(received).toEqual([]);
  });

  it("gives up on a receiver that does not answer, and on a name that does not resolve", async () => {
    const silent = createTcpServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const url = `https://hooks.test:${(silent.address() as AddressInfo).port}/`;
    const late = { allowPrivate: true, timeoutMs: 100 };
    expect(await createHttpsHookSender({ ...late, resolve: async () => HERE })(message(url))).toEqual({
      failure: "timed_out",
      status: 0,
    });
    expect(await createHttpsHookSender({ ...late, resolve: () => new Promise(() => undefined) })(message(url))).toEqual(
      {
        failure: "timed_out",
        status: 0,
      },
    );
  });

  it("reports an unknown name and a refused connection", async () => {
    const unknown = async () => {
      throw Object.assign(new Error("not known"), { code: "ENOTFOUND" });
    };
    const send = createHttpsHookSender({ allowPrivate: true, resolve: unknown });
    expect(await send(message("https://hooks.test/"))).toEqual({ failure: "host_not_found", status: 0 });
    const { url, ca } = await receiver();
    const closed = url.replace(/:\d+/, ":1");
    const other = createHttpsHookSender({ allowPrivate: true, ca, resolve: async () => HERE });
    expect(await other(message(closed))).toEqual({ failure: "connection_failed", status: 0 });
  });
});

describe("isPublicAddress", () => {
  it.each(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])("is true for %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "::",
    "::1",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "a.name",
    "",
  ])("is false for %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
