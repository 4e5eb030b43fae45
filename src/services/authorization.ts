/** Who may call what on the RPC port: bearer tokens, each with a scope. */
import { createHash } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { ERROR_DOMAIN } from "./errors.js";
import { methodName } from "./rpc-methods.js";
import { codeName } from "./rpc-metrics.js";

/** What a token allows; each also what those before it do. */
export const SCOPES = ["read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Token {
  /** For people and the audit log. */
  readonly name: string;
  readonly scope: Scope;
}

/** Tokens by the SHA-256 of their text, 64 hex digits: the text itself is kept nowhere. */
export type Tokens = ReadonlyMap<string, Token>;

/** A call that changes what only an admin may, and what came of it. */
export interface AuditEntry {
  /** Name of the token; "" where the port asks for none. */
  readonly caller: string;
  readonly method: string;
  /** "" where the call names none. */
  readonly app: string;
  readonly code: string;
}

/** The scope for calls of a service that change nothing, and for those that do. */
const NEEDED: Readonly<Record<string, readonly [read: Scope, write: Scope]>> = {
  "aisle.v1.AppService": ["read", "admin"],
  "aisle.v1.CatalogService": ["read", "write"],
  "aisle.v1.EventService": ["read", "write"],
  "aisle.v1.HookService": ["admin", "admin"],
  "aisle.v1.ModelService": ["read", "admin"],
  "aisle.v1.PrivacyService": ["admin", "admin"],
  "aisle.v1.RecommendationService": ["read", "write"],
  "aisle.v1.SubscriptionService": ["read", "write"],
  "grpc.reflection.v1.ServerReflection": ["read", "read"],
};

/** Undefined for health, which balancers ask without a token. A service that is not listed is for admins. */
export function neededScope(method: Pick<DescMethod, "idempotency" | "parent">): Scope | undefined {
  const { typeName } = method.parent;
  if (typeName === "grpc.health.v1.Health") return undefined;
  const [read, write] = NEEDED[typeName] ?? ["admin", "admin"];
  return method.idempotency === Level.NO_SIDE_EFFECTS ? read : write;
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Refuses calls without a token that allows them: UNAUTHENTICATED without a known one, PERMISSION_DENIED where its scope is
 * too small. `tokens` is asked for each call; undefined lets everybody in. `audit` is told of each call that needs
 * `admin` and changes something, at its end, whoever made it and whether or not it was allowed.
 */
export function createAuthorization(deps: {
  readonly tokens: () => Tokens | undefined;
  readonly audit: (entry: AuditEntry) => void;
}): Interceptor {
  return (next) => async (request) => {
    const { method } = request;
    const needed = neededScope(method);
    const tokens = deps.tokens();
    const token = tokens && tokenOf(request.header.get("authorization"), tokens);
    const isAudited = needed === "admin" && method.idempotency !== Level.NO_SIDE_EFFECTS;
    const app = isAudited && !request.stream ? appOf(request.message) : "";
    const ended = (code: string) => {
      if (isAudited) deps.audit({ caller: token?.name ?? "", method: methodName(method), app, code });
    };
    try {
      if (tokens !== undefined && needed !== undefined) mustAllow(token, needed);
      const answer = await next(request);
      ended("ok"); // a streamed answer says by itself how far it came
      return answer;
    } catch (error) {
      ended(codeName(error));
      throw error;
    }
  };
}

/** Says the token with each call. */
export function withToken(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

function mustAllow(token: Token | undefined, needed: Scope): void {
  if (token === undefined) {
    const text = "a known token is needed: authorization: Bearer …";
    throw refusal(text, Code.Unauthenticated, "TOKEN_UNKNOWN", {});
  }
  if (SCOPES.indexOf(token.scope) >= SCOPES.indexOf(needed)) return;
  throw refusal(`the scope ${needed} is needed`, Code.PermissionDenied, "SCOPE_TOO_SMALL", { needed });
}

function refusal(text: string, code: Code, reason: string, metadata: Record<string, string>): ConnectError {
  const details = [{ desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN, metadata } }];
  return new ConnectError(text, code, undefined, details);
}

/** Looked up by its hash, which tells nothing by the time it takes. */
function tokenOf(header: string | null, tokens: Tokens): Token | undefined {
  const [, text] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  return text === undefined ? undefined : tokens.get(hashOf(text));
}

function appOf(message: object): string {
  if ("appId" in message && typeof message.appId === "string") return plain(message.appId);
  if ("app" in message && typeof message.app === "object" && message.app !== null) return appOf(message.app);
  return "";
}

/** Ids of apps are plain; what is none is not logged. */
function plain(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : "";
}
