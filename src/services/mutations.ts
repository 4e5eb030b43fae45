/**
 * Changes that a caller may repeat (AIP-155). A request with a `request_id` is carried out once: its answer is kept in the
 * transaction of the change, for 24 hours, and given again to the same request. Failures are not kept, as nothing was
 * changed. Kept answers are encrypted as other secrets are, since some show a secret, and hold no personal data.
 *
 * The records are those of idempotency keys, which have the same lifetime.
 */
import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  create,
  type DescMethodUnary,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { HandlerContext } from "@connectrpc/connect";
import type { Now } from "../domain/clock.js";
import { Conflict, InvalidArgument } from "../domain/errors.js";
import type { IdempotencyRecord } from "../domain/event.js";
import { type Seal, SecretKeyMissing } from "../domain/secret-encryption.js";
import type { Change, Claim, Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { CALLER } from "./wire/authorization.js";
import { guarded, type ReportInternal } from "./wire/errors.js";

/** Begins a kept answer, as an empty message has no bytes and "" is no answer. */
const MARK = ".";

/** How often, and after how long each, another try at the same time is looked for. */
const OTHER_TRIES = 5;
const OTHER_TRY_MS = 200;

const REQUEST_ID = /^[\x20-\x7e]{1,64}$/;

type Answer<O extends Message> = MessageInitShape<GenMessage<O>> | O;

/** A request with a `request_id`. */
export interface Repeatable<O extends Message> {
  /** The key of its record. No idempotency key of an event begins as it does. */
  readonly key: string;
  /** The record of an earlier try. Throws InvalidArgument when another request has the id. */
  keptIn(tx: Transaction): IdempotencyRecord | undefined;
  claim(appId: string, answer: Answer<O>): Claim;
  /** A claim of a try that has no answer yet; `plan` is what every try goes by. */
  planned(plan: string): Claim;
  /** The answer of an earlier try. */
  open(appId: string, record: IdempotencyRecord): O;
}

/** Carries out a request, once if it has a `request_id`. */
export interface Once<O extends Message> {
  /**
   * For a change in one transaction, which `make` runs by the given `change`. `answer` makes the answer within that
   * transaction, and may throw to undo it. When `make` begins with more than its transaction, `beginsIn` is its app: an
   * earlier try is looked for first.
   */
  change<T>(
    answer: (result: T) => Answer<O>,
    make: (change: Change<T>) => Promise<T>,
    beginsIn?: string,
  ): Promise<Answer<O>>;
  /** For a change in several transactions. When the process dies among them, a retry carries it out again. */
  steps(appId: string, make: () => Promise<Answer<O>>): Promise<Answer<O>>;
  /** Undefined for a request without a `request_id`. */
  readonly repeatable: Repeatable<O> | undefined;
}

/** The answer of a mutation that only succeeds. */
export const empty = () => ({});

/** Makes the handler of a mutation. */
export type Mutation = <I extends Message & { readonly requestId: string }, O extends Message>(
  method: DescMethodUnary<GenMessage<I>, GenMessage<O>>,
  handler: (request: I, once: Once<O>) => Promise<Answer<O>>,
) => (request: I, context: Pick<HandlerContext, "values">) => Promise<Answer<O>>;

interface MutationsDependencies {
  readonly changes: Pick<UnitOfWork, "run">;
  readonly seal: Seal;
  readonly now: Now;
  readonly report: ReportInternal;
}

export function createMutations(deps: MutationsDependencies): Mutation {
  return (method, handler) =>
    guarded(deps.report, async (request, { values }) => {
      if ("validateOnly" in request && request.validateOnly === true) return handler(request, rehearsal(deps));
      if (request.requestId === "") return handler(request, onceAtLeast(deps));
      if (!REQUEST_ID.test(request.requestId))
        throw new InvalidArgument("request_id", "invalid", "1 to 64 printable ASCII characters");
      const caller = values.get(CALLER).token?.name ?? "";
      return handler(request, onceAtMost(deps, repeatable(deps, method, request, caller)));
    });
}

/** Without a `request_id` each try is carried out. */
function onceAtLeast<O extends Message>({ changes }: MutationsDependencies): Once<O> {
  return {
    repeatable: undefined,
    async change(answer, make) {
      return answer(
        await make((appId, work) =>
          changes.run(appId, (tx) => {
            const result = work(tx);
            answer(result);
            return result;
          }),
        ),
      );
    },
    steps: (_appId, make) => make(),
  };
}

/** Rolls back a change that was only to be checked. */
class RolledBack extends Error {}

/**
 * For `validate_only`: each change runs in its transaction, which is then rolled back, so the answer is that of the change
 * itself. Changes in several steps cannot be rolled back; their methods have no `validate_only`.
 */
function rehearsal<O extends Message>({ changes }: MutationsDependencies): Once<O> {
  return {
    repeatable: undefined,
    async change<T>(answer: (result: T) => Answer<O>, make: (change: Change<T>) => Promise<T>) {
      const result = await make(async (appId, work) => {
        let outcome: { readonly result: T } | undefined;
        try {
          return await changes.run(appId, (tx): T => {
            const made = work(tx);
            answer(made);
            outcome = { result: made };
            throw new RolledBack("The change was only checked");
          });
        } catch (error) {
          if (!(error instanceof RolledBack) || outcome === undefined) throw error;
          return outcome.result;
        }
      });
      return answer(result);
    },
    steps: () => Promise.reject(new Error("A change in several steps cannot be rolled back")),
  };
}

/** Ends `make` when an earlier try has the answer. */
class Kept extends Error {
  constructor(
    readonly appId: string,
    readonly record: IdempotencyRecord,
  ) {
    super("An earlier try was answered");
  }
}

function onceAtMost<O extends Message>({ changes }: MutationsDependencies, repeatable: Repeatable<O>): Once<O> {
  return {
    repeatable,
    async change(answer, make, beginsIn) {
      const earlier = async () => {
        const kept = beginsIn && (await changes.run(beginsIn, (tx) => repeatable.keptIn(tx)));
        return kept ? repeatable.open(beginsIn, kept) : undefined;
      };
      const before = await earlier();
      if (before !== undefined) return before;
      try {
        const result = await make(async (appId, work) => {
          const outcome = await changes.run(appId, (tx) => {
            const kept = repeatable.keptIn(tx);
            if (kept !== undefined) return new Kept(appId, kept);
            const result = work(tx);
            tx.idempotency.put(repeatable.key, repeatable.claim(appId, answer(result)));
            return { result };
          });
          if (outcome instanceof Kept) throw outcome;
          return outcome.result;
        });
        return answer(result);
      } catch (error) {
        if (error instanceof Kept) return repeatable.open(error.appId, error.record);
        // Of two tries at once, the other one may have begun and not yet be written.
        for (let n = 0; n < OTHER_TRIES && beginsIn && error instanceof Conflict && error.kind === "aborted"; n++) {
          await pause(OTHER_TRY_MS);
          const other = await earlier();
          if (other !== undefined) return other;
        }
        throw error;
      }
    },
    async steps(appId, make) {
      const before = await changes.run(appId, (tx) => repeatable.keptIn(tx));
      if (before !== undefined) return repeatable.open(appId, before);
      const answer = await make();
      const kept = await changes.run(appId, (tx) => {
        const other = repeatable.keptIn(tx);
        if (other === undefined && tx.app() !== undefined)
          tx.idempotency.put(repeatable.key, repeatable.claim(appId, answer));
        return other;
      });
      return kept === undefined ? answer : repeatable.open(appId, kept);
    },
  };
}

function repeatable<I extends Message & { readonly requestId: string }, O extends Message>(
  { seal, now }: MutationsDependencies,
  method: DescMethodUnary<GenMessage<I>, GenMessage<O>>,
  request: I,
  caller: string,
): Repeatable<O> {
  const bodyHash = hash("sha256", canonicalJson(request), "base64url");
  const key = ["r", method.parent.typeName, method.name, caller, request.requestId].join("\n");
  return {
    key,
    keptIn(tx) {
      const kept = tx.idempotency.get(key);
      if (kept !== undefined && kept.bodyHash !== bodyHash)
        throw new InvalidArgument("request_id", "invalid", "one that no other request of the last 24 hours has");
      return kept;
    },
    claim(appId, answer) {
      const bytes = toBinary(method.output, create(method.output, answer));
      const text = seal.seal(appId, MARK + Buffer.from(bytes).toString("base64"));
      return { eventId: "", bodyHash, claimedAt: now(), answer: text };
    },
    planned: (plan) => ({ eventId: plan, bodyHash, claimedAt: now() }),
    open(appId, { answer }) {
      try {
        return fromBinary(method.output, Buffer.from(seal.open(appId, answer).slice(MARK.length), "base64"));
      } catch (error) {
        if (!(error instanceof SecretKeyMissing)) throw error;
        throw new Conflict(
          "secret_key_changed",
          "The request was carried out; its answer was encrypted with an earlier key",
        );
      }
    },
  };
}

/** Equal for messages of equal content: the fields of a message come in the order of its wire, entries of a map in any. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => {
    if (name === "$unknown") return undefined;
    if (typeof inner === "bigint") return `${inner}`;
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString("base64");
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
