import type { Now } from "../../domain/clock.js";
import { ERASURE_STEPS, type Erasure, type ErasureStep } from "../../domain/erasure.js";
import { NotFound } from "../../domain/errors.js";
import { idAt } from "../../domain/ids.js";
import type { Operation } from "../../domain/operation.js";
import type { Transaction, UnitOfWork } from "../../store/ports/unit-of-work.js";

/** An event that was received so long before an erasure is stored by the time of its second look. */
const UNDER_WAY_MS = 600_000;

export interface ProgressDependencies {
  readonly unitOfWork: UnitOfWork;
  readonly now: Now;
  /** A finished erasure as its operation shows it. */
  readonly resultOf: (erasure: Erasure) => string;
}

/** Stores the progress of an erasure, and of its operation with it. */
export function createProgress({ unitOfWork, now, resultOf }: ProgressDependencies) {
  /** Applies `work` unless another process has advanced the erasure; returns the updated erasure. */
  const step = (
    appId: string,
    before: Erasure,
    work: (tx: Transaction, erasure: Erasure) => Partial<Erasure>,
  ): Promise<Erasure> =>
    unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const erasure = tx.erasures.get(before.erasureId);
      if (erasure === undefined) throw new NotFound("app");
      if (erasure.step !== before.step || erasure.upTo !== before.upTo) return erasure;
      const after = { ...erasure, ...work(tx, erasure), workedAt: now() };
      tx.erasures.put(after.erasureId, after);
      const operation = tx.operations.get(after.erasureId);
      if (operation !== undefined) tx.operations.put(after.erasureId, progressed(operation, after, resultOf));
      return after;
    });

  const goOn = (appId: string, erasure: Erasure): Promise<Erasure> =>
    step(appId, erasure, (_tx, { step: at, isSecond, startedAt }) => {
      const next = following(at);
      return { step: next, upTo: isSecond && next === "events" ? idAt(startedAt - UNDER_WAY_MS) : "" };
    });

  return { step, goOn };
}

function following(step: ErasureStep): ErasureStep {
  return ERASURE_STEPS[ERASURE_STEPS.indexOf(step) + 1] ?? "done";
}

/** The operation of an erasure that has come so far. */
export function progressed(
  operation: Operation,
  erasure: Erasure,
  resultOf: ProgressDependencies["resultOf"],
): Operation {
  const { step, workedAt, finishedAt } = erasure;
  if (step === "done")
    return { ...operation, state: "succeeded", share: 1, workedAt, endedAt: finishedAt, result: resultOf(erasure) };
  // `recheck` may lead back to an earlier step.
  const share = Math.max(operation.share, ERASURE_STEPS.indexOf(step) / (ERASURE_STEPS.length - 1));
  return { ...operation, stage: step.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`), share, workedAt };
}
