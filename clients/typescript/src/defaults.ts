import { create, type DescMethod, type DescMethodUnary, isFieldSet, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { KEYS, REPEATABLE, RETRY, WAITING } from "./service-config.js";

export interface Defaults {
  /** Deadline of a unary call that names none and does not wait for other work, over all its attempts. Default: 10,000. */
  readonly timeoutMs?: number;
}

/**
 * Adds what every call to Aisle needs: a deadline; a key where the contract has a field for it; and, as in
 * service-config.json, further attempts while the server is unavailable and repeating does nothing twice. Streams pass
 * unchanged.
 */
export function withDefaults(transport: Transport, { timeoutMs: usual = 10_000 }: Defaults = {}): Transport {
  return {
    stream: transport.stream.bind(transport),
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const request = withKey(method, create(method.input, input));
      const longest = timeoutMs ?? (WAITING.has(pathOf(method)) ? 0 : usual);
      const deadline = Date.now() + longest;
      const hasDeadline = longest > 0;
      for (let attempt = 1; ; attempt++) {
        const left = hasDeadline ? Math.max(1, deadline - Date.now()) : undefined;
        try {
          return await transport.unary(method, signal, left, header, request, contextValues);
        } catch (error) {
          const pause = backoffMs(attempt);
          const isOver = signal?.aborted || (hasDeadline && Date.now() + pause >= deadline);
          if (isOver || attempt === RETRY.maxAttempts || !isRepeatable(method, error)) throw error;
          await new Promise((done) => setTimeout(done, pause));
        }
      }
    },
  };
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

function isRepeatable(method: DescMethod, error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unavailable && REPEATABLE.has(pathOf(method));
}

/** Milliseconds before attempt `attempt + 1`: exponential, with jitter. */
export function backoffMs(attempt: number, longestMs: number = RETRY.maxBackoffMs): number {
  return Math.random() * Math.min(longestMs, RETRY.initialBackoffMs * RETRY.backoffMultiplier ** (attempt - 1));
}

/** Fills an empty key, so that the server recognizes a further attempt. */
function withKey<T extends Message>(method: DescMethodUnary, request: T): T {
  const name = KEYS.get(pathOf(method));
  const field = method.input.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind === "scalar" && !isFieldSet(request, field))
    reflect(method.input, request).set(field, crypto.randomUUID());
  return request;
}
