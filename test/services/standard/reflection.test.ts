import { type DescFile, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, it } from "vitest";
import { file_aisle_v1_app } from "../../../src/gen/aisle/v1/app_pb.js";
import { AppService } from "../../../src/gen/aisle/v1/app_service_pb.js";
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
} from "../../../src/gen/grpc/reflection/v1/reflection_pb.js";
import { createReflectionIndex } from "../../../src/services/standard/reflection-index.js";
import { methodName, RPC_METHODS } from "../../../src/services/telemetry/rpc-methods.js";
import { openListener } from "../wire/rpc-fixture.js";
import { buf, findGrpcurl, output } from "./reflection-tools.js";

const names = (files: Uint8Array[] | undefined) =>
  files?.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);

/** A file's name, then those of all files it imports, directly or not, each once. */
function withImports(file: DescFile): string[] {
  return [...new Set([`${file.name}.proto`, ...file.dependencies.flatMap(withImports)])];
}

describe("the index of reflection", () => {
  const index = createReflectionIndex([AppService]);
  const ofService = withImports(AppService.file);
  const ofApp = withImports(file_aisle_v1_app);

  it.each([
    ["a service", "aisle.v1.AppService", ofService],
    ["a method", "aisle.v1.AppService.GetApp", ofService],
    ["a message", "aisle.v1.App", ofApp],
    ["a field", "aisle.v1.App.display_name", ofApp],
    ["an imported message", "google.protobuf.Timestamp", ["google/protobuf/timestamp.proto"]],
  ])("finds %s with every file it depends on, and its own first", (_, symbol, files) => {
    const found = names(index.symbol(symbol));
    expect(found?.[0]).toBe(files[0]);
    expect(found?.toSorted()).toEqual(files.toSorted());
  });

  it("finds oneofs, enums, their values as siblings, and extensions", () => {
    const wide = createReflectionIndex([], [FileDescriptorProtoSchema.file, ServerReflection.file]);
    const descriptor = ["google/protobuf/descriptor.proto"];
    expect(names(wide.symbol("google.protobuf.FieldDescriptorProto.Type"))).toEqual(descriptor);
    expect(names(wide.symbol("google.protobuf.FieldDescriptorProto.TYPE_DOUBLE"))).toEqual(descriptor);
    expect(wide.symbol("google.protobuf.FieldDescriptorProto.Type.TYPE_DOUBLE")).toBeUndefined();
    expect(wide.symbol("grpc.reflection.v1.ServerReflectionRequest.message_request")).toBeDefined();
  });

  it("finds files by name, and nothing under unknown names", () => {
    expect(names(index.file("aisle/v1/app.proto"))?.toSorted()).toEqual(withImports(file_aisle_v1_app).toSorted());
    expect(index.file("none.proto")).toBeUndefined();
    expect(index.symbol("aisle.v1")).toBeUndefined();
    expect(index.symbol("__proto__")).toBeUndefined();
  });

  it("knows the extension numbers of messages only", () => {
    expect(index.extensionNumbers("aisle.v1.App")).toEqual([]);
    expect(index.extensionNumbers("aisle.v1.AppService")).toBeUndefined();
    expect(index.extension("aisle.v1.App", 100)).toBeUndefined();
  });
});

describe("grpc.reflection.v1", () => {
  async function ask(...requests: MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"][]) {
    const { url } = await openListener();
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
    const asked = async function* () {
      for (const messageRequest of requests) yield { host: "here", ...(messageRequest && { messageRequest }) };
    };
    const answers = [];
    for await (const answer of client.serverReflectionInfo(asked())) answers.push(answer);
    return answers;
  }

  it("lists the routed services, health and itself in both versions", async () => {
    const [answer] = await ask({ case: "listServices", value: "" });
    expect(answer?.validHost).toBe("here");
    expect(answer?.messageResponse).toMatchObject({
      case: "listServicesResponse",
      value: {
        service: [
          { name: "aisle.v1.AppService" },
          { name: "aisle.v1.EventService" },
          { name: "aisle.v1.SubscriptionService" },
          { name: "grpc.health.v1.Health" },
          { name: "grpc.reflection.v1.ServerReflection" },
          { name: "grpc.reflection.v1alpha.ServerReflection" },
        ],
      },
    });
  });

  it("answers each request of a stream, with an error response for unknown names", async () => {
    const answers = await ask(
      { case: "fileContainingSymbol", value: "no.Such" },
      { case: "allExtensionNumbersOfType", value: "aisle.v1.App" },
      { case: "fileContainingExtension", value: { containingType: "aisle.v1.App", extensionNumber: 7 } },
      { case: "fileByFilename", value: "google/rpc/error_details.proto" },
      undefined,
    );
    expect(answers.map(({ messageResponse }) => messageResponse.case)).toEqual([
      "errorResponse",
      "allExtensionNumbersResponse",
      "errorResponse",
      "fileDescriptorResponse",
      "errorResponse",
    ]);
    expect(answers.at(-1)?.messageResponse.value).toMatchObject({ errorCode: Code.InvalidArgument });
  });
});

describe("buf curl", () => {
  it.each(["grpc-v1", "grpc-v1alpha"])(
    "lists and calls with reflection by %s, which has its name in metrics",
    async (version) => {
      const called = new Set<string>();
      const counted: Interceptor = (next) => (request) => {
        called.add(methodName(request.method));
        return next(request);
      };
      const { url } = await openListener({ interceptors: [counted] });
      const common = ["--http2-prior-knowledge", "--reflect-protocol", version];
      expect(await output(buf, "curl", ...common, "--list-services", url)).toContain("aisle.v1.AppService\n");
      const call = [...common, "--protocol", "grpc", "-d", '{"app":{"app_id":"shop"}}'];
      const answer = await output(buf, "curl", ...call, `${url}/aisle.v1.AppService/CreateApp`);
      expect(JSON.parse(answer)).toEqual({ app: { appId: "shop" } });
      expect(called).toContain(`${version.replace("grpc-", "grpc.reflection.")}.ServerReflection/ServerReflectionInfo`);
      expect(RPC_METHODS).toEqual(expect.arrayContaining([...called]));
    },
    30_000,
  );
});

describe("grpcurl", () => {
  let grpcurl: string | undefined;
  beforeAll(async () => {
    grpcurl = await findGrpcurl();
  }, 180_000);

  it("lists, describes and calls, and shows error details", async ({ skip }) => {
    if (grpcurl === undefined) return skip("needs grpcurl, or go to build it");
    const { address } = await openListener();
    const plain = ["-plaintext", address];
    expect(await output(grpcurl, ...plain, "list")).toContain("aisle.v1.AppService\n");
    const described = await output(grpcurl, ...plain, "describe", "aisle.v1.AppService.GetApp");
    expect(described).toContain("option idempotency_level = NO_SIDE_EFFECTS");
    expect(await output(grpcurl, ...plain, "describe", "aisle.v1.App")).toContain(
      "repeated string allowed_origins = 3",
    );

    const create = (body: string) =>
      output(grpcurl ?? "", "-plaintext", "-d", body, address, "aisle.v1.AppService/CreateApp");
    expect(JSON.parse(await create('{"app":{"app_id":"shop"}}'))).toEqual({ app: { appId: "shop" } });
    const refused = await create('{"app":{"app_id":""}}');
    expect(refused).toContain("Code: InvalidArgument");
    expect(refused).toContain("Message: Invalid field: app.app_id");
    expect(refused).toContain("type.googleapis.com/google.rpc.BadRequest");
    expect(refused).toContain('"field": "app.app_id"');
  });

  it("is never throttled, however often it lists", async ({ skip }) => {
    if (grpcurl === undefined) return skip("needs grpcurl, or go to build it");
    const { address } = await openListener();
    for (let n = 0; n < 12; n++) expect(await output(grpcurl, "-plaintext", address, "list")).toContain("aisle.v1");
  });

  it("checks health", async ({ skip }) => {
    if (grpcurl === undefined) return skip("needs grpcurl, or go to build it");
    const { address } = await openListener();
    const answer = await output(grpcurl, "-plaintext", address, "grpc.health.v1.Health/Check");
    expect(JSON.parse(answer)).toEqual({ status: "SERVING" });
  });
});
