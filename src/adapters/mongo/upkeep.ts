import type { Metrics } from "../../ports/metrics.js";
import type { Commits } from "./commits.js";
import type { Writer } from "./writer.js";

/** A task, and after how many rounds it is due again. */
export interface Task {
  readonly every: number;
  run(): Promise<void>;
}

/** Does tasks in rounds, one after the other; one that fails is tried again when it is next due. */
export class Upkeep {
  private readonly timer: NodeJS.Timeout;
  private round = 0;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;

  constructor(
    private readonly tasks: readonly Task[],
    roundMs: number,
    private readonly metrics: Metrics | undefined,
  ) {
    this.timer = setInterval(() => this.begin(), roundMs).unref();
    this.begin();
  }

  /** Resolves when the round under way is done; there is no other one. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private begin(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.running = this.runDue().finally(() => {
      this.isRunning = false;
    });
  }

  private async runDue(): Promise<void> {
    const round = this.round++;
    for (const task of this.tasks) {
      if (round % task.every !== 0) continue;
      try {
        await task.run();
      } catch {
        this.metrics?.count("store_upkeep_failed");
      }
    }
  }
}

const LEFT_AT_ONCE = 100;

/**
 * Finds commits that are under way for longer than a round and lets the lane of their app wait for them, which finishes
 * those that were left.
 */
export function createFinishLeft(commits: Commits, writer: Writer, answerMs: number): () => Promise<void> {
  let before = new Set<string>();
  return async () => {
    const found = await commits.allUnderWay(LEFT_AT_ONCE);
    const left = found.filter(({ app, by }) => before.has(by) && !writer.isBusy(app));
    before = new Set(found.map(({ by }) => by));
    await Promise.all(left.map(({ app }) => writer.run(app, () => undefined, answerMs)));
  };
}
