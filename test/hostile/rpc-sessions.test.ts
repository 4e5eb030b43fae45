import { Code, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { createFixtureRoutes, createGate, openListener } from "../services/wire/rpc-fixture.js";
import {
  callHeaders,
  END_HEADERS,
  END_STREAM,
  frame,
  framesIn,
  headerBlock,
  opening,
  PREFACE,
  settings,
  streams,
  word,
} from "./http2-frames.js";
import { openRaw, talk } from "./raw-socket.js";
import { expectStillServing, openCounted } from "./test-listener.js";

const GET_APP = "/aisle.v1.AppService/GetApp";
const REFUSED = word(7);
/** A gRPC message of no bytes. */
const NOTHING = Buffer.alloc(5);

describe("an HTTP/2 connection", () => {
  it.each<[string, Buffer]>([
    [
      "headers that never end",
      Buffer.concat([
        frame("headers", 0, 1, callHeaders(GET_APP)),
        ...many(2000, () => frame("continuation", 0, 1, headerBlock([["x", "y".repeat(1000)]]))),
      ]),
    ],
    [
      "empty continuations",
      Buffer.concat([frame("headers", 0, 1, callHeaders(GET_APP)), ...many(20_000, () => frame("continuation", 0, 1))]),
    ],
    [
      "empty data",
      Buffer.concat([
        frame("headers", END_HEADERS, 1, callHeaders(GET_APP)),
        ...many(20_000, () => frame("data", 0, 1)),
      ]),
    ],
    ["pings without reading their answers", Buffer.concat(many(20_000, () => frame("ping", 0, 0, Buffer.alloc(8))))],
    ["settings without reading their answers", Buffer.concat(many(20_000, () => settings([[4, 65_535]])))],
    ["settings of a hundred values", settings(many(100, (n) => [n + 100, 1]))],
    ["a frame larger than agreed", frame("data", 0, 1, Buffer.alloc(20_000))],
    ["data on a stream that is not open", frame("data", 0, 99, Buffer.alloc(10))],
    ["a window beyond its bound", frame("windowUpdate", 0, 0, word(0x7fffffff))],
    ["a push promise", frame("pushPromise", END_HEADERS, 1, Buffer.concat([word(2), callHeaders(GET_APP)]))],
    ["a header block that cannot be read", frame("headers", END_HEADERS, 1, Buffer.alloc(50, 0xff))],
    [
      "more headers than we take",
      frame(
        "headers",
        END_HEADERS,
        1,
        callHeaders(
          GET_APP,
          many(300, (n) => [`x-${n}`, "y"]),
        ),
      ),
    ],
  ])("that sends %s is closed or refused, and affects no other caller", async (_, bytes) => {
    const { url, port, called } = await openCounted();
    const peer = openRaw(port, opening(bytes));
    const refused = (received: Buffer) =>
      framesIn(received).some(({ type }) => type === "goAway" || type === "resetStream");
    await Promise.race([peer.closed, peer.until(refused)]);
    await expectStillServing(url);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it("is refused streams beyond the limit", async () => {
    const { url, port } = await openCounted();
    const peer = openRaw(
      port,
      opening(streams(1500, (id) => [frame("headers", END_HEADERS, id, callHeaders(GET_APP))])),
    );
    const refused = (received: Buffer) =>
      framesIn(received).filter(({ type, payload }) => type === "resetStream" && payload.equals(REFUSED)).length ===
      500;
    await peer.until(refused);
    await expectStillServing(url);
  });

  it.each([
    ["a line end in a header", "x-a", "b\r\nx-c: d"],
    ["a line end in a header's name", "x-a\r\nx-c", "b"],
    ["a NUL in a header", "x-a", "b\0x-c"],
    ["a header that belongs to HTTP/1.1", "transfer-encoding", "x-a x-c chunked"],
  ])("that sends %s gets no such header through", async (_, name, value) => {
    const seen: string[] = [];
    const note: Interceptor = (next) => (request) => {
      seen.push(...[...request.header].flat());
      return next(request);
    };
    const { url, port } = await openListener({ interceptors: [note] });
    const headers = frame("headers", END_HEADERS, 1, callHeaders(GET_APP, [[name, value]]));
    const peer = openRaw(port, opening(headers, frame("data", END_STREAM, 1, NOTHING)));
    const answered = (received: Buffer) =>
      framesIn(received).some(({ type }) => type === "goAway" || type === "resetStream" || type === "headers");
    await Promise.race([peer.closed, peer.until(answered)]);
    expect(seen.join()).not.toMatch(/x-[ac]/);
    await expectStillServing(url);
  });

  it("that hides a line end in its path gets no call through", async () => {
    const { url, port, called } = await openCounted();
    const headers = frame("headers", END_HEADERS, 1, callHeaders(`${GET_APP}\r\nx: y`));
    const peer = openRaw(port, opening(headers, frame("data", END_STREAM, 1, NOTHING)));
    const refused = (received: Buffer) =>
      framesIn(received).some(({ type }) => type === "goAway" || type === "resetStream");
    await Promise.race([peer.closed, peer.until(refused)]);
    expect(called).not.toHaveBeenCalled();
    await expectStillServing(url);
  });
});

describe("an answer that its caller does not read", () => {
  const big = "x".repeat(3 * 1024 * 1024);

  it("is given up in time over HTTP/2 when its window is empty", async () => {
    const { url, port } = await openListener({ limits: { stallMs: 50 } });
    const grpc = createClient(AppService, createGrpcTransport({ baseUrl: url }));
    await grpc.createApp({ app: { appId: "shop", displayName: big } });
    const message = Buffer.from([0, 0, 0, 0, 6, 0x0a, 4, ...Buffer.from("shop")]);
    const call = [frame("headers", END_HEADERS, 1, callHeaders(GET_APP)), frame("data", END_STREAM, 1, message)];
    const peer = openRaw(port, Buffer.concat([PREFACE, settings([[4, 0]]), ...call]));
    const reset = (received: Buffer) =>
      framesIn(received).some(({ type, streamId }) => type === "resetStream" && streamId === 1);
    expect(reset(await peer.until(reset))).toBe(true);
  });

  it("is given up in time over HTTP/1.1", async () => {
    const { url, port } = await openListener({ limits: { stallMs: 50 } });
    const grpc = createClient(AppService, createGrpcTransport({ baseUrl: url }));
    await grpc.createApp({ app: { appId: "shop", displayName: big } });
    const body = '{"appId":"shop"}';
    const request = `POST ${GET_APP} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    // So many answers that no buffer of the system holds them.
    const peer = openRaw(port, request.repeat(20));
    peer.socket.pause();
    const gone = new Promise((resolve) => peer.socket.once("error", resolve).once("close", resolve));
    const poke = setInterval(() => peer.socket.write(request), 20);
    await gone;
    clearInterval(poke);
  });

  it("may take long to be made", async () => {
    const getApp = createGate();
    const { url } = await openListener({ routes: createFixtureRoutes({ getApp }), limits: { stallMs: 20 } });
    const calls = [
      createClient(AppService, createGrpcTransport({ baseUrl: url })).getApp({}),
      createClient(AppService, createConnectTransport({ baseUrl: url, httpVersion: "1.1" })).getApp({}),
    ];
    const settled = Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 100));
    getApp.open();
    for (const { status, ...result } of await settled)
      expect({ status, ...result }).toMatchObject({ status: "rejected", reason: { code: Code.NotFound } });
  });
});

describe("an invalid request", () => {
  it.each([
    ["two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["an encoding behind chunked", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
    ["a header folded into the next line", "X: a\r\n b\r\n\r\n"],
    ["a space before the colon", "Content-Length : 0\r\n\r\n"],
    ["bare line feeds", "X: a\n\n"],
    ["a NUL", "X: a\0b\r\n\r\n"],
  ])("with %s gets 400 and nothing behind it is read", async (_, rest) => {
    const { port } = await openListener();
    const answers = await talk(
      port,
      `POST ${GET_APP} HTTP/1.1\r\nHost: localhost\r\n${rest}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
  });
});

function many<T>(count: number, of: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => of(n));
}
