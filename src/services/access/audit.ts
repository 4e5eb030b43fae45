/** Entries of the audit log: each call that changes something, needs `admin` or reads personal data. */
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { methodName } from "../telemetry/rpc-methods.js";
import { codeName, endReported } from "../telemetry/rpc-metrics.js";
import { CALLER, type Caller, type Token } from "./authorization.js";
import { scopesFor } from "./method-scopes.js";
import { namedAppsOf } from "./named-apps.js";

export interface AuditEntry {
  /** Address of the caller's connection. */
  readonly peer: string;
  /** Name of the token; "" for an unknown one, and when the port requires none. */
  readonly token: string;
  readonly method: string;
  /** The first app that the call names; "" for none. */
  readonly app: string;
  /** `ok`, or the code of the error as Connect writes it. */
  readonly code: string;
}

export interface Audit {
  readonly interceptor: Interceptor;
  /** Records a call that was refused before interceptors saw it. */
  refused(method: DescMethod, caller: Caller, error: ConnectError): void;
}

/** Writes an entry when a call ends. A stream ends with its last message, or when its caller hangs up. */
export function createAudit(write: (entry: AuditEntry) => void): Audit {
  return {
    interceptor: (next) => {
      const audited: typeof next = async (request) => {
        const { method } = request;
        const { peer, token } = request.contextValues.get(CALLER);
        let app = "";
        let hasEnded = false;
        const ended = (code: string) => {
          if (hasEnded) return;
          hasEnded = true;
          write({ peer, token: token?.name ?? "", method: methodName(method), app, code });
        };
        const look = (message: object) => {
          if (app === "") app = appOf(method, message);
        };
        try {
          if (!request.stream) {
            look(request.message);
            const answer = await next(request);
            ended("ok");
            return answer;
          }
          // A caller may disconnect before the answer is read: then only the signal fires.
          const { signal } = request;
          signal.addEventListener("abort", () => ended(codeOfEnd(signal.reason)), { once: true });
          const answer = await next({ ...request, message: seen(request.message, look) });
          if (answer.stream) return { ...answer, message: endReported(answer.message, ended) };
          ended("ok");
          return answer;
        } catch (error) {
          ended(codeName(error));
          throw error;
        }
      };
      return (request) => {
        const { token } = request.contextValues.get(CALLER);
        return isAudited(request.method, token) ? audited(request) : next(request);
      };
    },
    refused(method, { peer, token }, error) {
      if (!isAudited(method, token)) return;
      write({ peer, token: token?.name ?? "", method: methodName(method), app: "", code: codeName(error) });
    },
  };
}

/**
 * A facade's calls for visitors are not audited: events and links leave records of their own, and there are thousands a
 * second. With another scope the same calls are audited.
 */
function isAudited(method: DescMethod, token: Token | undefined): boolean {
  const scopes = scopesFor(method);
  if (scopes === undefined || !method.parent.typeName.startsWith("aisle.")) return false;
  if (scopes.includes("storefront") && (token === undefined || token.scopes.has("storefront"))) return false;
  const isForAdmins = scopes.length === 1;
  return isForAdmins || scopes.includes("personal") || method.idempotency !== Level.NO_SIDE_EFFECTS;
}

async function* seen<M extends object>(
  messages: AsyncIterable<M>,
  look: (message: M) => void,
): AsyncGenerator<M, void, undefined> {
  for await (const message of messages) {
    look(message);
    yield message;
  }
}

function codeOfEnd(reason: unknown): string {
  return reason instanceof ConnectError ? codeName(reason) : "canceled";
}

/** App ids are safe to log; other text of a caller is not. */
function appOf(method: DescMethod, message: object): string {
  const named = namedAppsOf(method, message);
  const app = named === "all" ? "" : (named[0] ?? "");
  return /^[A-Za-z0-9_-]{1,64}$/.test(app) ? app : "";
}
