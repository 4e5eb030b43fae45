/** Keeps the live part of one app's model in step with the store: histories that events changed, and erasures. */
import type { Erasure } from "../domain/erasure.js";
import type { Event } from "../domain/event.js";
import { idAt, visitorKeys } from "../domain/ids.js";
import type { Interaction } from "../domain/interaction.js";
import { SESSION_GAP_MS } from "../learning/model/history-sessions.js";
import type { LiveModel } from "../learning/model/live-model.js";
import { runInPieces } from "../learning/model/yielding-steps.js";
import type { Copies } from "../store/ports/copies.js";
import type { InteractionStore } from "../store/ports/interaction-store.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import type { WorkBudget } from "./work-budget.js";

/** The newest interactions of a history, and products in them, that are learned: a stranger may send very many. */
const MOST = 200;
/** Interactions that are read: more when fewer do not reach back to the training. */
const LIMITS = [8, 48, MOST];
/** Histories read at once. */
const TOGETHER = 4;
/** Products whose numbers are renewed in one step: half a millisecond. */
const SWEPT = 4096;
/** Erasures that began longer before the training have ended. */
const LONGEST_ERASURE_MS = 86_400_000;
const ERASURES_AT_ONCE = 100;
const ACTIONS: ReadonlySet<string> = new Set(["product_view", "add_to_cart", "order", "order_cancel"]);

export interface LearningStores {
  readonly visitors: Pick<VisitorStore, "find">;
  readonly interactions: Pick<InteractionStore, "recent">;
  readonly copies: Pick<Copies, "scan">;
}

export class LiveLearning {
  /** Erasures that were seen when they had removed everything. */
  readonly #ended = new Set<string>();
  /** All erasures up to here had. */
  #endedUpTo: string;
  #hasLooked = false;
  /** Histories to be read again. */
  #again: string[] = [];
  #isSwept = true;

  constructor(
    private readonly appId: string,
    private readonly model: LiveModel,
    private readonly indexOf: (productId: string) => number | undefined,
    private readonly stores: LearningStores,
  ) {
    this.#endedUpTo = idAt(model.learnedUntil - LONGEST_ERASURE_MS);
  }

  get isQuiet(): boolean {
    return this.#again.length === 0 && this.#isSwept;
  }

  /** Learns the histories that these events changed. */
  async learn(events: readonly Event[], budget: WorkBudget): Promise<void> {
    const historyIds = new Set<string>();
    const keys = new Set<string>();
    for (const { actionType, bot, eventId, visitor, contact, order } of events) {
      if (bot || !ACTIONS.has(actionType)) continue;
      const its = visitorKeys(visitor);
      for (const key of its) keys.add(key);
      // An order without a visitor waits here until one of its copies names whose it is.
      if (order !== null) historyIds.add(`anonymous:order:${order.orderId}`);
      else if (its.length === 0 && contact === null) historyIds.add(`anonymous:${eventId}`);
    }
    if (keys.size > 0) {
      const found = await budget.spend(() => this.stores.visitors.find(this.appId, [...keys]));
      for (const { visitorId } of found) historyIds.add(visitorId);
    }
    await this.#read([...historyIds], budget);
  }

  /** Histories left to be read again, and numbers to be renewed. */
  async goOn(budget: WorkBudget): Promise<void> {
    while (this.#again.length > 0 && !budget.isSpent) await this.#read(this.#again.splice(0, TOGETHER), budget);
    if (!budget.isSpent) await budget.spend(() => this.#sweep());
  }

  /** When an erasure has ended: forgets all at once, and learns it again from what is left in the store. */
  async lookForErasures(): Promise<void> {
    if (!(await this.#hasErased())) return;
    const { historyIds } = this.model;
    await runInPieces(this.model.clear());
    this.#again = [...new Set([...historyIds, ...this.#again])];
    this.#isSwept = false;
  }

  async #hasErased(): Promise<boolean> {
    let hasErased = false;
    let isFirst = true;
    for (let after = this.#endedUpTo; ; ) {
      const rows = await this.stores.copies.scan(this.appId, "erasures", after, ERASURES_AT_ONCE);
      for (const { key, value } of rows) {
        after = key;
        if (!hasRemoved(value)) isFirst = false;
        else if (!this.#ended.has(key)) {
          this.#ended.add(key);
          hasErased ||= this.#hasLooked;
        }
        if (!isFirst) continue;
        this.#endedUpTo = key;
        this.#ended.delete(key);
      }
      if (rows.length < ERASURES_AT_ONCE) break;
    }
    this.#hasLooked = true;
    return hasErased;
  }

  /** Learns of each history the interactions since the training, and those of a session that was under way. */
  async #read(historyIds: readonly string[], budget: WorkBudget): Promise<void> {
    for (let at = 0; at < historyIds.length; at += TOGETHER) {
      let left = historyIds.slice(at, at + TOGETHER);
      for (const limit of LIMITS) {
        const reading = () =>
          Promise.all(left.map((historyId) => this.stores.interactions.recent(this.appId, [historyId], limit)));
        const histories = await budget.spend(reading);
        const longer: string[] = [];
        for (const [n, historyId] of left.entries()) {
          const since = this.#since(histories[n]!);
          const learned = withinRoom(since);
          if (learned.length === limit && limit < MOST) longer.push(historyId);
          else await budget.spend(() => this.model.learn(historyId, learned.toReversed(), this.indexOf));
        }
        this.#isSwept = false;
        left = longer;
        if (left.length === 0) break;
      }
    }
  }

  /** Of interactions, newest first, those before the first pause that ended before learning begins. */
  #since(interactions: readonly Interaction[]): readonly Interaction[] {
    const end = interactions.findIndex(
      ({ at }, n) => at <= this.model.learnsFrom && (n === 0 || interactions[n - 1]!.at - at > SESSION_GAP_MS),
    );
    return end < 0 ? interactions : interactions.slice(0, end);
  }

  #sweep(): void {
    this.#isSwept = !this.model.sweep(SWEPT);
  }
}

/** Interactions, newest first, with as many products as are learned. */
function withinRoom(interactions: readonly Interaction[]): readonly Interaction[] {
  const kept: Interaction[] = [];
  let room = MOST;
  for (const one of interactions) {
    if (room <= 0) break;
    kept.push(one.productIds.length <= room ? one : { ...one, productIds: one.productIds.slice(0, room) });
    room -= one.productIds.length;
  }
  return kept;
}

/** Whether an erasure has removed all that was stored of its person. */
function hasRemoved({ step }: Erasure): boolean {
  return step === "scrub" || step === "done";
}
