/**
 * Remembers what frames showed to whom, and counts what came of it. Exposures and visitor acts queue in memory and are
 * written in batches, so that answers do not wait for the store.
 *
 * The store keeps one `FrameExposure` for each visitor who met a frame in the last 7 days. It lets every process count a
 * visitor exactly once, and rotate a frame for a visitor. The store also keeps one tally for each frame, day and variant.
 * A crash loses the queue, a few seconds at most; nothing is counted twice.
 *
 * A stranger cannot make up results. A click counts when its visitor was given the answer that it names, and once for each
 * answer and product. Where the shop signs its events, only orders that the shop itself has sent count.
 */

import type { Metrics } from "../adapters/metrics.js";
import type { ReportFailure } from "../adapters/report-failure.js";
import type { Now } from "../domain/clock.js";
import type { Event, StoredEventListener } from "../domain/event.js";
import {
  EXPOSURE_MS,
  type ExploredProduct,
  type FrameExposure,
  NO_TALLY,
  type ShownList,
  sumOfTallies,
  tallyKey,
} from "../domain/frame-tally.js";
import { MAILING_SECRETS } from "../domain/hook.js";
import { type VisitorKey, visitorKeys } from "../domain/ids.js";
import { type Money, NO_MONEY } from "../domain/money.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { type Change, withAct, withShown } from "./frame-exposure.js";
import { createUnwrittenLists } from "./unwritten-lists.js";

/** A frame that was filled for a visitor. */
export interface Shown {
  readonly appId: string;
  readonly frameId: string;
  /** "" where visitors are not split. */
  readonly variant: string;
  /** Whether the frame rotates: then what it shows is remembered. */
  readonly rotates: boolean;
  readonly visitorKey: VisitorKey;
  /** Products that have their places by exploration. */
  readonly explored: readonly ExploredProduct[];
  /** Id of the answer that comes back with clicks; "" where none was asked for. */
  readonly recommendationId: string;
  readonly productIds: readonly string[];
  /** Groups that these are variants of: a page may post the group when it is clicked. */
  readonly variantGroupIds: readonly string[];
  /** When the visitor last used the frame, as the request told; 0: not that it knows. */
  readonly usedAt: number;
}

/** What a visitor did with which products, taken from an event. */
export interface VisitorAct {
  readonly actionType: string;
  readonly productIds: readonly string[];
  /** Answers that led to it. */
  readonly recommendationIds: readonly string[];
  /** Of an order or its cancellation; "" for others. */
  readonly orderId: string;
  readonly occurredAt: number;
}

/** An exposure or visitor act in the queue. */
export type Waiting =
  | { readonly kind: "shown"; readonly keys: readonly VisitorKey[]; readonly shown: Shown; readonly at: number }
  | { readonly kind: "act"; readonly keys: readonly VisitorKey[]; readonly act: VisitorAct; readonly at: number };

export interface FrameCounts extends StoredEventListener {
  shown(shown: Shown): void;
  /** What frames showed a visitor, the newest last, with what still waits in this process. */
  shownTo(appId: string, visitorKey: VisitorKey): Promise<readonly ShownList[]>;
  /** Writes the queue. Acts younger than `ACT_DELAY_MS` stay in it unless `all` is set. */
  flush(all: boolean): Promise<void>;
}

/** Queue limit; further entries are dropped and counted. */
const MAX_QUEUED = 20_000;
/** Exposures that other processes write, or this one, come before the acts that follow from them. */
const ACT_DELAY_MS = 3_000;
/** How long the list of an app's splitting frames is cached. */
const FRAMES_CACHE_MS = 10_000;
const MAX_CACHED_APPS = 10_000;
/** Queue entries in one unit of work. */
const BATCH_SIZE = 500;
const MAX_FRAMES = 1000;

interface SplitFrames {
  readonly readAt: number;
  /** Names of the variants by frame, of frames that have some. */
  readonly variants: ReadonlyMap<string, readonly string[]>;
}

export function createFrameCounts(deps: {
  readonly apps: Pick<AppStore, "listFrames">;
  readonly visitors: Pick<VisitorStore, "exposure">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  readonly metrics: Metrics;
  readonly reportFailure: ReportFailure;
}): FrameCounts {
  const { now, metrics } = deps;
  let waiting = new Map<string, Waiting[]>();
  let size = 0;
  const known = new Map<string, SplitFrames>();
  const unwritten = createUnwrittenLists();

  const add = (appId: string, one: Waiting) => {
    if (size >= MAX_QUEUED) {
      metrics.count("frame_counts_dropped");
      return false;
    }
    size++;
    const list = waiting.get(appId);
    if (list === undefined) waiting.set(appId, [one]);
    else list.push(one);
    return true;
  };

  const framesOf = async (appId: string): Promise<SplitFrames> => {
    const before = known.get(appId);
    if (before !== undefined && now() - before.readAt < FRAMES_CACHE_MS) return before;
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

  /** A view without the id of an answer is a click only in frames that split their visitors; most apps have none. */
  const mayCount = (appId: string, { actionType, recommendationIds }: Event): boolean => {
    if (actionType === "order" || recommendationIds.length > 0) return true;
    if (actionType !== "product_view") return false;
    const frames = known.get(appId);
    return frames === undefined || frames.variants.size > 0 || now() - frames.readAt >= FRAMES_CACHE_MS;
  };

  const write = async (appId: string, list: readonly Waiting[]): Promise<void> => {
    const { variants } = await framesOf(appId);
    for (let from = 0; from < list.length; from += BATCH_SIZE) {
      const part = list.slice(from, from + BATCH_SIZE);
      const changes = await deps.unitOfWork.run(appId, (tx) => take(tx, part));
      for (const { frameId, variant, ...counts } of changes) {
        if (variant === "") continue;
        const place = (variants.get(frameId)?.indexOf(variant) ?? -1) + 1;
        const labels = { place: place === 0 ? "other" : String(place) };
        for (const outcome of OUTCOMES)
          if (counts[outcome] > 0) metrics.count("frame_outcomes", { outcome, ...labels }, counts[outcome]);
        if (counts.ordered < 0) metrics.count("frame_outcomes", { outcome: "cancelled", ...labels }, -counts.ordered);
      }
    }
  };

  return {
    shown: (shown) => {
      const one = { kind: "shown", keys: [shown.visitorKey], shown, at: now() } as const;
      if (add(shown.appId, one) && shown.rotates && unwritten.isNew(shown, one.at)) unwritten.add(one);
    },

    shownTo: async (appId, visitorKey) => {
      const stored = await deps.visitors.exposure(appId, visitorKey);
      return unwritten.over(appId, visitorKey, stored?.shownLists ?? []);
    },

    // Who cancels is seldom who ordered, and need not say whose order it was: the order knows.
    wants: (appId, event) => event.actionType === "order_cancel" || (!event.bot && mayCount(appId, event)),

    took: (appId, event) => {
      const keys = visitorKeys(event.visitor);
      if (event.actionType === "order_cancel" || event.actionType === "order" || keys.length > 0)
        add(appId, { kind: "act", keys, act: visitorActOf(event), at: now() });
    },

    flush: async (all) => {
      const lists = waiting;
      waiting = new Map();
      size = 0;
      const at = now();
      for (const [appId, list] of lists) {
        const isDue = ({ kind, at: since }: Waiting) => all || kind === "shown" || at - since >= ACT_DELAY_MS;
        for (const one of list) if (!isDue(one)) add(appId, one);
        const due = list.filter(isDue);
        // In a work of its own for each app: one that was deleted meanwhile spoils nothing of the others.
        await write(appId, due).catch((error: unknown) => {
          metrics.count("frame_counts_dropped", undefined, due.length);
          deps.reportFailure("frame_counts", error);
        });
        unwritten.remove(due);
      }
    },
  };
}

function visitorActOf({ actionType, products, recommendationIds, order, occurredAt }: Event): VisitorAct {
  const productIds = products.map(({ productId, sku }) => productId || sku);
  return { actionType, productIds, recommendationIds, orderId: order?.orderId ?? "", occurredAt };
}

const OUTCOMES = ["exposures", "visitors", "clicked", "ordered"] as const;

/** Takes in what visitors met and did, and answers what that added, by frame, day and variant. */
function take(tx: Transaction, list: readonly Waiting[]): Change[] {
  if (tx.app() === undefined) return [];
  const added = new Map<string, Change>();
  const count = (change: Change) => {
    const key = tallyKey(change.frameId, change.day, change.variant);
    added.set(key, { ...change, ...sumOfTallies(added.get(key) ?? NO_TALLY, change) });
  };
  const isSigning = (tx.mailingSecrets.get(MAILING_SECRETS)?.signing.length ?? 0) > 0;
  for (const one of list) {
    const { keys, payment } = concerned(tx, one, isSigning);
    for (const key of keys) {
      const before = tx.frameExposures.get(key);
      if (one.kind === "act" && before === undefined) continue;
      const after =
        one.kind === "shown"
          ? withShown(before ?? NO_EXPOSURE, one.shown, one.at, count)
          : withAct(before ?? NO_EXPOSURE, one.act, payment, count);
      if (after !== before) tx.frameExposures.put(key, remembered(after, one.at));
    }
  }
  for (const [key, change] of added)
    tx.frameTallies.put(key, sumOfTallies(tx.frameTallies.get(key) ?? NO_TALLY, change));
  return [...added.values()];
}

const NO_EXPOSURE: FrameExposure = { frames: [], shownLists: [] };

function remembered({ frames, shownLists }: FrameExposure, at: number): FrameExposure {
  return {
    frames: frames.filter(({ lastAt }) => at - lastAt < EXPOSURE_MS),
    shownLists: shownLists.filter((list) => at - list.at < EXPOSURE_MS),
  };
}

interface Concerned {
  readonly keys: Iterable<VisitorKey>;
  /** Of an order. */
  readonly payment: Money;
}

const NOBODY: Concerned = { keys: [], payment: NO_MONEY };

/** The names of those whom it concerns; nobody's for an order that does not count. */
function concerned(tx: Transaction, one: Waiting, isSigning: boolean): Concerned {
  if (one.kind === "shown" || one.act.orderId === "") return { keys: one.keys, payment: NO_MONEY };
  const { orderId, actionType } = one.act;
  const order = tx.orders.get(orderId);
  if (order === undefined) return { keys: one.keys, payment: NO_MONEY };
  // The order book has not taken a cancellation by somebody whose order it is not.
  if (order.cancelled !== (actionType === "order_cancel")) return NOBODY;
  if (actionType === "order" && (order.bot || (isSigning && !order.vouched))) return NOBODY;
  const owners = visitorKeys(order.visitor);
  // Somebody else's order of the same id is kept apart from it.
  const isTheirs = actionType === "order_cancel" || owners.length === 0 || one.keys.some((key) => owners.includes(key));
  return { keys: isTheirs ? new Set([...one.keys, ...owners]) : owners, payment: order.payment };
}
