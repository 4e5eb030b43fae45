import type { FailurePlace, ReportFailure } from "../../adapters/report-failure.js";
import { IDEMPOTENCY_MS } from "../../domain/event.js";
import type { KeyClock } from "../idempotency-records.js";
import { asked, type Connection, LONG_MS } from "./connection.js";
import type { Tables } from "./tables.js";

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

/** Clocks of servers may differ by this much: a record that one of them still goes by is not removed by another. */
const MARGIN_MS = 60 * 60 * 1000;

/** Removes idempotency records that have expired by both readings; see `isExpired`. */
export async function sweepIdempotency(connection: Connection, tables: Tables, clock: KeyClock): Promise<void> {
  const due = clock.now() - IDEMPOTENCY_MS - MARGIN_MS;
  const livedDue = clock.livedNow() - IDEMPOTENCY_MS - MARGIN_MS;
  const kind = tables.idempotency.name;
  const old = [
    { kind, "v.claimedAt": { $lt: new Date(due) }, "v.livedAt": { $gt: 0, $lt: livedDue } },
    // from before `livedAt` was kept
    { kind, "v.claimedAt": { $lt: new Date(Math.min(due, livedDue)) }, "v.livedAt": { $in: [null, 0] } },
  ];
  for (const filter of old) await asked(connection, () => tables.idempotency.collection.deleteMany(filter), LONG_MS);
}
