/**
 * Simulated time: one queue of tasks, run one after the other in the order of a seed. Timers of the code under test are
 * tasks of the process that set them, so a process can stand still or end.
 */
import { setImmediate } from "node:timers/promises";
import { createRandom } from "../../../src/learning/common/random.js";

/** A process of the simulation. What is left of its tasks when it ends is never run. */
export interface Owner {
  isDead: boolean;
  /** It stands still until then. */
  stoppedUntil: number;
}

interface Task {
  at: number;
  readonly owner: Owner | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

const NOON = Date.UTC(2026, 10, 21, 12);

export class World {
  /** Milliseconds since the world began, which nobody can set. */
  now = 0;
  /** How far the system clock is from the right time. */
  clockOffset = 0;
  readonly random: () => number;
  private readonly tasks: Task[] = [];
  /** Whose task runs, up to all that follows from it at the same time. */
  private running: Owner | undefined;

  constructor(readonly seed: number) {
    this.random = createRandom(seed);
  }

  /** The system clock of the machine. */
  get systemTime(): number {
    return NOON + Math.floor(this.now) + this.clockOffset;
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  oneOf<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  /** Has `run` run after so many milliseconds, by `owner` if it lives then. */
  after(ms: number, run: () => void, owner?: Owner): Task {
    const task = { at: this.now + Math.max(0, ms), owner, run, isCancelled: false };
    let from = 0;
    for (let to = this.tasks.length; from < to; ) {
      const middle = (from + to) >>> 1;
      if (this.tasks[middle]!.at <= task.at) from = middle + 1;
      else to = middle;
    }
    this.tasks.splice(from, 0, task);
    return task;
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** A pause of the process whose task runs: it goes on only if that lives then. */
  pauseOfRunning(ms: number): Promise<void> {
    const owner = this.running;
    return new Promise((resolve) => void this.after(ms, resolve, owner));
  }

  /** Runs tasks until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const end = () => {
      isSettled = true;
    };
    promise.then(end, end);
    await setImmediate(); // all goes on that waits for no simulated time
    while (!isSettled) {
      const task = this.tasks.shift();
      if (task === undefined) throw new Error("Nothing happens any more");
      if (task.isCancelled || task.owner?.isDead) continue;
      if (task.owner !== undefined && task.owner.stoppedUntil > task.at) {
        this.after(task.owner.stoppedUntil - this.now, task.run, task.owner);
        continue;
      }
      this.now = Math.max(this.now, task.at);
      this.running = task.owner;
      task.run();
      await setImmediate(); // all goes on that waits for no simulated time
    }
    return promise;
  }

  /** Has timers of the code under test wait for simulated time. */
  install(): void {
    const timer = (run: (...given: unknown[]) => void, ms: number, given: unknown[], repeats: boolean) => {
      const owner = this.running;
      const ring = () => {
        if (repeats) handle.task = this.after(Math.max(1, ms), ring, owner);
        run(...given);
      };
      const handle = {
        task: this.after(ms, ring, owner),
        ref: () => handle,
        unref: () => handle,
        hasRef: () => false,
      };
      return handle;
    };
    type Handle = ReturnType<typeof timer>;
    const clear = (handle: Handle | undefined) => {
      if (handle?.task !== undefined) handle.task.isCancelled = true;
    };
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms = 0, ...given: unknown[]) => timer(run, ms, given, false),
      setInterval: (run: () => void, ms = 0, ...given: unknown[]) => timer(run, ms, given, true),
      clearTimeout: clear,
      clearInterval: clear,
    });
  }
}
