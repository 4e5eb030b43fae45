/**
 * Long work of apps as records. The process that was asked carries the work out and writes its progress every few seconds, so
 * that every process tells of it. The work goes on when its caller leaves. If its process dies, whoever looks next marks it
 * as failed. Erasures and runs of feeds are resumed by other processes instead, and write their operations themselves.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import { NotFound } from "../domain/errors.js";
import {
  hasEnded,
  isResumed,
  newOperation,
  OPERATION_KEPT_MS,
  type Operation,
  type OperationFault,
  type OperationKind,
} from "../domain/operation.js";
import type { Copies } from "../store/ports/copies.js";
import type { OperationStore } from "../store/ports/operation-store.js";
import type { Change, UnitOfWork } from "../store/ports/unit-of-work.js";
import { LiveOperation, type LiveWork } from "./live-operation.js";

/** Without a sign of life for this long an operation has lost its process. */
const LOST_MS = 30_000;
/** Interval of looking at an operation that this process does not carry out: it grows from the first to the second. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = 500;
/** A work that has not failed by then, nor begun, is answered as one under way. */
const ACCEPTED_MS = 2_000;
/** Old operations removed with each new one. */
const REMOVED_AT_ONCE = 50;

const LOST: OperationFault = { code: 10, message: "The server that carried it out stopped", reason: "OPERATION_LOST" };

export interface Operations {
  /**
   * Begins `run` and writes its operation by `change`. Rejects as `run` does when it fails before its first progress: then
   * there is no operation.
   */
  begin(appId: string, kind: OperationKind, run: LiveWork, change: Change<Operation>): Promise<Operation>;
  /** Rejects with NotFound("operation"), as the following do. */
  get(appId: string, operationId: string): Promise<Operation>;
  /** Newest first. */
  list(appId: string, before: string, limit: number): Promise<Operation[]>;
  /** The operation when it has ended, or as it is after `timeoutMs` or when the signal fires. */
  wait(appId: string, operationId: string, timeoutMs: number, signal: AbortSignal): Promise<Operation>;
  /** Each change of the operation, up to its end. */
  watch(appId: string, operationId: string, signal: AbortSignal): AsyncGenerator<Operation>;
  /** Does nothing for one that has ended, or that other processes resume. */
  cancel(appId: string, operationId: string): Promise<Operation>;
  /** Removes the oldest that are past their time, in the background. To be called with each new operation. */
  removeOld(appId: string): void;
  /** Resolves when the operations of this process have ended. */
  settled(): Promise<void>;
}

export interface OperationsDependencies {
  readonly stored: OperationStore;
  readonly copies: Pick<Copies, "scan">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  readonly newId: () => string;
  /** What callers see of an error. */
  readonly faultOf: (error: unknown) => OperationFault;
  readonly reportFailure: ReportFailure;
}

export function createOperations(deps: OperationsDependencies): Operations {
  const { stored, unitOfWork, now, reportFailure } = deps;
  const running = new Map<string, LiveOperation>();
  const keyOf = (appId: string, operationId: string) => `${appId}\0${operationId}`;

  /** Marks an operation that has lost its process. */
  const settleLost = (appId: string, seen: Operation): Promise<Operation> =>
    unitOfWork.run(appId, (tx) => {
      const kept = tx.operations.get(seen.operationId);
      if (kept === undefined || kept.workedAt !== seen.workedAt || hasEnded(kept)) return kept ?? seen;
      const lost: Operation = { ...kept, state: "failed", endedAt: now(), fault: LOST };
      tx.operations.put(lost.operationId, lost);
      return lost;
    });

  const current = async (appId: string, operation: Operation): Promise<Operation> => {
    const live = running.get(keyOf(appId, operation.operationId));
    if (live !== undefined) return live.current;
    const isLost = !hasEnded(operation) && !isResumed(operation) && Math.abs(now() - operation.workedAt) > LOST_MS;
    return isLost ? settleLost(appId, operation) : operation;
  };

  const get = async (appId: string, operationId: string): Promise<Operation> => {
    const live = running.get(keyOf(appId, operationId));
    if (live !== undefined) return live.current;
    const found = operationId === "" ? undefined : await stored.get(appId, operationId);
    if (found === undefined) throw new NotFound("operation");
    return current(appId, found);
  };

  /** Resolves when the operation has changed, if this process carries it out, at the latest after `ms`. */
  const changed = async (appId: string, operationId: string, ms: number, signal: AbortSignal): Promise<void> => {
    const live = running.get(keyOf(appId, operationId));
    const timer = new AbortController();
    try {
      const waits = pause(ms, undefined, {
        signal: AbortSignal.any([signal, timer.signal]),
      }).catch(() => undefined); // the caller looks at its signal
      await Promise.race([waits, ...(live === undefined ? [] : [live.changed()])]);
    } finally {
      timer.abort();
    }
  };

  const removeRows = async (appId: string): Promise<void> => {
    const rows = await deps.copies.scan(appId, "operations", "", REMOVED_AT_ONCE);
    const old = rows.filter(({ value }) => hasEnded(value) && now() - value.endedAt > OPERATION_KEPT_MS);
    if (old.length === 0) return;
    await unitOfWork.run(appId, (tx) => {
      for (const { key } of old) tx.operations.delete(key);
    });
  };
  const removeOld = (appId: string): void => {
    removeRows(appId).catch((error: unknown) => reportFailure("operations", error));
  };

  return {
    async begin(appId, kind, run, change) {
      const live = new LiveOperation(deps, appId, newOperation(deps.newId(), kind, now()));
      const changed = live.changed(); // before the start, as a work may report at once
      const work = live.start(run);
      const timer = new AbortController();
      const late = pause(ACCEPTED_MS, undefined, { signal: timer.signal }).catch(() => undefined); // aborted below
      try {
        await Promise.race([work, changed, late]);
        const key = keyOf(appId, live.current.operationId);
        const operation = await change(appId, (tx) => {
          if (tx.app() === undefined) throw new NotFound("app");
          tx.operations.put(live.current.operationId, live.current);
          return live.current;
        });
        running.set(key, live);
        void live.finish(work).finally(() => running.delete(key));
        removeOld(appId);
        return operation;
      } catch (error) {
        live.stop(error);
        throw error;
      } finally {
        timer.abort();
      }
    },

    get,

    async list(appId, before, limit) {
      const found = await stored.list(appId, before, limit);
      return Promise.all(found.map((operation) => current(appId, operation)));
    },

    async wait(appId, operationId, timeoutMs, signal) {
      const until = performance.now() + timeoutMs;
      for (let look = FIRST_LOOK_MS; ; look = Math.min(2 * look, LOOK_MS)) {
        const operation = await get(appId, operationId);
        const left = until - performance.now();
        if (hasEnded(operation) || left <= 0 || signal.aborted) return operation;
        await changed(appId, operationId, Math.min(left, look), signal);
      }
    },

    async *watch(appId, operationId, signal) {
      let said: Operation | undefined;
      for (let look = FIRST_LOOK_MS; !signal.aborted; look = Math.min(2 * look, LOOK_MS)) {
        const operation = await get(appId, operationId);
        if (said === undefined || !isSame(said, operation)) yield operation;
        said = operation;
        if (hasEnded(operation)) return;
        await changed(appId, operationId, look, signal);
      }
    },

    async cancel(appId, operationId) {
      const seen = await get(appId, operationId);
      if (hasEnded(seen) || isResumed(seen)) return seen;
      const asked = await unitOfWork.run(appId, (tx) => {
        const kept = tx.operations.get(operationId);
        if (kept === undefined || hasEnded(kept)) return kept ?? seen;
        const cancelled = { ...kept, isCancelled: true };
        tx.operations.put(operationId, cancelled);
        return cancelled;
      });
      running.get(keyOf(appId, operationId))?.cancel();
      return asked;
    },

    removeOld,

    async settled() {
      await Promise.all([...running.values()].map((live) => live.ended));
    },
  };
}

function isSame(a: Operation, b: Operation): boolean {
  return a.state === b.state && a.startedAt === b.startedAt && a.stage === b.stage && a.share === b.share;
}
