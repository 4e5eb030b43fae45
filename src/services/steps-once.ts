import { setTimeout as pause } from "node:timers/promises";
import type { Message } from "@bufbuild/protobuf";
import type { Now } from "../domain/clock.js";
import { NotFound, RequestRunning } from "../domain/errors.js";
import type { IdempotencyRecord } from "../domain/event.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import type { Answer, Repeatable } from "./mutations.js";

/** A try without a sign of life for this long has lost its process. */
const LOST_MS = 30_000;
const SIGN_MS = 10_000;
/** How often, and after how long each, a try looks for the answer of another one. */
const LOOKS = 25;
const LOOK_MS = 200;

interface StepsDependencies {
  readonly changes: Pick<UnitOfWork, "run">;
  readonly now: Now;
  /** Returns a unique text. */
  readonly newId: () => string;
}

/**
 * Carries out a change in several transactions. The first try claims the `request_id` in a transaction, and keeps its answer
 * in the last one. Others wait for the answer, or take over the claim of a dead process.
 *
 * Rejects with RequestRunning when the first try takes longer than others wait.
 */
export async function stepsOnce<O extends Message>(
  deps: StepsDependencies,
  repeatable: Repeatable<O>,
  appId: string,
  make: () => Promise<Answer<O>>,
): Promise<Answer<O>> {
  const id = deps.newId();
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await pause(LOOK_MS);
    const other = await deps.changes.run(appId, (tx) => {
      const kept = repeatable.keptIn(tx);
      if (kept !== undefined && (isAnswered(kept) || Math.abs(deps.now() - kept.claimedAt) < LOST_MS)) return kept;
      if (tx.app() === undefined) throw new NotFound("app");
      tx.idempotency.put(repeatable.key, repeatable.planned(id));
      return undefined;
    });
    if (other === undefined) return carryOut(deps, repeatable, appId, id, make);
    if (isAnswered(other)) return repeatable.open(appId, other);
  }
  throw new RequestRunning();
}

async function carryOut<O extends Message>(
  { changes }: StepsDependencies,
  repeatable: Repeatable<O>,
  appId: string,
  id: string,
  make: () => Promise<Answer<O>>,
): Promise<Answer<O>> {
  const { key } = repeatable;
  const whileClaimed = (work: (tx: Transaction) => void) =>
    changes.run(appId, (tx) => {
      const kept = tx.idempotency.get(key);
      if (kept?.eventId === id && !isAnswered(kept)) work(tx);
    });
  const sign = () => {
    const signed = whileClaimed((tx) => tx.idempotency.put(key, repeatable.planned(id)));
    signed.catch(() => undefined); // another try may then take over: both are carried out, as after a crash
  };
  const signs = setInterval(sign, SIGN_MS).unref();
  try {
    const answer = await make();
    const other = await changes.run(appId, (tx) => {
      const kept = repeatable.keptIn(tx);
      if (kept !== undefined && isAnswered(kept)) return kept;
      if (tx.app() !== undefined) tx.idempotency.put(key, repeatable.claim(appId, answer));
      return undefined;
    });
    return other === undefined ? answer : repeatable.open(appId, other);
  } catch (error) {
    await whileClaimed((tx) => tx.idempotency.delete(key)).catch(() => undefined); // the claim then ends by time
    throw error;
  } finally {
    clearInterval(signs);
  }
}

function isAnswered({ answer }: IdempotencyRecord): boolean {
  return answer !== "";
}
