import type { Metrics } from "../../ports/metrics.js";
import { type Commits, KEPT_COMMITS } from "./commits.js";
import { FIRST, type Key } from "./keys.js";
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

const COMMITS_AT_ONCE = 10_000;

/** Nobody relies on a commit any more that is so far behind the head; it was not removed in its time. */
const LEFT_BEHIND = 4 * KEPT_COMMITS;

/** The commits there are of an app, as they were found. */
interface Log {
  readonly newest: number;
  readonly head: number;
}

/**
 * Looks through the commits of all apps, some at a time. Of an app that has the same ones as when they were looked at before,
 * and that nobody here commits to, those that were left are finished, by a work that waits for them; when all are
 * finished, what they wrote is taken out of them. Commits that were left behind are removed.
 */
export function createLogUpkeep(commits: Commits, writer: Writer, answerMs: number): () => Promise<void> {
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
