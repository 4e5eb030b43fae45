/**
 * What a model learns between two trainings. Visitors' histories are the unit: each is read anew from the store when
 * something in it changed, and replaces what was learned of it before. So orders that are cancelled, visitors that are
 * joined and persons that are erased need no rules of their own.
 *
 * Sessions and popularity are learned as a training would. The order of trees, the item graphs, rules, carts, texts and
 * weights stay those of the last training. So do sessions that ended before it and were sent late.
 */
import { timeOfId } from "../../domain/ids.js";
import type { Interaction } from "../../domain/interaction.js";
import type { LivePopularity } from "../common/live-popularity.js";
import { POPULARITY_WEIGHT } from "../common/popularity.js";
import type { LiveSessions } from "../session/live-sessions.js";
import { SESSION_GAP_MS, sessionsOf } from "./history-sessions.js";
import { historyMark, type LiveStart } from "./live-start.js";
import type { Steps } from "./yielding-steps.js";

/** Histories that a model without sessions remembers. */
const MOST_HISTORIES = 16_384;

/** Product index of a product's id, or of a group's. */
type IndexOf = (productId: string) => number | undefined;

const NOTHING: ReadonlyMap<number, number> = new Map();

interface Learned {
  /** Numbers of live sessions. */
  readonly sessions: readonly number[];
  /** Fitted sessions in whose place they stand. */
  readonly hidden: readonly number[];
  /** Added to the popularity of each product. */
  readonly popularity: ReadonlyMap<number, number>;
}

export interface LiveModelParts {
  readonly start: Omit<LiveStart, "sessions">;
  /** Undefined in a model without session neighbours. */
  readonly sessions: LiveSessions | undefined;
  readonly popularity: LivePopularity;
  /** Called with each product whose sessions changed. */
  readonly relearned: (product: number) => void;
}

export class LiveModel {
  /** By history id, the one that was learned longest ago first. */
  readonly #histories = new Map<string, Learned>();

  constructor(private readonly parts: LiveModelParts) {}

  /** Events received up to this time, ms, were learned in the training. */
  get learnedUntil(): number {
    return this.parts.start.learnedUntil;
  }

  /** Sessions that ended later are learned here. */
  get learnsFrom(): number {
    return this.learnedUntil - SESSION_GAP_MS;
  }

  get historyIds(): readonly string[] {
    return [...this.#histories.keys()];
  }

  /** Learns a history in place of what was learned of it before. `interactions`: all since `learnsFrom`, oldest first. */
  learn(historyId: string, interactions: readonly Interaction[], indexOf: IndexOf): void {
    const before = this.#histories.get(historyId);
    const hidden = before?.hidden ?? this.#openOf(historyId);
    this.#forgetSessions(historyId);
    const ofPeople = interactions.filter(({ bot }) => !bot);
    const cut = [...sessionsOf({ interactions: ofPeople }, { get: indexOf })].filter(({ at }) => at > this.learnsFrom);
    const popularity = this.#popularityOf(ofPeople, indexOf);
    this.#count(before?.popularity, popularity);
    if (cut.length === 0 && hidden.length === 0 && popularity.size === 0) return;
    const { sessions } = this.parts;
    for (const row of hidden) sessions?.hide(row, true);
    const numbers: number[] = [];
    for (const { items, at } of sessions === undefined ? [] : cut) {
      this.#makeRoom(items.length);
      numbers.push(sessions!.add(Uint32Array.from(items), at));
      this.#relearned(items);
    }
    if (this.#histories.size >= MOST_HISTORIES) this.#forgetOldest();
    this.#histories.set(historyId, { sessions: numbers, hidden, popularity });
  }

  /** Forgets all that was learned since the training. */
  *clear(): Steps<void> {
    for (const historyId of this.historyIds) {
      this.#forget(historyId);
      yield;
    }
  }

  /** Renews what changes a little with each session, a piece at a time; false when nothing is left. */
  sweep(products: number): boolean {
    return this.parts.sessions?.sweep(products) ?? false;
  }

  /** Fitted sessions of a history that were under way at the training. */
  #openOf(historyId: string): readonly number[] {
    const { sessions, start } = this.parts;
    if (sessions === undefined || start.open.size === 0) return [];
    return start.open.get(historyMark(historyId)) ?? [];
  }

  #popularityOf(interactions: readonly Interaction[], indexOf: IndexOf): Learned["popularity"] {
    const { learnedUntil, cutOff, halfLifeMs } = this.parts.start;
    const amounts = new Map<number, number>();
    for (const { type, at, ref, productIds } of interactions) {
      if ((type === "order" ? at : timeOfId(ref)) <= learnedUntil) continue;
      const amount = POPULARITY_WEIGHT[type] * 2 ** ((at - cutOff) / halfLifeMs);
      for (const product of productIds.map(indexOf))
        if (product !== undefined) amounts.set(product, (amounts.get(product) ?? 0) + amount);
    }
    return amounts;
  }

  /** Moves only products whose amount changed: each may pass many others. */
  #count(before: Learned["popularity"] = NOTHING, now: Learned["popularity"] = NOTHING): void {
    const { popularity } = this.parts;
    for (const [product, amount] of before) if (!now.has(product)) popularity.add(product, -amount);
    for (const [product, amount] of now) {
      const more = amount - (before.get(product) ?? 0);
      if (more !== 0) popularity.add(product, more);
    }
  }

  #makeRoom(items: number): void {
    const { sessions } = this.parts;
    while (
      sessions !== undefined &&
      (sessions.size === sessions.capacity || sessions.itemCount + items > sessions.itemCapacity) &&
      this.#histories.size > 0
    )
      this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#histories.keys().next();
    if (!oldest.done) this.#forget(oldest.value);
  }

  #forget(historyId: string): void {
    const learned = this.#histories.get(historyId);
    this.#forgetSessions(historyId);
    this.#count(learned?.popularity);
  }

  /** Forgets a history but for its part of popularity. */
  #forgetSessions(historyId: string): void {
    const learned = this.#histories.get(historyId);
    if (learned === undefined) return;
    this.#histories.delete(historyId);
    const { sessions } = this.parts;
    for (const session of learned.sessions) {
      const items = sessions!.items(session);
      sessions!.remove(session);
      this.#relearned(items);
    }
    for (const row of learned.hidden) sessions?.hide(row, false);
  }

  #relearned(items: Iterable<number>): void {
    for (const product of new Set(items)) this.parts.relearned(product);
  }
}
