/** Authorization on the RPC port: bearer tokens with scopes, apps and an expiry. */
import { createHash } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError, createContextKey, type Interceptor } from "@connectrpc/connect";
import { refusal } from "../errors/error-info.js";
import { type Scope, scopesFor } from "./method-scopes.js";
import { namedAppsOf } from "./named-apps.js";

export interface Token {
  /** Display name, also in the audit log. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The apps it may name; undefined: all. */
  readonly apps?: ReadonlySet<string> | undefined;
  /** Expiry in milliseconds since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** Tokens by the SHA-256 of their text, 64 hex digits. The text itself is not stored. */
export type Tokens = ReadonlyMap<string, Token>;

/** The caller of an RPC. */
export interface Caller {
  /** Address of the connection; "" for a call inside the process. */
  readonly peer: string;
  /** Undefined when the port requires no token, or the caller has no valid one. */
  readonly token: Token | undefined;
}

/** The caller, for handlers and interceptors. Calls inside the process have the default. */
export const CALLER = createContextKey<Caller>({ peer: "", token: undefined }, { description: "caller" });

/** The facts about a call before its body is read. */
export interface CallHead {
  readonly method: DescMethod;
  /** The header of that name. */
  readonly authorization: string | undefined;
  readonly peer: string;
}

/** Returns the caller, or throws a ConnectError: UNAUTHENTICATED or PERMISSION_DENIED. */
export type Gate = (head: CallHead) => Caller;

/**
 * Decides by headers alone, so that a stranger's body is never read. Each call reads `tokens`; undefined admits
 * everybody. Interceptors never see a call refused here, so `onRefused` reports it.
 */
export function createGate(deps: {
  readonly tokens: () => Tokens | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onRefused: (method: DescMethod, caller: Caller, error: ConnectError) => void;
}): Gate {
  return ({ method, authorization, peer }) => {
    const tokens = deps.tokens();
    const token = tokens && tokenOf(authorization, tokens);
    const caller = { peer, token };
    const scopes = scopesFor(method);
    const error = tokens && scopes && faultOf(token, scopes, deps.now());
    if (error === undefined) return caller;
    deps.onRefused(method, caller, error);
    throw error;
  };
}

function faultOf(token: Token | undefined, scopes: readonly Scope[], now: number): ConnectError | undefined {
  if (token === undefined) {
    const text = "a known token is needed: authorization: Bearer …";
    return refusal(text, Code.Unauthenticated, "TOKEN_UNKNOWN");
  }
  if (token.expiresAt !== undefined && token.expiresAt <= now) {
    const end = new Date(token.expiresAt).toISOString();
    return refusal(`the token expired at ${end}`, Code.Unauthenticated, "TOKEN_EXPIRED", { expired_at: end });
  }
  if (scopes.some((scope) => token.scopes.has(scope))) return undefined;
  const text =
    scopes.length === 1 ? `the scope ${scopes[0]} is needed` : `one of the scopes ${scopes.join(", ")} is needed`;
  return refusal(text, Code.PermissionDenied, "SCOPE_MISSING", { needed: scopes.join(",") });
}

/** Rejects messages that name an app outside the caller's token, also later ones in a stream. */
export function createAppBounds(): Interceptor {
  return (next) => (request) => {
    const apps = request.contextValues.get(CALLER).token?.apps;
    if (apps === undefined) return next(request);
    const check = (message: object, isFirst: boolean) => mustAllow(apps, namedAppsOf(request.method, message), isFirst);
    if (request.stream) return next({ ...request, message: checked(request.message, check) });
    check(request.message, true);
    return next(request);
  };
}

async function* checked<M extends object>(
  messages: AsyncIterable<M>,
  check: (message: M, isFirst: boolean) => void,
): AsyncGenerator<M, void, undefined> {
  let isFirst = true;
  for await (const message of messages) {
    check(message, isFirst);
    isFirst = false;
    yield message;
  }
}

/** The reason of a rejection for an app outside the token. */
export const APP_NOT_ALLOWED = "APP_NOT_ALLOWED";

/** Later messages of a stream may omit the app: it is that of the first. */
function mustAllow(apps: ReadonlySet<string>, named: readonly string[] | "all", isFirst: boolean): void {
  const allowed = named !== "all" && named.every((app) => apps.has(app) || (app === "" && !isFirst));
  if (!allowed) throw refusal("the token is for other apps", Code.PermissionDenied, APP_NOT_ALLOWED);
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Sends the token with each call. */
export function withToken(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

/** Looked up by hash, so that the response time reveals nothing about the tokens. */
function tokenOf(header: string | undefined, tokens: Tokens): Token | undefined {
  const [, text] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  return text === undefined ? undefined : tokens.get(hashOf(text));
}
