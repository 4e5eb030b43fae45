import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AppService,
  CreateAppRequestSchema,
  type CreateAppResponse,
  CreateAppResponseSchema,
} from "../../../src/gen/aisle/v1/app_service_pb.js";
import {
  EventService,
  type RecordEventsRequest,
  RecordEventsRequestSchema,
  type RecordEventsResponse,
  RecordEventsResponseSchema,
} from "../../../src/gen/aisle/v1/event_service_pb.js";
import {
  SubscriptionService,
  VerifyLedgerRequestSchema,
  type VerifyLedgerResponse,
  VerifyLedgerResponseSchema,
} from "../../../src/gen/aisle/v1/subscription_service_pb.js";
import { BadRequestSchema } from "../../../src/gen/google/rpc/error_details_pb.js";
import { openListener } from "./rpc-fixture.js";

const encode =
  <D extends DescMessage>(desc: D) =>
  (message: MessageShape<D>) =>
    Buffer.from(toBinary(desc, message));
const decode =
  <D extends DescMessage>(desc: D) =>
  (bytes: Buffer) =>
    fromBinary(desc, bytes);

function openGrpcJs(address: string) {
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return {
    createApp: (appId: string) =>
      new Promise<CreateAppResponse>((resolve, reject) => {
        client.makeUnaryRequest(
          "/aisle.v1.AppService/CreateApp",
          encode(CreateAppRequestSchema),
          decode(CreateAppResponseSchema),
          create(CreateAppRequestSchema, { app: { appId } }),
          (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
        );
      }),
    recordEvents: (batches: RecordEventsRequest[]) =>
      new Promise<RecordEventsResponse>((resolve, reject) => {
        const call = client.makeClientStreamRequest(
          "/aisle.v1.EventService/RecordEvents",
          encode(RecordEventsRequestSchema),
          decode(RecordEventsResponseSchema),
          (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
        );
        for (const batch of batches) call.write(batch);
        call.end();
      }),
    async verifyLedger() {
      const call = client.makeServerStreamRequest(
        "/aisle.v1.SubscriptionService/VerifyLedger",
        encode(VerifyLedgerRequestSchema),
        decode(VerifyLedgerResponseSchema),
        create(VerifyLedgerRequestSchema, {}),
      );
      const stages: string[] = [];
      call.on("data", (message: VerifyLedgerResponse) => stages.push(message.headHash));
      await new Promise((resolve, reject) => call.on("end", resolve).on("error", reject));
      return stages;
    },
  };
}

const batch = create(RecordEventsRequestSchema, {
  appId: "demo",
  events: Array.from({ length: 100 }, () => ({ actionType: "product_view", products: [] })),
});

describe("a stock grpc-js client", () => {
  it("gets the answer of a unary call", async () => {
    const { address } = await openListener();
    expect((await openGrpcJs(address).createApp("shop")).app?.appId).toBe("shop");
  });

  it("streams 300 batches in and gets one answer", async () => {
    const { address } = await openListener();
    const answer = await openGrpcJs(address).recordEvents(Array.from({ length: 300 }, () => batch));
    expect(answer.accepted).toBe(30_000);
  });

  it("reads a server stream to its end", async () => {
    const { address } = await openListener();
    expect(await openGrpcJs(address).verifyLedger()).toEqual(["read", "fit", "publish"]);
  });

  it("gets the code, the text and the google.rpc details of an error", async () => {
    const { address } = await openListener();
    const error: ServiceError = await openGrpcJs(address)
      .createApp("not an id")
      .then(
        () => expect.unreachable("the id is refused"),
        (reason) => reason,
      );
    expect(error).toMatchObject({ code: Code.InvalidArgument, details: "Invalid field: app.app_id" });
    const [details] = error.metadata.get("grpc-status-details-bin");
    expect(details?.toString()).toContain("google.rpc.BadRequest");
    expect(details?.toString()).toContain("app.app_id");
  });
});

const transports: Record<string, (baseUrl: string) => Transport> = {
  "gRPC over h2c": (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC-Web over HTTP/1.1": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  "gRPC-Web over h2c": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
  "Connect binary over HTTP/1.1": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }),
  "Connect JSON over HTTP/1.1": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect over h2c": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }),
  "Connect with GET over HTTP/1.1": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useHttpGet: true }),
};

describe.each(Object.entries(transports))("%s", (name, transport) => {
  it("carries unary calls, both streams and error details", async () => {
    const wire = transport((await openListener()).url);
    const apps = createClient(AppService, wire);
    await apps.createApp({ app: { appId: "shop", displayName: "Shop" } });
    expect((await apps.getApp({ appId: "shop" })).app?.displayName).toBe("Shop");

    const stages: string[] = [];
    for await (const { headHash: stage } of createClient(SubscriptionService, wire).verifyLedger({}))
      stages.push(stage);
    expect(stages).toEqual(["read", "fit", "publish"]);

    const batches = async function* () {
      for (let i = 0; i < 20; i++) yield batch;
    };
    expect((await createClient(EventService, wire).recordEvents(batches())).accepted).toBe(2_000);

    const error = ConnectError.from(await apps.createApp({ app: { appId: "" } }).catch((reason: unknown) => reason));
    expect(error.code).toBe(Code.InvalidArgument);
    expect(error.findDetails(BadRequestSchema)[0]?.fieldViolations[0]?.field).toBe(
      name.includes("JSON") ? "app.appId" : "app.app_id",
    );
  });
});

describe("plain HTTP/1.1", () => {
  const json = { "content-type": "application/json" };

  it("answers a JSON POST", async () => {
    const { url } = await openListener();
    const body = '{"app":{"appId":"shop"}}';
    const answer = await fetch(`${url}/aisle.v1.AppService/CreateApp`, { method: "POST", headers: json, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ app: { appId: "shop" } });
  });

  it("answers a GET of a call without side effects, and 405 to one with them", async () => {
    const { url } = await openListener();
    const query = `?connect=v1&encoding=json&message=${encodeURIComponent('{"appId":"none"}')}`;
    const read = await fetch(`${url}/aisle.v1.AppService/GetApp${query}`);
    expect([read.status, await read.json()]).toMatchObject([
      404,
      { code: "not_found", message: "There is no such app" },
    ]);
    const write = await fetch(`${url}/aisle.v1.AppService/CreateApp${query}`);
    expect([write.status, write.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("answers an unknown path with 404 in Connect's format, and in gRPC's to gRPC", async () => {
    const { url } = await openListener();
    for (const init of [{}, { method: "POST", headers: json, body: "{}" }]) {
      const answer = await fetch(`${url}/aisle.v1.AppService/Nothing`, init);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "unimplemented", message: "There is no such call" });
    }
    const headers = { "content-type": "application/grpc-web+proto" };
    const grpc = await fetch(`${url}/no.Such/Call`, { method: "POST", headers, body: new Uint8Array(5) });
    expect([grpc.status, grpc.headers.get("grpc-status")]).toEqual([200, "12"]);
  });

  it("serves /healthz, and /metrics from its source", async () => {
    const metrics = { contentType: "text/plain; version=0.0.4", text: async () => "up 1\n" };
    const { url } = await openListener({ metrics });
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get("content-type")).toBe(metrics.contentType);
    expect(await answer.text()).toBe("up 1\n");
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
  });

  it("has no /metrics without a source of them", async () => {
    expect((await fetch(`${(await openListener()).url}/metrics`)).status).toBe(404);
  });

  it("sends no CORS headers, so that no page of another origin reads an answer", async () => {
    const { url } = await openListener();
    const answer = await fetch(`${url}/healthz`, { headers: { origin: "https://other.example" } });
    const names = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
    expect(names).toEqual([]);
  });
});

it("fails to listen with the system's error when the port is taken", async () => {
  const { port } = await openListener();
  await expect(openListener({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
