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
import { Conflict, InvalidArgument, RequestIdReused } from "../domain/errors.js";
import type { IdempotencyRecord } from "../domain/event.js";
import { type Seal, SecretKeyMissing } from "../domain/secret-encryption.js";
import type { Change, Claim, Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { CALLER } from "./access/authorization.js";
import { guarded, type ReportInternal } from "./errors/errors.js";
import { stepsOnce } from "./steps-once.js";

/** Begins a kept answer, as an empty message has no bytes and "" is no answer. */
const MARK = ".";

/** How often, and after how long each, another try at the same time is looked for. */
const OTHER_TRIES = 5;
const OTHER_TRY_MS = 200;

const REQUEST_ID = /^[\x20-\x7e]{1,64}$/;

export type Answer<O extends Message> = MessageInitShape<GenMessage<O>> | O;

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
  /**
   * For a change in several transactions. Of tries at the same time one carries it out. When the process dies among them, a
   * retry carries it out again. `tried` checks everything and changes nothing.
   */
  steps(appId: string, make: () => Promise<Answer<O>>, tried: () => Promise<Answer<O>>): Promise<Answer<O>>;
  /** Undefined for a request without a `request_id`. */
  readonly repeatable: Repeatable<O> | undefined;
}

/** The answer of a mutation that only succeeds. */
export const empty = () => ({});

/** Makes the handler of a mutation. */
export type Mutation = <I extends Message & { readonly requestId: string }, O extends Message>(
  method: DescMethodUnary<GenMessage<I>, GenMessage<O>>,
  handler: (request: I, once: Once<O>, context: MutationContext) => Promise<Answer<O>>,
) => (request: I, context: MutationContext) => Promise<Answer<O>>;

type MutationContext = Pick<HandlerContext, "values" | "signal">;

interface MutationsDependencies {
  readonly changes: Pick<UnitOfWork, "run">;
  /** Works that are rolled back. */
  readonly tried: Pick<UnitOfWork, "run">;
  readonly seal: Seal;
  readonly now: Now;
  readonly newId: () => string;
  readonly report: ReportInternal;
}

export function createMutations(deps: MutationsDependencies): Mutation {
  return (method, handler) =>
    guarded(deps.report, async (request, context) => {
      if ("validateOnly" in request && request.validateOnly === true)
        return handler(request, { ...everyTime(deps.tried), steps: (_appId, _make, tried) => tried() }, context);
      if (request.requestId === "") return handler(request, everyTime(deps.changes), context);
      if (!REQUEST_ID.test(request.requestId))
        throw new InvalidArgument("request_id", "invalid", "1 to 64 printable ASCII characters");
      const caller = context.values.get(CALLER).token?.name ?? "";
      return handler(request, onceAtMost(deps, repeatable(deps, method, request, caller)), context);
    });
}

/** Without a `request_id` each try is carried out. */
function everyTime<O extends Message>(changes: Pick<UnitOfWork, "run">): Once<O> {
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

/** Ends `make` when an earlier try has the answer. */
class Kept extends Error {
  constructor(
    readonly appId: string,
    readonly record: IdempotencyRecord,
  ) {
    super("An earlier try was answered");
  }
}

function onceAtMost<O extends Message>(deps: MutationsDependencies, repeatable: Repeatable<O>): Once<O> {
  const { changes } = deps;
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
    steps: (appId, make) => stepsOnce(deps, repeatable, appId, make),
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
      if (kept !== undefined && kept.bodyHash !== bodyHash) throw new RequestIdReused();
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
