/**
 * Server reflection, so that grpcurl, buf curl and their like can list, describe and call without the protos.
 * Served as grpc.reflection.v1 and, for tools from before 2023, as v1alpha: the same messages under another package.
 */
import {
  clone,
  create,
  createFileRegistry,
  type DescMethod,
  type DescMethodBiDiStreaming,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  file_grpc_reflection_v1_reflection,
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { unlessAborted } from "../calls/unless-aborted.js";
import type { ReflectionIndex } from "./reflection-index.js";

type Response = MessageInitShape<typeof ServerReflectionResponseSchema>;
type Answer = NonNullable<Response["messageResponse"]>;

/**
 * Adds both versions to a router. `index` is built at the first call, when all services are known; `draining` ends open
 * streams, which clients keep open for as long as they like.
 */
export function reflectionRoutes(router: ConnectRouter, deps: { index: () => ReflectionIndex; draining: AbortSignal }) {
  async function* answers<T, U>(
    requests: AsyncIterable<T>,
    read: (request: T) => ServerReflectionRequest,
    write: (response: Response) => U,
  ): AsyncGenerator<U, void, undefined> {
    const incoming = requests[Symbol.asyncIterator]();
    for (;;) {
      const next = await unlessAborted(deps.draining, () => incoming.next());
      if (next.done === true) return;
      yield write(reply(deps.index(), read(next.value)));
    }
  }

  router.service(ServerReflection, {
    serverReflectionInfo: (requests) =>
      answers(
        requests,
        (request) => request,
        (response) => response,
      ),
  });
  const alpha = alphaMethod();
  router.rpc(alpha, (requests) =>
    answers(
      requests,
      (request) => fromBinary(ServerReflectionRequestSchema, toBinary(alpha.input, request)),
      (response) =>
        fromBinary(
          alpha.output,
          toBinary(ServerReflectionResponseSchema, create(ServerReflectionResponseSchema, response)),
        ),
    ),
  );
}

function reply(index: ReflectionIndex, originalRequest: ServerReflectionRequest): Response {
  return { validHost: originalRequest.host, originalRequest, messageResponse: find(index, originalRequest) };
}

function find(index: ReflectionIndex, { messageRequest: asked }: ServerReflectionRequest): Answer {
  const files = (found: Uint8Array[] | undefined): Answer =>
    found === undefined
      ? refusal(Code.NotFound, "There is no such file, symbol or extension")
      : { case: "fileDescriptorResponse", value: { fileDescriptorProto: found } };
  switch (asked.case) {
    case "fileByFilename":
      return files(index.file(asked.value));
    case "fileContainingSymbol":
      return files(index.symbol(asked.value));
    case "fileContainingExtension":
      return files(index.extension(asked.value.containingType, asked.value.extensionNumber));
    case "allExtensionNumbersOfType": {
      const extensionNumber = index.extensionNumbers(asked.value);
      return extensionNumber === undefined
        ? refusal(Code.NotFound, "There is no such message")
        : { case: "allExtensionNumbersResponse", value: { baseTypeName: asked.value, extensionNumber } };
    }
    case "listServices":
      return { case: "listServicesResponse", value: { service: index.services.map((name) => ({ name })) } };
    default:
      return refusal(Code.InvalidArgument, "Missing required field: message_request");
  }
}

function refusal(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** v1alpha differs from v1 in its package name only, so its descriptor is made from that of v1. */
function alphaMethod(): DescMethodBiDiStreaming {
  const v1 = file_grpc_reflection_v1_reflection.proto;
  const from = `.${v1.package}.`;
  const to = `.${v1.package}alpha.`;
  const rename = (typeName: string) => (typeName.startsWith(from) ? to + typeName.slice(from.length) : typeName);
  const alpha = clone(FileDescriptorProtoSchema, v1);
  alpha.name = "grpc/reflection/v1alpha/reflection.proto";
  alpha.package = "grpc.reflection.v1alpha";
  for (const field of alpha.messageType.flatMap((message) => message.field)) field.typeName = rename(field.typeName);
  for (const method of alpha.service.flatMap((service) => service.method)) {
    method.inputType = rename(method.inputType);
    method.outputType = rename(method.outputType);
  }
  const registry = createFileRegistry(alpha, () => undefined);
  const method = registry.getService("grpc.reflection.v1alpha.ServerReflection")?.methods.find(streamsBothWays);
  if (method === undefined) throw new Error("grpc.reflection.v1 has no call with streams both ways");
  return method;
}

function streamsBothWays(method: DescMethod): method is DescMethodBiDiStreaming {
  return method.methodKind === "bidi_streaming";
}
