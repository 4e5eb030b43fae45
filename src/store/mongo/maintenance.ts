import type { FailurePlace, ReportFailure } from "../../adapters/report-failure.js";

/** A task, and after how many rounds it is due again. */
export interface Task {
  readonly every: number;
  run(): Promise<void>;
}

/** Runs tasks in rounds, one after the other. A task that fails runs again when it is next due. */
export class Maintenance {
  private readonly timer: NodeJS.Timeout;
  private round = 0;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;

  constructor(
    private readonly tasks: readonly Task[],
    roundMs: number,
    private readonly place: FailurePlace,
    private readonly reportFailure: ReportFailure,
  ) {
    this.timer = setInterval(() => this.begin(), roundMs).unref();
    this.begin();
  }

  /** Resolves when the current round is done; no other one follows. */
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
      } catch (error) {
        this.reportFailure(this.place, error);
      }
    }
  }
}
