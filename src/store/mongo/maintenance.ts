import type { FailurePlace, ReportFailure } from "../../adapters/report-failure.js";
import { type Commits, KEPT_COMMITS } from "./commits.js";
import { FIRST, type Key } from "./keys.js";
import type { Writer } from "./writer.js";

/** A task, and after how many rounds it is due again. */
export interface Task {
  readonly every: number;
  run(): Promise<void>;
}

/** Does tasks in rounds, one after the other; one that fails is tried again when it is next due. */
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
      } catch (error) {
        this.reportFailure(this.place, error);
      }
    }
  }
}

const COMMITS_AT_ONCE = 10_000;

/** Nobody relies on a commit any more that is so far behind the head; it was not removed in its time. */
const LEFT_BEHIND = 4 * KEPT_COMMITS;

/** The commits there are of an app, as they were found. */
interface Log {
  readonly newest: number;
  readonly head: number;
}

/**
 * Examines the commits of all apps, a few apps at a time. It acts on an app whose commits have not changed since the last
 * look and to which this server is not committing. There it finishes abandoned commits. When all are finished, it blanks
 * their writes. It also removes commits far behind the head.
 */
export function createCommitMaintenance(commits: Commits, writer: Writer, answerMs: number): () => Promise<void> {
  const seen = new Map<string, Log>();
  const blank = new Map<string, number>();
  let after: Key = FIRST;

  const lookAt = async (appId: string, revs: readonly number[], head: number): Promise<void> => {
    const newest = Math.max(...revs);
    const before = seen.get(appId);
    seen.set(appId, { newest, head });
    await commits.remove(
      appId,
      revs.filter((rev) => rev <= head - LEFT_BEHIND),
    );
    if (before?.newest !== newest || before.head !== head || writer.isBusy(appId)) return;
    if (newest > head) await writer.run(appId, () => undefined, answerMs);
    else if (blank.get(appId) !== head) {
      await commits.blank(appId, revs);
      blank.set(appId, head);
    }
  };

  return async () => {
    const found = await commits.list(after, COMMITS_AT_ONCE);
    after = (found.length === COMMITS_AT_ONCE && found.at(-1)?.key) || FIRST;
    const logs = new Map<string, number[]>();
    for (const { app, rev } of found) logs.set(app, [...(logs.get(app) ?? []), rev]);
    const heads = await commits.headsOf([...logs.keys()]);
    await Promise.all([...logs].map(([appId, revs]) => lookAt(appId, revs, heads.get(appId) ?? 0)));
  };
}
