/** What a call's headers announce, and bodies that do not keep to it, in each protocol. */
import { connect } from "node:http2";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { type ConnectRouter, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it } from "vitest";
import { GetAppRequestSchema } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService, RecordEventsRequestSchema } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { SubscriptionService } from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { guarded } from "../../../src/services/errors/errors.js";
import { createRpcListener } from "../../../src/services/wire/rpc-listener.js";
import { createFixtureRoutes } from "./rpc-fixture.js";

let url = "";
/** What the server would log as a fault of its own. */
const reports: unknown[] = [];
beforeAll(async () => {
  const report = (error: unknown) => void reports.push(error);
  const routes = (router: ConnectRouter) => {
    createFixtureRoutes()(router);
    router.service(SubscriptionService, {
      importContacts: guarded(report, async (batches) => {
        for await (const _ of batches);
        return {};
      }),
    });
  };
  const listener = createRpcListener({ routes, host: "127.0.0.1", port: 0, onError: report });
  url = `http://127.0.0.1:${(await listener.listen()).port}`;
  return () => listener.close(0);
});

function framed(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.from([flags, 0, 0, 0, 0]);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Posts, gRPC over HTTP/2 and the others over HTTP/1.1; gives the status and all text of the answer, headers and trailers included. */
async function post(path: string, headers: Record<string, string>, body: Uint8Array) {
  if (headers["content-type"]?.startsWith("application/grpc+")) return postHttp2(path, headers, body);
  const answer = await fetch(`${url}/aisle.v1.${path}`, { method: "POST", headers, body: Buffer.from(body) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, all: textOf([...answer.headers], bytes), headers: answer.headers };
}

async function postHttp2(path: string, headers: Record<string, string>, body: Uint8Array) {
  const session = connect(url);
  const stream = session.request({ ":method": "POST", ":path": `/aisle.v1.${path}`, ...headers });
  const fields: [string, string][] = [];
  for (const event of ["response", "trailers"])
    stream.on(event, (more) => {
      for (const [name, value] of Object.entries(more)) fields.push([name, String(value)]);
    });
  stream.end(body);
  const bytes = await buffer(stream);
  session.close();
  const found = new Headers(fields.filter(([name]) => !name.startsWith(":")));
  const status = Number(fields.find(([name]) => name === ":status")?.[1]);
  return { status, all: textOf(fields, bytes), headers: found };
}

function textOf(fields: [string, string][], bytes: Buffer): string {
  const all = `${JSON.stringify(fields)}${bytes.toString("latin1")}`;
  return decodeURIComponent(all.replace(/%(?![0-9A-F]{2})/g, "%25"));
}

const UNARY = [
  "AppService/GetApp",
  toBinary(GetAppRequestSchema, create(GetAppRequestSchema, { appId: "shop" })),
] as const;
const STREAM = [
  "EventService/RecordEvents",
  toBinary(RecordEventsRequestSchema, create(RecordEventsRequestSchema, { appId: "shop" })),
] as const;

/** Each protocol with the headers of its compressions. */
const CALLS = [
  ["Connect", "application/proto", "content-encoding", UNARY, { accepted: "accept-encoding", isFramed: false }],
  [
    "Connect",
    "application/connect+proto",
    "connect-content-encoding",
    STREAM,
    { accepted: "connect-accept-encoding", isFramed: true },
  ],
  [
    "gRPC-Web",
    "application/grpc-web+proto",
    "grpc-encoding",
    UNARY,
    { accepted: "grpc-accept-encoding", isFramed: true },
  ],
  [
    "gRPC-Web",
    "application/grpc-web+proto",
    "grpc-encoding",
    STREAM,
    { accepted: "grpc-accept-encoding", isFramed: true },
  ],
  ["gRPC", "application/grpc+proto", "grpc-encoding", UNARY, { accepted: "grpc-accept-encoding", isFramed: true }],
  ["gRPC", "application/grpc+proto", "grpc-encoding", STREAM, { accepted: "grpc-accept-encoding", isFramed: true }],
] as const;

const INVALID = /invalid_argument|"grpc-status","3"|grpc-status: 3/;
const UNIMPLEMENTED = /"unimplemented"|"grpc-status","12"|grpc-status: 12/;

describe.each(CALLS)("a call by %s (%s, %s)", (_, type, header, [path, message], { accepted, isFramed }) => {
  const send = (coding: string, bytes: Uint8Array) =>
    post(path, { "content-type": type, [header]: coding }, isFramed ? framed(bytes, 1) : bytes);

  it.each([
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["x-gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("is read in the compression %s", async (coding, encode) => {
    const { all } = await send(coding, encode(message));
    expect(all).not.toMatch(INVALID);
    expect(all).not.toMatch(UNIMPLEMENTED);
    expect(all).not.toContain("internal");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ] as const)("is INVALID_ARGUMENT when its %s is truncated or none at all", async (coding, encode) => {
    const whole = encode(message);
    for (const broken of [whole.subarray(0, whole.length - 1), whole.subarray(0, 3), Buffer.from("not compressed")]) {
      const { all } = await send(coding, broken);
      expect(all).toMatch(INVALID);
      expect(all).toContain(`The message cannot be decompressed: it is truncated or not ${coding}`);
    }
  });

  it("names a compression that it does not take, and those that it takes", async () => {
    const { all, headers } = await send("deflate", message);
    expect(all).toMatch(UNIMPLEMENTED);
    expect(all).toContain(`unknown compression deflate in ${header}: accepted are gzip, br and identity`);
    expect(headers.get(accepted)).toBe("gzip,br");
  });

  it("does not repeat other text in place of a compression", async () => {
    const { all } = await send("ada-secret", message);
    expect(all).toContain(`unknown compression in ${header}: accepted are gzip, br and identity`);
    expect(all).not.toContain("ada-secret");
  });

  it.runIf(isFramed)("is INVALID_ARGUMENT when its messages are not framed, whatever their length", async () => {
    const json = Buffer.from(JSON.stringify({ appId: "shop" }));
    for (const body of [
      json,
      message,
      Buffer.concat([Buffer.alloc(6000, " "), json]),
      Buffer.concat([framed(message), json]),
    ]) {
      const { all } = await post(path, { "content-type": type }, body);
      expect(all).toMatch(INVALID);
      expect(all).toContain("The message is not framed: accepted are messages that each have a prefix");
    }
  });
});

describe.each([
  ["application/connect+json", "connect-content-encoding", "invalid_argument"],
  ["application/connect+proto", "connect-content-encoding", "invalid_argument"],
  // "MUST fail with INTERNAL status", says gRPC's document of compression.
  ["application/grpc-web+json", "grpc-encoding", "13"],
  ["application/grpc-web+proto", "grpc-encoding", "13"],
  ["application/grpc+json", "grpc-encoding", "13"],
  ["application/grpc+proto", "grpc-encoding", "13"],
])("a compressed message of a call by %s that names no compression", (type, header, code) => {
  const plain = Buffer.from(type.endsWith("json") ? "{}" : "");
  it.each([
    ["an empty object", framed(Buffer.from("{}"), 1)],
    ["nothing", framed(Buffer.alloc(0), 1)],
    ["a first message beyond what is read at once", framed(Buffer.alloc(6000, " "), 1)],
    ["a later message", Buffer.concat([framed(plain), framed(gzipSync("{}"), 1)])],
  ])("is refused as malformed, and is no fault of the server: %s", async (_, body) => {
    for (const named of [{}, { [header]: "identity" }]) {
      const { all } = await post("SubscriptionService/ImportContacts", { "content-type": type, ...named }, body);
      expect(all).toContain(`The message is flagged as compressed, and ${header} names no compression`);
      expect(all).toMatch(code === "13" ? /"grpc-status","13"|grpc-status: 13/ : /"invalid_argument"/);
      expect(all).toMatch(code === "13" ? /grpc-status-details-bin/ : /"reason":"MALFORMED_CALL"/);
    }
    expect(reports).toEqual([]);
  });
});

describe("a content type that the RPC does not take", () => {
  it.each([
    ["application/grpc-web-text", UNARY],
    ["application/grpc-web-text+proto", UNARY],
    ["application/grpc-web-text", STREAM],
    ["Application/gRPC-Web-Text", STREAM],
    ["application/grpc+thrift", UNARY],
    ["application/connect+json", UNARY],
    ["application/json", STREAM],
    ["text/plain", UNARY],
  ] as const)("is 415 that says which are accepted: %s (%#)", async (type, [path, message]) => {
    const { status, all } = await post(path, { "content-type": type }, Buffer.from(framed(message).toString("base64")));
    expect(status).toBe(415);
    expect(all).toMatch(UNIMPLEMENTED);
    const own = path === UNARY[0] ? "application/json, application/proto" : "application/connect+json";
    expect(all).toContain(`The RPC does not take this content type: accepted are ${own}`);
    expect(all).toContain("application/grpc-web");
  });
});

it("streams of programs go on as before", async () => {
  const client = createClient(EventService, createGrpcTransport({ baseUrl: url }));
  async function* batches() {
    for (let i = 0; i < 3; i++) yield { appId: "shop", events: [{}, {}] };
  }
  expect((await client.recordEvents(batches())).accepted).toBe(6);
});
