import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { Command } from "commander";
import { AppService } from "../gen/aisle/v1/app_service_pb.js";
import { CatalogService } from "../gen/aisle/v1/catalog_service_pb.js";
import { EventService } from "../gen/aisle/v1/event_service_pb.js";
import { HookService } from "../gen/aisle/v1/hook_service_pb.js";
import { ModelService } from "../gen/aisle/v1/model_service_pb.js";
import { OperationService } from "../gen/aisle/v1/operation_service_pb.js";
import { PrivacyService } from "../gen/aisle/v1/privacy_service_pb.js";
import { RecommendationService } from "../gen/aisle/v1/recommendation_service_pb.js";
import { SubscriptionService } from "../gen/aisle/v1/subscription_service_pb.js";
import { callFailure, DryRunEnd, Failure, Interrupted, UsageFailure } from "./errors.js";

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

const DEFAULT_PORT = "8081";
const DEFAULT_SERVER = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Deadline of a short call; a healthy server answers far sooner. */
export const CALL_TIMEOUT_MS = 30_000;

/** Deadline of a bulk call of at most 1,000 items, on a busy machine. */
export const BULK_TIMEOUT_MS = 120_000;

export interface ServerOptions {
  readonly server?: string;
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Only try the changes. */
  readonly dryRun?: boolean;
}

/** Adds the options that name the server and the credentials of both sides. */
export function withServer(command: Command): Command {
  return command
    .option(
      "--server <url>",
      `the server's RPC address (AISLE_SERVER, else http://127.0.0.1 at AISLE_RPC_PORT or ${DEFAULT_PORT})`,
    )
    .option("--ca <file>", "CA of the certificate of an https server, PEM (AISLE_CA)")
    .option("--client-cert <file>", "client certificate, PEM (AISLE_CLIENT_CERT)")
    .option("--client-key <file>", "private key of that certificate, PEM (AISLE_CLIENT_KEY)");
}

/** Adds the option that only tries what the command changes. */
export function withDryRun(command: Command): Command {
  return command.option("--dry-run", "check everything, but change nothing");
}

/** The parts of the process that `withClients` uses. */
export interface ClientDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends calls under way and refuses new ones. */
  readonly signal?: AbortSignal;
  /** Sees each message that the server answers. */
  readonly onAnswer?: <Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>) => void;
}

/**
 * Runs `work` with clients of the server that flag, environment or default name, then closes the connection.
 * @throws UsageFailure for a malformed address, Failure if a call fails, Interrupted when the signal fires, DryRunEnd after
 * a dry run
 */
export async function withClients<Result>(
  options: ServerOptions,
  deps: ClientDeps,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  const result = await withTryingClients(options, deps, work);
  if (options.dryRun) throw new DryRunEnd();
  return result;
}

/** `withClients` for commands that print the result of a dry run themselves. */
export async function withTryingClients<Result>(
  options: ServerOptions,
  { env, signal, onAnswer }: ClientDeps,
  work: (clients: Clients) => Promise<Result>,
): Promise<Result> {
  const server = serverAddress(options.server?.trim() || env.AISLE_SERVER?.trim() || localServer(env));
  const sessionManager = new Http2SessionManager(server, undefined, tlsOf(options, env));
  const refuseAfterSignal: Interceptor = (next) => (request) => {
    signal?.throwIfAborted();
    return next(request);
  };
  const transport = createGrpcTransport({
    baseUrl: server,
    sessionManager,
    interceptors: [refuseAfterSignal, withTokenOf(env), ...(options.dryRun ? [onlyTrying] : []), showing(onAnswer)],
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
function showing(onAnswer: ClientDeps["onAnswer"]): Interceptor {
  return (next) => async (request) => {
    const response = await next(request);
    if (onAnswer === undefined) return response;
    const { output } = response.method;
    if (!response.stream) {
      onAnswer(output, response.message);
      return response;
    }
    const { message: messages } = response;
    return { ...response, message: seen(messages, (message) => onAnswer(output, message)) };
  };
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

/** The server that `aisle serve` starts in this environment. */
function localServer({ AISLE_RPC_PORT: port = "" }: ClientDeps["env"]): string {
  return /^[1-9]\d{0,4}$/.test(port.trim()) ? `http://127.0.0.1:${port.trim()}` : DEFAULT_SERVER;
}

/** The token comes from AISLE_TOKEN, as the list of processes shows the command line. */
function withTokenOf({ AISLE_TOKEN: token = "" }: ClientDeps["env"]): Interceptor {
  return (next) => (request) => {
    if (token.trim() !== "") request.header.set("authorization", `Bearer ${token.trim()}`);
    return next(request);
  };
}

/** Trusted authorities and the client's own certificate, as `node:tls` takes them. */
function tlsOf(options: ServerOptions, env: ClientDeps["env"]): SecureContextOptions {
  const read = (flag: string, variable: string, option: string | undefined): string | undefined => {
    const path = option?.trim() || env[variable]?.trim();
    if (!path) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch {
      throw new UsageFailure(`${flag} (${variable}): the file cannot be read`);
    }
  };
  const ca = read("--ca", "AISLE_CA", options.ca);
  const cert = read("--client-cert", "AISLE_CLIENT_CERT", options.clientCert);
  const key = read("--client-key", "AISLE_CLIENT_KEY", options.clientKey);
  try {
    const context = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
    createSecureContext(context);
    return context;
  } catch {
    throw new UsageFailure("--client-cert and --client-key: a certificate in PEM and its private key are accepted");
  }
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

function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new UsageFailure(`--server (AISLE_SERVER): an http or https address is accepted, such as ${DEFAULT_SERVER}`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Returns all items of a paged list. `read` gets a page token and returns the page's items and the next token. */
export async function allPages<Item>(
  read: (pageToken: string) => Promise<{ readonly items: readonly Item[]; readonly nextPageToken: string }>,
): Promise<Item[]> {
  const found: Item[] = [];
  let pageToken = "";
  do {
    const { items, nextPageToken } = await read(pageToken);
    found.push(...items);
    pageToken = nextPageToken;
  } while (pageToken !== "");
  return found;
}
