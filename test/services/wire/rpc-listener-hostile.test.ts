import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { createFixtureRoutes, createGate, openListener } from "./rpc-fixture.js";

/** Sends bytes on a bare socket and gives what came back when the server has closed it. */
function exchange(port: number, ...pieces: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(port);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(received));
    socket.on("error", (error) => ("code" in error && error.code === "ECONNRESET" ? undefined : reject(error)));
    for (const piece of pieces) socket.write(piece);
  });
}

function openSocket(port: number): Socket {
  const socket = connect(port, "127.0.0.1").setNoDelay();
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

async function expectStillServing(url: string) {
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const grpc = createClient(AppService, createGrpcTransport({ baseUrl: url }));
  await expect(grpc.getApp({ appId: "none" })).rejects.toMatchObject({ code: Code.NotFound });
}

describe("a message", () => {
  const big = { app: { appId: "shop", displayName: "x".repeat(2_000) } };

  it.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["Connect over HTTP/1.1", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ])("above the limit gets RESOURCE_EXHAUSTED over %s", async (_, transport) => {
    const { url } = await openListener({ limits: { readMaxBytes: 1_000 } });
    const apps = createClient(AppService, transport(url));
    await expect(apps.createApp(big)).rejects.toMatchObject({ code: Code.ResourceExhausted });
    await expectStillServing(url);
  });

  it.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["Connect over HTTP/1.1", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ])("that is large gets UNAVAILABLE over %s while others use up the memory, without waiting", async (_, transport) => {
    const getApp = createGate();
    const getAppCalled = createGate();
    let shed = 0;
    const { url } = await openListener({
      routes: createFixtureRoutes({ getApp, getAppCalled }),
      limits: { sharedBytes: 10_000 },
      onShed: () => {
        shed++;
      },
    });
    const apps = createClient(AppService, transport(url));
    const large = { appId: "x".repeat(12_000) };
    const held = apps.getApp(large).catch(ConnectError.from);
    await getAppCalled.opened;
    await expect(apps.getApp(large)).rejects.toMatchObject({ code: Code.Unavailable });
    expect(shed).toBe(1);
    const small = apps.getApp({ appId: "none" }).catch(ConnectError.from);
    getApp.open();
    expect(await Promise.all([held, small])).toMatchObject([{ code: Code.NotFound }, { code: Code.NotFound }]);
    await expect.poll(() => apps.getApp(large).catch(ConnectError.from)).toMatchObject({ code: Code.NotFound });
  });

  it("that is rejected while it comes leaves no connection open over HTTP/1.1", async () => {
    const { port } = await openListener({ limits: { sharedBytes: 0, lingerMs: 50 } });
    const head = `POST /aisle.v1.AppService/GetApp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/proto\r\n`;
    const answer = await exchange(port, `${head}Content-Length: 1000000\r\n\r\n`, Buffer.alloc(999_999));
    expect(answer).toContain('"code":"unavailable"');
  });

  it("above the limit only after decompression gets RESOURCE_EXHAUSTED", async () => {
    const { url } = await openListener({ limits: { readMaxBytes: 1_000 } });
    const answer = await fetch(`${url}/aisle.v1.AppService/CreateApp`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(big)),
    });
    expect(await answer.json()).toMatchObject({ code: "resource_exhausted" });
  });

  it("of 4 MiB passes by default, a larger one does not", async () => {
    const { url } = await openListener();
    const apps = createClient(AppService, createGrpcTransport({ baseUrl: url }));
    const app = (length: number) => ({ app: { appId: "shop", displayName: "x".repeat(length) } });
    expect((await apps.createApp(app(4 * 1024 * 1024 - 100))).app?.appId).toBe("shop");
    await expect(apps.createApp(app(4 * 1024 * 1024))).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });

  it("above the limit ends its stream, and the connection lives", async () => {
    const { url } = await openListener({ limits: { readMaxBytes: 1_000 } });
    const wire = createGrpcTransport({ baseUrl: url });
    const batches = async function* () {
      for (let i = 0; i < 50; i++) yield { appId: "x".repeat(5_000) };
    };
    const error = await createClient(EventService, wire)
      .recordEvents(batches())
      .catch((reason: unknown) => reason);
    expect(ConnectError.from(error).code).toBe(Code.ResourceExhausted);
    await expect(createClient(AppService, wire).getApp({})).rejects.toMatchObject({ code: Code.NotFound });
  });
});

describe("a connection", () => {
  it("that begins with garbage gets 400 and affects no other", async () => {
    const { url, port } = await openListener();
    expect(await exchange(port, "\x16\x03\x01\x02\x00 garbage\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    await expectStillServing(url);
  });

  it("that sends garbage after HTTP/2's preface is closed and affects no other", async () => {
    const { url, port } = await openListener();
    await exchange(port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Buffer.alloc(2_000, 0xff));
    await exchange(port, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", Buffer.alloc(100));
    await exchange(port, "PRI * HTTP/1.1\r\n\r\n", Buffer.alloc(100));
    await expectStillServing(url);
  });

  it("whose first bytes come one by one is served", async () => {
    const { port } = await openListener();
    const head = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    expect(await exchange(port, ...head)).toMatch(/^HTTP\/1\.1 200 /);
    // The preface and an empty SETTINGS frame; the server answers with its own SETTINGS and the acknowledgement.
    const socket = openSocket(port);
    const preface = Buffer.concat([
      Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
    ]);
    for (const byte of preface) {
      await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve));
    }
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk]);
      if (received.includes(Buffer.from([0, 0, 0, 4, 1]))) break;
    }
    expect(received[3]).toBe(4);
  });

  it("that shows no protocol in time is closed", async () => {
    const { url, port } = await openListener({ limits: { firstBytesMs: 50 } });
    expect(await exchange(port)).toBe("");
    expect(await exchange(port, "PRI * HT")).toBe("");
    await expectStillServing(url);
  });

  it("whose headers do not end in time gets 408", async () => {
    const { port } = await openListener({ limits: { headersMs: 50 } });
    expect(await exchange(port, "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: ")).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("with headers over 16 KiB gets 431", async () => {
    const { port } = await openListener();
    const head = `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-long: ${"x".repeat(17 * 1024)}\r\n\r\n`;
    expect(await exchange(port, head)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("without calls is closed after the idle time, one with a call is not", async () => {
    const [getApp, getAppCalled] = [createGate(), createGate()];
    const { url } = await openListener({
      routes: createFixtureRoutes({ getApp, getAppCalled }),
      limits: { idleMs: 50 },
    });
    const busy = createClient(AppService, createGrpcTransport({ baseUrl: url })).getApp({});
    const settled = expect(busy).rejects.toMatchObject({ code: Code.NotFound });
    await getAppCalled.opened;
    const idle = connectHttp2(url);
    await new Promise((resolve) => idle.once("close", resolve));
    getApp.open();
    await settled;
  });

  it("that opens and resets thousands of streams does not stop others", async () => {
    const { url } = await openListener();
    const session = connectHttp2(url);
    session.on("error", () => {});
    const headers = { ":method": "POST", ":path": "/aisle.v1.AppService/GetApp", "content-type": "application/grpc" };
    for (let round = 0; round < 30 && !session.destroyed && !session.closed; round++) {
      for (let i = 0; i < 50 && !session.destroyed && !session.closed; i++) {
        const stream = session.request(headers);
        stream.on("error", () => {});
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    session.destroy();
    await expectStillServing(url);
  });
});

describe("a body", () => {
  const head = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: 50\r\n\r\n{`;

  it("of one message that stalls gets DEADLINE_EXCEEDED and loses its connection", async () => {
    const { port } = await openListener({ limits: { bodyTimeoutMs: 50, lingerMs: 50 } });
    const answer = await exchange(port, head("/aisle.v1.AppService/CreateApp", "application/json"));
    expect(answer).toContain('"code":"deadline_exceeded"');
  });

  it("with a wrong length leaves nothing behind on a connection that sends many", async () => {
    const { port } = await openListener();
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => {
      process.off("warning", onWarning);
    });
    const lying = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]);
    const request = Buffer.concat([
      Buffer.from(
        `POST /aisle.v1.AppService/GetApp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc-web+proto\r\ncontent-length: ${lying.length}\r\n\r\n`,
      ),
      lying,
    ]);
    const socket = openSocket(port);
    let answered = 0;
    for (let call = 0; call < 15; call++) {
      socket.write(request);
      const [answer] = await once(socket, "data");
      if (String(answer).startsWith("HTTP/1.1")) answered++;
    }
    expect([answered, warnings]).toEqual([15, []]);
  });

  it("of a stream may take longer than the limit for one message", async () => {
    const { url } = await openListener({ limits: { bodyTimeoutMs: 1 } });
    const wire = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
    const batches = async function* () {
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield { events: [{}] };
      }
    };
    expect((await createClient(EventService, wire).recordEvents(batches())).accepted).toBe(5);
  });

  it("of a stream that falls silent gets DEADLINE_EXCEEDED", async () => {
    const { url } = await openListener({ limits: { streamSilenceMs: 50 } });
    const wire = createGrpcTransport({ baseUrl: url });
    const over = createGate();
    const batches = async function* () {
      yield { events: [{}] };
      await over.opened;
    };
    const call = createClient(EventService, wire).recordEvents(batches());
    await expect(call).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    over.open();
  });
});

describe("the Host of a request", () => {
  const statusFor = async (port: number, ...headers: string[]) => {
    const head = ["GET /healthz HTTP/1.1", ...headers, "connection: close", "", ""].join("\r\n");
    return Number((await exchange(port, head)).split(" ")[1]);
  };

  it("gets 403 when it is a name that could be rebound to this address", async () => {
    const { port } = await openListener();
    expect(await statusFor(port, "host: attacker.example")).toBe(403);
    expect(await statusFor(port, `host: attacker.example:${port}`)).toBe(403);
    expect(await statusFor(port, "host: ")).toBe(403);
    expect(await statusFor(port, `host: localhost:${port}`)).toBe(200);
  });

  it("is required of an HTTP/1.0 call", async () => {
    const { url, port } = await openListener();
    expect(await exchange(port, "POST /aisle.v1.AppService/GetApp HTTP/1.0\r\n\r\n")).toContain(" 403 ");
    await expectStillServing(url);
  });

  it("is checked in :authority and in host over HTTP/2", async () => {
    const { url } = await openListener({ allowedHosts: ["rpc.shop.example"] });
    const session = connectHttp2(url);
    onTestFinished(() => session.destroy());
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ":path": "/healthz", ...headers });
        stream.on("response", (answer) => resolve(answer[":status"])).on("error", reject);
        stream.resume().end();
      });
    expect(await status({ ":authority": "attacker.example" })).toBe(403);
    expect(await status({ ":authority": "localhost", host: "attacker.example" })).toBe(400);
    expect(await status({ ":authority": "rpc.shop.example:8081" })).toBe(200);
  });
});
