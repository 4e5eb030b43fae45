import type { SecureContextOptions } from "node:tls";
import { type DescMessage, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../gen/aisle/v1/event_service_pb.js";
import { HookService } from "../gen/aisle/v1/hook_service_pb.js";
import { ModelService } from "../gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../gen/aisle/v1/operation_service_pb.js";
import { PrivacyService } from "../gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { callFailure } from "./call-errors.js";
import { Failure, Interrupted } from "./errors.js";

/** Typed clients of one server. */
export interface Clients {
  readonly apps: Client<typeof AppService>;
  readonly catalog: Client<typeof CatalogService>;
  readonly events: Client<typeof EventService>;
  readonly hooks: Client<typeof HookService>;
  readonly models: Client<typeof ModelService>;
  readonly operations: Client<typeof OperationService>;
  readonly privacy: Client<typeof PrivacyService>;
  readonly recommendations: Client<typeof RecommendationService>;
  readonly subscriptions: Client<typeof SubscriptionService>;
}

export interface ServerCall {
  /** Its address, without a slash at the end. */
  readonly server: string;
  readonly tls: SecureContextOptions;
  /** "" for none. */
  readonly token: string;
  /** Changes nothing: each request says `validate_only`. */
  readonly onlyTry: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onAnswer: ((answer: () => JsonValue) => void) | undefined;
}

/** Runs `work` with clients of a server, then closes the connection. Throws as `withClients` does. */
export async function callServer<Result>(
  { server, tls, token, onlyTry, signal, onAnswer }: ServerCall,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  const sessionManager = new Http2SessionManager(server, undefined, tls);
  const refuseAfterSignal: Interceptor = (next) => (request) => {
    signal?.throwIfAborted();
    return next(request);
  };
  const transport = createGrpcTransport({
    baseUrl: server,
    sessionManager,
    interceptors: [refuseAfterSignal, withToken(token), ...(onlyTry ? [onlyTrying] : []), showing(onAnswer)],
  });
  let onSignal = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    onSignal = () => reject(new Interrupted());
    if (signal?.aborted) onSignal();
    signal?.addEventListener("abort", onSignal, { once: true });
  });
  try {
    const result = await Promise.race([interrupted, work(clientsOver(transport))]);
    sessionManager.abort();
    return result;
  } catch (error) {
    // Only then: after a failure a session emits its error late, and an abort would have removed the listener ("ends with
    // 1 and one line when the port speaks something else"). An idle session keeps no process alive.
    if (error instanceof Interrupted) sessionManager.abort();
    throw callFailure(error, server);
  } finally {
    signal?.removeEventListener("abort", onSignal);
  }
}

/** Shows each answer to `onAnswer`. */
function showing(onAnswer: ServerCall["onAnswer"]): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    if (onAnswer === undefined) return response;
    const { output } = response.method;
    if (!response.stream) {
      onAnswer(() => answerJson(output, response.message));
      return response;
    }
    const { message: messages } = response;
    return { ...response, message: seen(messages, (message) => onAnswer(() => answerJson(output, message))) };
  };
}

function answerJson<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): JsonValue {
  return toJson(schema, message, { alwaysEmitImplicit: true });
}

async function* seen<M>(messages: AsyncIterable<M>, look: (message: M) => void): AsyncGenerator<M, void, undefined> {
  for await (const message of messages) {
    look(message);
    yield message;
  }
}

/** Sets `validate_only` in each request. Throws for a call that would write all the same. */
const onlyTrying: Interceptor = (next) => (request) => {
  const { idempotency, input, name } = request.method;
  if (idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return next(request);
  if (input.field.validateOnly === undefined) throw new Failure(`${name} cannot be tried`);
  if (!request.stream) return next({ ...request, message: tried(request.message) });
  return next({ ...request, message: allTried(request.message) });
};

function tried<M extends object>(message: M): M {
  return Object.assign(message, { validateOnly: true });
}

async function* allTried<M extends object>(messages: AsyncIterable<M>): AsyncGenerator<M, void, undefined> {
  for await (const message of messages) yield tried(message);
}

/** The token does not stand on the command line, as the list of processes shows that. */
function withToken(token: string): Interceptor {
  return (next) => (request) => {
    if (token !== "") request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

function clientsOver(transport: Transport): Clients {
  return {
    apps: createClient(AppService, transport),
    catalog: createClient(CatalogService, transport),
    events: createClient(EventService, transport),
    hooks: createClient(HookService, transport),
    models: createClient(ModelService, transport),
    operations: createClient(OperationService, transport),
    privacy: createClient(PrivacyService, transport),
    recommendations: createClient(RecommendationService, transport),
    subscriptions: createClient(SubscriptionService, transport),
  };
}
