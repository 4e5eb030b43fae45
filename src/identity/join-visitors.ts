import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import { type VisitorIds, visitorKeys } from "../domain/ids.js";
import type { Visitor } from "../domain/visitor.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { asOne, joinVisitor } from "./visitors.js";

/**
 * Joins ids that a request for recommendations names together. The join is written a second later, many in one transaction,
 * so that no answer waits for the disk. A crash loses the queue; the visitor's next request joins them again.
 */
export interface JoinVisitors {
  /** The visitors with these ids, as they are once joined. Queues the join when it changes something. */
  join(appId: string, ids: VisitorIds): Promise<readonly Visitor[]>;
  /** Writes the queue. */
  flush(): Promise<void>;
}

/** Queue limit; further joins are dropped and counted. */
const MAX_QUEUED = 20_000;
/** Joins in one unit of work: some 2 ms of the main thread. */
const BATCH_SIZE = 200;

export function createJoinVisitors(deps: {
  readonly visitors: Pick<VisitorStore, "find">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  readonly newId: () => string;
  readonly metrics: Pick<Metrics, "count">;
  readonly reportFailure: ReportFailure;
}): JoinVisitors {
  const { visitors, unitOfWork, now, newId, metrics, reportFailure } = deps;
  /** By app, then by the ids: a visitor who comes again within the second is joined once. */
  let queues = new Map<string, Map<string, VisitorIds>>();
  let size = 0;

  const add = (appId: string, name: string, ids: VisitorIds) => {
    const queue = queues.get(appId) ?? new Map<string, VisitorIds>();
    if (queue.has(name)) return;
    if (size >= MAX_QUEUED) {
      metrics.count("joins_dropped");
      return;
    }
    queues.set(appId, queue);
    queue.set(name, ids);
    size++;
  };

  const write = async (appId: string, queued: readonly VisitorIds[]) => {
    for (let from = 0; from < queued.length; from += BATCH_SIZE) {
      const part = queued.slice(from, from + BATCH_SIZE);
      await unitOfWork.run(appId, (tx) => {
        if (tx.app() === undefined) return;
        const at = now();
        for (const ids of part) {
          const id = newId();
          joinVisitor(tx, ids, id, { at, by: id, recordedAt: at, admission: undefined });
        }
      });
    }
  };

  return {
    join: async (appId, sent) => {
      const found = await visitors.find(appId, visitorKeys(sent));
      // A user id can be guessed: it joins nobody.
      const ids = { ...sent, userId: "" };
      const keys = visitorKeys(ids);
      if (keys.length < 2) return found;
      const named = found.filter((visitor) => keys.some((key) => visitor.keys.includes(key)));
      if (named.length === 1 && keys.every((key) => named[0]?.keys.includes(key))) return found;
      add(appId, keys.join("\n"), ids);
      return named.length < 2 ? found : [...asOne(named), ...found.filter((visitor) => !named.includes(visitor))];
    },

    flush: async () => {
      const before = queues;
      queues = new Map();
      size = 0;
      for (const [appId, queue] of before)
        await write(appId, [...queue.values()]).catch((error: unknown) => {
          metrics.count("joins_dropped", undefined, queue.size);
          reportFailure("join_visitors", error);
        });
    },
  };
}
