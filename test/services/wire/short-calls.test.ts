import { connect } from "node:http2";
import { gunzipSync, gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AppService,
  CreateAppRequestSchema,
  type CreateAppResponse,
  CreateAppResponseSchema,
} from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService, RecordEventsRequestSchema } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { endReported } from "../../../src/services/telemetry/rpc-metrics.js";
import { SHORT_CALLS } from "../../../src/services/wire/short-calls/short-calls.js";
import { openListener } from "./rpc-fixture.js";

const PATH = "/aisle.v1.AppService/CreateApp";

/** A listener whose CreateApp is `handler`. Calls that went the short way know their path only, not the whole URL. */
async function openWith(
  handler: (appId: string, context: HandlerContext) => unknown = () => undefined,
  interceptors: Interceptor[] = [],
) {
  const contexts: HandlerContext[] = [];
  const listener = await openListener({
    interceptors,
    routes: (router) =>
      void router.service(AppService, {
        async createApp({ app }, context) {
          contexts.push(context);
          await handler(app?.appId ?? "", context);
          return { ...(app && { app }) };
        },
      }),
  });
  return { ...listener, contexts, wentShort: () => contexts.map(({ url }) => url === PATH) };
}

function stock(address: string) {
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return (appId: string, options: { deadline?: number } = {}, metadata = new Metadata()) =>
    new Promise<CreateAppResponse>((resolve, reject) => {
      client.makeUnaryRequest(
        PATH,
        (appId: string) => Buffer.from(toBinary(CreateAppRequestSchema, requestOf(appId))),
        (bytes: Buffer) => fromBinary(CreateAppResponseSchema, bytes),
        appId,
        metadata,
        options,
        (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
      );
    });
}

const requestOf = (appId: string, displayName = "") => create(CreateAppRequestSchema, { app: { appId, displayName } });

function framed(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Sends these bytes as they are, and gives the trailers. */
function post(url: string, body: Buffer, headers: Record<string, string> = {}) {
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  stream.end(body);
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.on("trailers", (trailers) => resolve(trailers));
    stream.on("response", (headers) => headers["grpc-status"] !== undefined && resolve(headers)); // "Trailers-Only"
    stream.on("error", reject);
    stream.resume();
  });
}

describe("a unary gRPC call of one small message", () => {
  it("takes the fast path and is answered to the stock client", async () => {
    const { address, wentShort } = await openWith();
    const { app } = await stock(address)("shop");
    expect([app?.appId, wentShort()]).toEqual(["shop", [SHORT_CALLS]]);
  });

  it("passes its headers to the handler, and the handler's headers and trailers to its caller", async () => {
    const { url } = await openWith((_, context) => {
      context.responseHeader.set("x-seen", context.requestHeader.get("x-sent") ?? "");
      context.responseTrailer.set("x-last", context.protocolName);
    });
    const seen: (string | null)[] = [];
    await createClient(AppService, createGrpcTransport({ baseUrl: url })).createApp(requestOf("shop"), {
      headers: { "x-sent": "this" },
      onHeader: (header) => void seen.push(header.get("x-seen")),
      onTrailer: (trailer) => void seen.push(trailer.get("x-last")),
    });
    expect(seen).toEqual(["this", "grpc"]);
  });

  it("runs the interceptors in order", async () => {
    const order: string[] = [];
    const named =
      (name: string): Interceptor =>
      (next) =>
      async (request) => {
        order.push(`${name} ${request.method.name} ${request.header.get("x-sent")}`);
        const answer = await next(request);
        order.push(`${name} done`);
        return answer;
      };
    const { address } = await openWith(() => void order.push("handler"), [named("outer"), named("inner")]);
    const metadata = new Metadata();
    metadata.set("x-sent", "this");
    await stock(address)("shop", {}, metadata);
    const asked = ["outer CreateApp this", "inner CreateApp this", "handler"];
    expect(order).toEqual([...asked, "inner done", "outer done"]);
  });

  it("returns an error with code and text", async () => {
    const { address } = await openWith(() => {
      throw new ConnectError("Missing required field: 5 % of it", Code.InvalidArgument);
    });
    const error: ServiceError = await stock(address)("shop").then(Promise.reject, (thrown) => thrown);
    expect([error.code, error.details]).toEqual([Code.InvalidArgument, "Missing required field: 5 % of it"]);
  });

  it("is INTERNAL without details when the thrown error is no ConnectError", async () => {
    const { address } = await openWith(() => {
      throw new TypeError("about somebody");
    });
    const error: ServiceError = await stock(address)("shop").then(Promise.reject, (thrown) => thrown);
    expect([error.code, error.details]).toEqual([Code.Internal, "internal error"]);
  });

  it("ends at its deadline, and aborts the handler's signal", async () => {
    let fired = () => {};
    const signalled = new Promise<void>((resolve) => {
      fired = resolve;
    });
    const { url } = await openWith((_, { signal }) => {
      signal.addEventListener("abort", () => fired());
      return new Promise(() => {});
    });
    const body = framed(toBinary(CreateAppRequestSchema, requestOf("shop")));
    const trailers = await post(url, body, { "grpc-timeout": "50m" });
    await signalled;
    expect(trailers["grpc-status"]).toBe(String(Code.DeadlineExceeded));
  });

  it("has at most 24 hours, however late its deadline is", async () => {
    const { address, contexts, wentShort } = await openWith();
    const hour = 3_600_000;
    for (const hours of [25, 240, 24_000]) {
      await stock(address)("shop", { deadline: Date.now() + hours * hour });
      const left = contexts.at(-1)?.timeoutMs() ?? 0;
      expect(left / hour).toBeGreaterThan(23.9);
      expect(left / hour).toBeLessThanOrEqual(24);
    }
    expect(wentShort()).toEqual([SHORT_CALLS, SHORT_CALLS, SHORT_CALLS]);
  });

  it("aborts the handler's signal when its caller disconnects", async () => {
    let fired = () => {};
    let begun = () => {};
    const signalled = new Promise<void>((resolve) => {
      fired = resolve;
    });
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url } = await openWith((_, { signal }) => {
      signal.addEventListener("abort", () => fired());
      begun();
      return signalled;
    });
    const end = new AbortController();
    const call = createClient(AppService, createGrpcTransport({ baseUrl: url })).createApp(requestOf("shop"), {
      signal: end.signal,
    });
    await running;
    end.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    await signalled;
  });

  it("aborts the handler's signal when the listener closes past its deadline", async () => {
    let begun = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url, close } = await openWith(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          begun();
        }),
    );
    const call = createClient(AppService, createGrpcTransport({ baseUrl: url })).createApp(requestOf("shop"));
    const refused = expect(call).rejects.toMatchObject({ code: Code.Unavailable });
    await running;
    await close(0);
    await refused;
  });
});

it("a slow gRPC message takes the fast path, too", async () => {
  const message = toBinary(CreateAppRequestSchema, requestOf("shop"));
  const { url, wentShort } = await openWith();
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.resume();
  stream.write(framed(message).subarray(0, 8));
  const trailers = new Promise<Record<string, unknown>>((resolve) => stream.on("trailers", resolve));
  setTimeout(() => stream.end(framed(message).subarray(8)), 300);
  expect([(await trailers)["grpc-status"], wentShort()]).toEqual(["0", [SHORT_CALLS]]);
});

describe("the answer to a gRPC call", () => {
  const large = "x".repeat(50_000);

  /** Headers and body of the answer. */
  async function answerTo(displayName: string, headers: Record<string, string>) {
    const { url } = await openListener({
      routes: (router) => void router.service(AppService, { createApp: () => ({ app: { displayName } }) }),
    });
    const session = connect(url);
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ":method": "POST",
      ":path": PATH,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    stream.end(framed(toBinary(CreateAppRequestSchema, requestOf("shop"))));
    const got = new Promise<Record<string, unknown>>((resolve) => stream.once("response", resolve));
    const body = Buffer.concat(await stream.toArray());
    const message = body[0] === 1 ? gunzipSync(body.subarray(5)) : body.subarray(5);
    return {
      encoding: (await got)["grpc-encoding"],
      flags: body[0],
      size: body.length,
      name: fromBinary(CreateAppResponseSchema, message).app?.displayName,
    };
  }

  it("is compressed for a caller that accepts gzip", async () => {
    const answer = await answerTo(large, { "grpc-accept-encoding": "identity,deflate,gzip" });
    expect(answer).toMatchObject({ encoding: "gzip", flags: 1, name: large });
    expect(answer.size).toBeLessThan(1000);
  });

  it("is not compressed for a caller that does not ask", async () => {
    for (const headers of [{}, { "grpc-accept-encoding": "identity,deflate" }])
      expect(await answerTo(large, headers)).toMatchObject({ encoding: undefined, flags: 0, name: large });
  });

  it("is not compressed when it is small", async () => {
    const answer = await answerTo("x", { "grpc-accept-encoding": "gzip" });
    // Connect names the compression that it could use.
    expect(answer).toMatchObject({ encoding: SHORT_CALLS ? undefined : "gzip", flags: 0, name: "x" });
  });

  it("reaches the stock client whole when it is compressed", async () => {
    const { address } = await openListener({
      routes: (router) => void router.service(AppService, { createApp: () => ({ app: { displayName: large } }) }),
    });
    expect((await stock(address)("shop")).app?.displayName).toBe(large);
  });
});

describe("Connect's own path serves", () => {
  const bytes = toBinary(CreateAppRequestSchema, requestOf("shop"));

  it("a message of more than 4 KiB", async () => {
    const { url, wentShort } = await openWith();
    const apps = createClient(AppService, createGrpcTransport({ baseUrl: url }));
    const { app } = await apps.createApp(requestOf("shop", "x".repeat(100_000)));
    expect([app?.displayName.length, wentShort()]).toEqual([100_000, [false]]);
  });

  it("a compressed message", async () => {
    const { url, wentShort } = await openWith();
    const trailers = await post(url, framed(gzipSync(bytes), 1), { "grpc-encoding": "gzip" });
    expect([trailers["grpc-status"], wentShort()]).toEqual(["0", [false]]);
  });

  it("two messages, with an error", async () => {
    const { url, contexts } = await openWith();
    const trailers = await post(url, Buffer.concat([framed(bytes), framed(bytes)]));
    expect([trailers["grpc-status"], contexts]).toEqual([String(Code.Unimplemented), []]);
  });

  it.each([
    ["no message", Buffer.alloc(0), Code.Unimplemented],
    ["half a message", framed(bytes).subarray(0, 8), Code.InvalidArgument],
    ["bytes that are no message", framed(Buffer.from([0xff, 0xff])), Code.InvalidArgument],
  ])("%s, with an error", async (_, body, code) => {
    const { url, contexts } = await openWith();
    const trailers = await post(url, body);
    expect([trailers["grpc-status"], contexts]).toEqual([String(code), []]);
  });

  it.each([
    ["gRPC-Web", createGrpcWebTransport],
    ["Connect", createConnectTransport],
  ])("a deadline of days as one of 24 hours (%s)", async (_, create) => {
    const { url, contexts } = await openWith();
    const apps = createClient(AppService, create({ baseUrl: url, httpVersion: "1.1" }));
    await apps.createApp(requestOf("shop"), { timeoutMs: 20 * 86_400_000 });
    expect(contexts[0]?.timeoutMs()).toBeLessThanOrEqual(86_400_000);
  });

  it("an invalid timeout, with an error", async () => {
    const { url, contexts } = await openWith();
    const trailers = await post(url, framed(bytes), { "grpc-timeout": "soon" });
    expect([trailers["grpc-status"], contexts]).toEqual([String(Code.InvalidArgument), []]);
  });
});

describe("a gRPC call of a stream of messages", () => {
  const STREAM = "/aisle.v1.EventService/RecordEvents";
  const batch = (count: number) =>
    framed(
      toBinary(
        RecordEventsRequestSchema,
        create(RecordEventsRequestSchema, {
          appId: "shop",
          events: Array.from({ length: count }, () => ({
            actionType: "other",
            extraFields: { note: "x".repeat(100) },
          })),
        }),
      ),
    );

  async function openStreams(interceptors: Interceptor[] = []) {
    const urls: string[] = [];
    const listener = await openListener({
      interceptors,
      routes: (router) =>
        void router.service(EventService, {
          async recordEvents(batches, { url }) {
            urls.push(url);
            let accepted = 0;
            for await (const { events } of batches) accepted += events.length;
            return { accepted };
          },
        }),
    });
    return { ...listener, wentShort: () => urls.map((url) => url === STREAM) };
  }

  it("takes the fast path", async () => {
    const { url, wentShort } = await openStreams();
    const client = createClient(EventService, createGrpcTransport({ baseUrl: url }));
    async function* batches() {
      for (let n = 0; n < 20; n++)
        yield { appId: "shop", events: Array.from({ length: 50 }, () => ({ notes: ["note"] })) };
    }
    const { accepted } = await client.recordEvents(batches());
    expect([accepted, wentShort()]).toEqual([1000, [SHORT_CALLS]]);
  });

  it("goes through the interceptors, which may change its messages and see its answer", async () => {
    const seen: unknown[] = [];
    const doubling: Interceptor = (next) => async (request) => {
      if (!request.stream) return next(request);
      const answer = await next({ ...request, message: twice(request.message) });
      seen.push(request.method.name);
      return answer.stream
        ? { ...answer, message: endReported(answer.message, (code) => void seen.push(code)) }
        : answer;
    };
    const { url } = await openStreams([doubling]);
    expect(await post(url, Buffer.concat([batch(40), batch(40)]), { ":path": STREAM })).toMatchObject({
      "grpc-status": "0",
    });
    expect(seen).toEqual(["RecordEvents", "ok"]);
  });

  it.each([
    ["a malformed message", framed(Buffer.from([0x0a, 0x7f])), "The message is not the binary form of the request"],
    ["a compressed message", framed(gzipSync(Buffer.from("")), 1), "The message is flagged as compressed"],
    [
      "a malformed one among others",
      Buffer.concat([framed(Buffer.from([0x0a, 0x7f])), ...Array.from({ length: 200 }, () => batch(40))]),
      "The message is not the binary form of the request",
    ],
    ["half a message", batch(40).subarray(0, 1000), "protocol error: promised "],
    ["half a prefix", Buffer.from([0, 0]), "protocol error: incomplete envelope"],
  ])("is refused with a status for %s", async (_, bytes, text) => {
    const { url } = await openStreams();
    const { "grpc-status": status, "grpc-message": message } = await post(url, Buffer.concat([batch(40), bytes]), {
      ":path": STREAM,
    });
    expect([status, decodeURIComponent(`${message}`)]).toEqual([
      expect.stringMatching(/^(3|13)$/),
      expect.stringContaining(text),
    ]);
  });
});

async function* twice<T>(messages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  for await (const message of messages) {
    yield message;
    yield message;
  }
}
