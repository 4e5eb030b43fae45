import {
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { AppService } from "../../src/gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../../src/gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../../src/gen/aisle/v1/event_service_pb.js";
import { ModelService, TrainModelResponseSchema } from "../../src/gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../../src/gen/aisle/v1/operation_service_pb.js";
import { RecommendationService } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../../src/gen/aisle/v1/subscription_service_pb.js";

const SERVICES = [
  AppService,
  CatalogService,
  EventService,
  ModelService,
  OperationService,
  RecommendationService,
  SubscriptionService,
];

/** What an RPC answered: the last message as protobuf JSON, or the code of its error. */
export type RpcOutcome = { readonly message: JsonValue } | { readonly error: string };

/** Calls `Service.Method` with one message in protobuf JSON. An answer that is an operation is awaited. */
export async function callRpc(transport: Transport, name: string, message: JsonValue): Promise<RpcOutcome> {
  const outcome = await callOnce(transport, name, message);
  const { appId, operationId } = "message" in outcome ? operationOf(outcome.message) : {};
  if (appId === undefined || operationId === undefined) return outcome;
  return callOnce(transport, "OperationService.WaitOperation", { appId, operationId });
}

function operationOf(answer: JsonValue): { readonly appId?: string; readonly operationId?: string } {
  if (typeof answer !== "object" || answer === null || !("operation" in answer)) return {};
  const { operation } = fromJson(TrainModelResponseSchema, answer);
  return operation === undefined ? {} : { appId: operation.appId, operationId: operation.operationId };
}

async function callOnce(transport: Transport, name: string, message: JsonValue): Promise<RpcOutcome> {
  const method = methodNamed(name);
  const request = fromJson(method.input, message);
  try {
    if (isUnary(method)) {
      const answer = await transport.unary(method, undefined, undefined, undefined, request);
      return { message: toJson(method.output, answer.message) };
    }
    if (!isStreaming(method)) throw new Error(`${name} is of no known kind`);
    const answers = await transport.stream(method, undefined, undefined, undefined, only(request));
    let last: JsonValue = {};
    for await (const answer of answers.message) last = toJson(method.output, answer);
    return { message: last };
  } catch (error) {
    return { error: ConnectError.from(error).message };
  }
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isStreaming(method: DescMethod): method is DescMethodStreaming {
  return method.methodKind !== "unary";
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function methodNamed(name: string): DescMethod {
  const [service, method] = name.split(".");
  const found = SERVICES.find((desc) => desc.name === service)?.methods.find((desc) => desc.name === method);
  if (found === undefined) throw new Error(`There is no RPC ${name}`);
  return found;
}
