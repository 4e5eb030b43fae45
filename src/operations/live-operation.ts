import { setTimeout as pause } from "node:timers/promises";
import { Unavailable } from "../domain/errors.js";
import { hasEnded, type Operation } from "../domain/operation.js";
import type { OperationsDependencies } from "./operations.js";

/** How far a work is. */
export interface WorkProgress {
  readonly stage: string;
  readonly share?: number;
}

/** Carries out a work and returns its result as text. When the signal fires it leaves all as it was and rejects. */
export type LiveWork = (onProgress: (progress: WorkProgress) => void, signal: AbortSignal) => Promise<string>;

/** Interval of writing progress, which is also the sign of life. */
const WRITTEN_EVERY_MS = 2_000;
/** Pause before the end is written again, and how often. */
const AGAIN_MS = 5_000;
const TRIES = 12;

class Cancelled extends Error {}

/** An operation that this process carries out. */
export class LiveOperation {
  current: Operation;
  /** Resolves when its end is written. */
  readonly ended: Promise<void>;
  private readonly controller = new AbortController();
  private listeners: (() => void)[] = [];
  private tellEnd = () => {};

  constructor(
    private readonly deps: Pick<OperationsDependencies, "unitOfWork" | "now" | "faultOf" | "reportFailure">,
    private readonly appId: string,
    operation: Operation,
  ) {
    this.current = operation;
    this.ended = new Promise((resolve) => {
      this.tellEnd = resolve;
    });
  }

  start(run: LiveWork): Promise<string> {
    const work = run(({ stage, share = 0 }) => this.become({ stage, share }), this.signal);
    work.catch(() => undefined); // `finish` and the caller of `begin` see it
    return work;
  }

  private get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resolves with the next change. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.listeners.push(resolve);
    });
  }

  stop(reason: unknown): void {
    this.controller.abort(reason);
  }

  cancel(): void {
    this.stop(new Cancelled("It was cancelled"));
  }

  /** Writes progress while the work goes on, and then its end. */
  async finish(work: Promise<string>): Promise<void> {
    const writing = setInterval(() => {
      this.write().catch((error: unknown) => this.deps.reportFailure("operations", error));
    }, WRITTEN_EVERY_MS).unref();
    const end = await this.endOf(work);
    clearInterval(writing);
    for (let n = 1; n <= TRIES; n++) {
      try {
        await this.write({ ...this.current, ...end });
        break;
      } catch (error) {
        this.deps.reportFailure("operations", error);
        if (!(error instanceof Unavailable) || n === TRIES) break; // others then see that it lost its process
        await pause(AGAIN_MS, undefined, { ref: false });
      }
    }
    this.become(end); // only now, as every other process must know of an end that this one tells
    this.tellEnd();
  }

  private async endOf(work: Promise<string>): Promise<Partial<Operation>> {
    try {
      const result = await work;
      return { state: "succeeded", share: 1, result, endedAt: this.deps.now() };
    } catch (error) {
      const endedAt = this.deps.now();
      if (this.signal.reason instanceof Cancelled) return { state: "cancelled", endedAt };
      return { state: "failed", endedAt, fault: this.deps.faultOf(error) };
    }
  }

  private become(part: Partial<Operation>): void {
    this.current = { ...this.current, ...part };
    const told = this.listeners;
    this.listeners = [];
    for (const tell of told) tell();
  }

  private async write(current = this.current): Promise<void> {
    const kept = await this.deps.unitOfWork.run(this.appId, (tx) => {
      const before = tx.operations.get(current.operationId);
      if (before === undefined || hasEnded(before)) return undefined;
      const after = { ...current, isCancelled: before.isCancelled, workedAt: this.deps.now() };
      tx.operations.put(after.operationId, after);
      return after;
    });
    if (hasEnded(current)) return;
    if (kept === undefined) this.stop(new Error("Its app was deleted, or another server has given it up"));
    else if (kept.isCancelled) this.cancel();
  }
}
