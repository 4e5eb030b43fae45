import { gzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import { EventService } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { JSON_BOUNDS } from "../../../src/services/json/json-messages.js";
import { createFixtureRoutes, openListener } from "../wire/rpc-fixture.js";

const SECRET = "ada-secret";

/** A message of a stream or of gRPC. */
function enveloped(body: string | Buffer, flags = 0): Buffer {
  const bytes = Buffer.from(body);
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

/** Posts to a listener and gives all that came back, headers included. */
async function answerTo(path: string, body: string | Uint8Array, headers: Record<string, string>): Promise<string> {
  const { url } = await openListener({ routes: createFixtureRoutes() });
  const answer = await fetch(`${url}/aisle.v1.${path}`, { method: "POST", body: Buffer.from(body), headers });
  return `${JSON.stringify([...answer.headers])}${Buffer.from(await answer.arrayBuffer()).toString("latin1")}`;
}

describe("invalid JSON", () => {
  it.each([
    ["text for a whole number", "ModelService/ListModels", `{"pageSize":"${SECRET}"}`],
    ["an object for a text", "AppService/GetApp", `{"appId":{"${SECRET}":1}}`],
    ["text for an object", "AppService/CreateApp", `{"app":"${SECRET}"}`],
    ["a time that is none", "EventService/RecordEvent", `{"event":{"eventTime":"${SECRET}"}}`],
    ["no JSON", "AppService/GetApp", `{"appId":${SECRET}`],
    ["a name twice", "AppService/GetApp", `{"${SECRET}":1,"${SECRET}":2}`],
  ])("gets the right error: %s", async (_, path, body) => {
    for (const [type, bytes] of [
      ["application/json", body],
      ["application/grpc-web+json", enveloped(body)],
    ] as const) {
      const answer = await answerTo(path, bytes, { "content-type": type });
      expect(answer).not.toContain(SECRET);
    }
  });

  it("gets an error with the field and what it accepts", async () => {
    const json = { "content-type": "application/json" };
    const answer = await answerTo("AppService/GetApp", `{"appId":5}`, json);
    expect(answer).toContain('"code":"invalid_argument","message":"Invalid field: appId, accepted is a text"');
    expect(await answerTo("AppService/CreateApp", `{"app":{"allowedOrigins":5}}`, json)).toContain(
      "Invalid field: app.allowedOrigins, accepted is a list",
    );
    expect(await answerTo("AppService/GetApp", "{", json)).toContain(
      "The message is not JSON of aisle.v1.GetAppRequest",
    );
  });

  it("gets the same error when it is compressed or in a stream", async () => {
    const zipped = { "content-type": "application/json", "content-encoding": "gzip" };
    expect(await answerTo("AppService/GetApp", gzipSync(`{"appId":["${SECRET}"]}`), zipped)).not.toContain(SECRET);
    const stream = enveloped(`{"events":"${SECRET}"}`);
    const answer = await answerTo("EventService/RecordEvents", stream, { "content-type": "application/connect+json" });
    expect(answer).toContain("Invalid field: events, accepted is a list");
    expect(answer).not.toContain(SECRET);
  });
});

describe("an error about a bad header", () => {
  it.each([
    ["application/grpc-web+proto", { "grpc-timeout": SECRET }],
    ["application/grpc-web+proto", { "grpc-encoding": SECRET }],
    ["application/json", { "connect-timeout-ms": SECRET }],
    ["application/json", { "content-encoding": SECRET }],
    ["application/connect+json", { "connect-content-encoding": SECRET }],
  ])("does not quote its value: %s %j", async (type, more) => {
    const path = type.includes("connect+") ? "EventService/RecordEvents" : "AppService/GetApp";
    const answer = await answerTo(path, type === "application/json" ? "{}" : enveloped("{}"), {
      "content-type": type,
      ...more,
    });
    expect(answer).not.toContain(SECRET);
    expect(answer).toMatch(/not( |%20)a( |%20)time|unknown/);
  });
});

describe("valid JSON", () => {
  let url = "";
  beforeAll(async () => {
    const { createRpcListener } = await import("../../../src/services/wire/rpc-listener.js");
    const listener = createRpcListener({ routes: createFixtureRoutes(), host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(await listener.listen()).port}`;
    return () => listener.close(0);
  });

  it.each([
    ["Connect", () => createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false })],
    ["gRPC", () => createGrpcTransport({ baseUrl: url, useBinaryFormat: false })],
    ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false })],
  ])("gets an answer over %s", async (_, transport) => {
    const apps = createClient(AppService, transport());
    await apps.createApp({ app: { appId: "shop", displayName: "Ada's" } });
    expect((await apps.getApp({ appId: "shop" })).app?.displayName).toBe("Ada's");
  });
});

describe("JSON of very many pieces", () => {
  const list = (piece: string, count: number) => `[${Array(count).fill(piece).join(",")}]`;
  const { containers, commas, depth } = JSON_BOUNDS;

  it.each([
    ["objects", `{"events":${list("{}", containers)}}`],
    ["pieces of a field nobody reads", `{"unknown":${list("0", commas + 2)}}`],
    ["levels", `{"unknown":${"[".repeat(depth)}${"]".repeat(depth)}}`],
  ])("is rejected before it is parsed: too many %s", async (_, json) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    for (const [path, type] of [
      ["EventService/RecordEvents", "application/connect+json"],
      ["AppService/GetApp", "application/json"],
    ] as const) {
      const body = type === "application/json" ? json : enveloped(json);
      const answer = await answerTo(path, body, { "content-type": type });
      expect(answer).toContain("The JSON of the message is too complex");
    }
    expect(parse.mock.calls.filter(([text]) => text === json)).toEqual([]);
  });

  it("is accepted as a batch of as many events as a message may hold", async () => {
    const event = {
      actionType: "order",
      orderId: "1",
      visitor: { clientId: "c" },
      products: [{ productId: "a" }, { productId: "b" }],
    };
    const { url } = await openListener({ routes: createFixtureRoutes() });
    const client = createClient(
      EventService,
      createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: false }),
    );
    async function* batches() {
      yield { appId: "shop", events: Array(1000).fill(event) };
    }
    expect((await client.recordEvents(batches())).accepted).toBe(1000);
  });
});
