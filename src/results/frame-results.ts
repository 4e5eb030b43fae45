/**
 * Remembers what frames showed to whom, and counts what came of it.
 *
 * Answers wait in memory, so that they do not wait for the store; a crash loses those of about a second. An event that may
 * be a result is marked as due in the transaction that stores it. It is taken in soon after, by this process or by
 * another one after a crash, and by a report before it is read. Before an event of a visitor is stored, so are the answers
 * that this process gave the visitor.
 */
import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import type { StoredEventListener } from "../domain/event.js";
import type { ShownList } from "../domain/frame-exposure.js";
import { talliedOf } from "../domain/frame-tally.js";
import { type VisitorKey, visitorKeys } from "../domain/ids.js";
import type { Shown } from "../recommend/frames/shown.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";
import type { UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { isResult } from "./due-results.js";
import { type ShownAt, type TallyChanges, takeDue, takeShown } from "./fold.js";
import { createUnwrittenLists, WaitingAnswers } from "./waiting-answers.js";

export interface FrameResults extends StoredEventListener {
  shown(shown: Shown): void;
  /** What frames showed a visitor, the newest last, with what still waits in this process. */
  shownTo(appId: string, visitorKey: VisitorKey): Promise<readonly ShownList[]>;
  /** Whether views that name no answer may be clicks: only in frames that split their visitors. */
  splits(appId: string): boolean;
  /** Writes what waits in this process. */
  flush(): Promise<void>;
  /** Also takes in what other processes left of an app. */
  settle(appId: string): Promise<void>;
  /** Takes in what other processes left, of all apps. */
  settleAll(): Promise<void>;
}

/** Answers that wait; further ones are dropped and counted. */
const MAX_WAITING = 20_000;
/** Events that this process takes in itself; others are found in the store. */
const MAX_DUE = 20_000;
/** How long the list of an app's splitting frames is cached. */
const FRAMES_CACHE_MS = 10_000;
const MAX_CACHED_APPS = 10_000;
/** Answers or events in one unit of work. */
const BATCH_SIZE = 500;
const MAX_FRAMES = 1000;
const APPS_AT_ONCE = 100;

interface SplitFrames {
  readonly readAt: number;
  /** Names of the variants by frame, of frames that have some. */
  readonly variants: ReadonlyMap<string, readonly string[]>;
}

export function createFrameResults(deps: {
  readonly apps: Pick<AppStore, "list" | "listFrames">;
  readonly visitors: Pick<VisitorStore, "exposure">;
  readonly copies: Pick<Copies, "scan">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}): FrameResults {
  const { now, metrics } = deps;
  const waiting = new Map<string, WaitingAnswers>();
  let waitingCount = 0;
  const due = new Map<string, string[]>();
  let dueCount = 0;
  const known = new Map<string, SplitFrames>();
  const reading = new Set<string>();
  const unwritten = createUnwrittenLists();

  const readFrames = async (appId: string): Promise<SplitFrames> => {
    const frames = await deps.apps.listFrames(appId, "", MAX_FRAMES);
    const split = frames.filter(({ variants }) => variants.length > 0);
    const found = {
      readAt: now(),
      variants: new Map(split.map(({ frameId, variants }) => [frameId, variants.map(({ name }) => name)])),
    };
    known.delete(appId);
    known.set(appId, found);
    if (known.size > MAX_CACHED_APPS) for (const oldest of known.keys()) if (known.delete(oldest)) break;
    return found;
  };
  const isOld = ({ readAt }: SplitFrames) => Math.abs(now() - readAt) >= FRAMES_CACHE_MS;
  const framesOf = async (appId: string): Promise<SplitFrames> => {
    const before = known.get(appId);
    return before !== undefined && !isOld(before) ? before : readFrames(appId);
  };

  /** What was read last, while it is read again: events do not wait for it. */
  const splits = (appId: string): boolean => {
    const frames = known.get(appId);
    if ((frames === undefined || isOld(frames)) && !reading.has(appId)) {
      reading.add(appId);
      readFrames(appId)
        .catch((error: unknown) => deps.reportFailure("frame_counts", error))
        .finally(() => reading.delete(appId));
    }
    return frames === undefined || frames.variants.size > 0;
  };

  const countOutcomes = async (appId: string, changes: TallyChanges): Promise<void> => {
    const { variants } = await framesOf(appId);
    for (const [key, counts] of changes) {
      const { frameId, variant } = talliedOf(key);
      if (variant === "") continue;
      const place = (variants.get(frameId)?.indexOf(variant) ?? -1) + 1;
      const labels = { place: place === 0 ? "other" : String(place) };
      for (const outcome of OUTCOMES)
        if (counts[outcome] > 0) metrics.count("frame_outcomes", { outcome, ...labels }, counts[outcome]);
      if (counts.ordered < 0) metrics.count("frame_outcomes", { outcome: "cancelled", ...labels }, -counts.ordered);
    }
  };

  /** In a work of its own for each app: one that was deleted meanwhile spoils nothing of the others. */
  const inBatches = async <T>(
    appId: string,
    list: readonly T[],
    take: (part: readonly T[]) => Promise<TallyChanges>,
  ): Promise<void> => {
    for (let from = 0; from < list.length; from += BATCH_SIZE)
      await countOutcomes(appId, await take(list.slice(from, from + BATCH_SIZE)));
  };

  const writeShown = async (appId: string, list: readonly ShownAt[]): Promise<void> => {
    await inBatches(appId, list, (part) => deps.unitOfWork.run(appId, (tx) => takeShown(tx, part))).catch(
      (error: unknown) => {
        metrics.count("frame_counts_dropped", undefined, list.length);
        deps.reportFailure("frame_counts", error);
      },
    );
    unwritten.remove(list);
  };

  /** What fails stays due. */
  const takeIn = (appId: string, keys: readonly string[]): Promise<void> =>
    inBatches(appId, keys, (part) => deps.unitOfWork.run(appId, (tx) => takeDue(tx, part)));

  const flushApp = async (appId: string): Promise<void> => {
    const shown = waiting.get(appId)?.takeAll() ?? [];
    waiting.delete(appId);
    waitingCount -= shown.length;
    const events = due.get(appId) ?? [];
    due.delete(appId);
    dueCount -= events.length;
    await writeShown(appId, shown);
    await takeIn(appId, events).catch((error: unknown) => deps.reportFailure("frame_counts", error));
  };

  const settle = async (appId: string): Promise<void> => {
    await flushApp(appId);
    for (;;) {
      const rows = await deps.copies.scan(appId, "dueResults", "", BATCH_SIZE);
      if (rows.length === 0) return;
      await takeIn(
        appId,
        rows.map(({ key }) => key),
      );
    }
  };

  return {
    shown: (shown) => {
      // An experiment has just begun: its first clicks count.
      if (shown.variant !== "" && known.get(shown.appId)?.variants.size === 0) known.delete(shown.appId);
      if (waitingCount >= MAX_WAITING) {
        metrics.count("frame_counts_dropped");
        return;
      }
      waitingCount++;
      const one = { shown, at: now() };
      const answers = waiting.get(shown.appId) ?? new WaitingAnswers();
      waiting.set(shown.appId, answers);
      answers.add(one);
      if (shown.rotates && unwritten.isNew(shown, one.at)) unwritten.add(one);
    },

    shownTo: async (appId, visitorKey) => {
      const stored = await deps.visitors.exposure(appId, visitorKey);
      return unwritten.over(appId, visitorKey, stored?.shownLists ?? []);
    },

    splits,

    before: async (appId, event) => {
      const answers = waiting.get(appId);
      if (answers === undefined || !isResult(event, splits(appId))) return;
      const theirs = answers.takeOf(visitorKeys(event.visitor));
      waitingCount -= theirs.length;
      if (theirs.length === 0) return;
      await writeShown(appId, theirs);
    },

    wants: (appId, event) => isResult(event, splits(appId)),

    took: (appId, { eventId }) => {
      if (dueCount >= MAX_DUE) return;
      dueCount++;
      const list = due.get(appId);
      if (list === undefined) due.set(appId, [eventId]);
      else list.push(eventId);
    },

    flush: async () => {
      for (const appId of new Set([...waiting.keys(), ...due.keys()])) await flushApp(appId);
    },
    settle,

    settleAll: async () => {
      for (let after = ""; ; ) {
        const apps = await deps.apps.list(after, APPS_AT_ONCE);
        for (const { appId } of apps) {
          after = appId;
          await settle(appId).catch((error: unknown) => deps.reportFailure("frame_counts", error));
        }
        if (apps.length < APPS_AT_ONCE) return;
      }
    },
  };
}

const OUTCOMES = ["exposures", "visitors", "clicked", "ordered"] as const;
