import type { Metrics } from "../adapters/metrics.js";
import type { Now } from "../domain/clock.js";
import { AlreadyExists, InvalidArgument, NotFound, Unavailable } from "../domain/errors.js";
import type { Event, IdempotencyRecord, StoredEventListener } from "../domain/event.js";
import type { Allowance } from "../domain/gcra.js";
import type { SentSignals } from "../domain/privacy-signals.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import type { Admission } from "./admission.js";
import type { Effect, Identify, LearnedCounts, RefusedLink } from "./effect.js";
import { hashesOf, ownedKey, sentKey } from "./idempotency-key.js";
import { normalise, type SentEvent } from "./normalise.js";
import { honourSignals } from "./opt-out.js";
import type { RejectedEvents } from "./rejected-events.js";
import { limitKey, type SenderLimit } from "./sender-limit.js";

export interface Recorded {
  readonly eventId: string;
  /** The key was known; nothing new was stored. */
  readonly deduplicated: boolean;
  readonly visitorChanged: boolean;
  /** A limit for which the event's visitor was not linked to its address. */
  readonly refusedLink?: RefusedLink["refusedLink"];
  readonly notes: readonly string[];
  /** What the event taught of products, if anything. */
  readonly learned?: LearnedCounts | undefined;
  /** The remaining quota of the sender's limit, if the event counted against one. */
  readonly allowance?: Allowance | undefined;
}

/**
 * Takes an event in a transaction of its app: claims its key (from `ownedKey`), does its effects and stores it. `sent` is
 * what it was made of; its id may become a later one. Throws AlreadyExists("idempotency_key") when the key is another event's.
 */
export type TakeEvent = (tx: Transaction, event: Event, sent: SentEvent, idempotencyKey: string) => Recorded;

export interface TakeEventDependencies {
  readonly identify: Identify;
  /** In order of execution. */
  readonly effects: readonly Effect[];
}

export function createTakeEvent(deps: TakeEventDependencies): TakeEvent {
  return (tx, event, sent, idempotencyKey) => {
    const take = () => store(tx, resolveSkus(tx, { ...event, eventId: tx.eventId(event.eventId) }), sent.sentBy, deps);
    if (idempotencyKey === "") return take();
    const hashes = hashesOf(sent);
    const isSame = (record: IdempotencyRecord | undefined) => record !== undefined && hashes.includes(record.bodyHash);
    const claimed = tx.idempotency.get(idempotencyKey);
    if (claimed !== undefined && !isSame(claimed))
      throw new AlreadyExists("idempotency_key", "The idempotency key was used with another body");
    // Before keys had owners they were kept as sent: a retry across the upgrade is known by its body.
    const same = [claimed, tx.idempotency.get(sentKey(idempotencyKey))].find(isSame);
    if (same !== undefined) return { eventId: same.eventId, deduplicated: true, visitorChanged: false, notes: [] };
    const [bodyHash = ""] = hashes;
    const taken = take();
    tx.idempotency.put(idempotencyKey, { eventId: taken.eventId, bodyHash, claimedAt: event.receivedAt });
    return taken;
  };
}

export interface RecordEventDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly take: TakeEvent;
  /** Called with each invalid event. */
  readonly rejectedEvents: Pick<RejectedEvents, "keep">;
  readonly senderLimit: SenderLimit;
  /** Called with each stored event. */
  readonly listeners?: readonly StoredEventListener[];
  /** Bounds the single events that are in flight in the store; when not given all are let in. */
  readonly admission?: Pick<Admission, "run"> | undefined;
  /** A single event that is not stored after so many milliseconds is refused; none for a store that is near. */
  readonly answerMs?: number | undefined;
  readonly now: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newEventId: () => string;
  readonly metrics: Metrics;
}

/**
 * Stores an event with its effects; durable when it resolves. `idempotencyKey` "" means none. `single` applies the
 * limit of backend senders and the time for an answer: it is not set for those of a batch. `signals` are those that its browser
 * sent. Rejects with InvalidArgument, NotFound("app"), AlreadyExists("idempotency_key"), RateLimited or Unavailable; then
 * nothing was stored, but that after Unavailable for lateness it may still be.
 */
export type RecordEvent = (
  appId: string,
  sent: SentEvent,
  idempotencyKey: string,
  single: boolean,
  signals?: SentSignals,
) => Promise<Recorded>;

export function createRecordEvent(deps: RecordEventDependencies): RecordEvent {
  const { answerMs, admission = EVERYBODY, listeners = [], metrics } = deps;
  const record = async (
    isWanted: () => boolean,
    appId: string,
    sent: SentEvent,
    idempotencyKey: string,
    single: boolean,
  ): Promise<Recorded> => {
    const receivedAt = deps.now();
    const event = normalise(sent, deps.newEventId(), receivedAt);
    const limited = single && sent.sender === "server";
    // The work asks as well: here it keeps unknown apps from the limit's table, and nobody waiting for a far store.
    if ((limited || answerMs !== undefined) && (await deps.apps.get(appId)) === undefined) throw new NotFound("app");
    const allowance = limited ? await deps.senderLimit(limitKey(appId, sent.sentBy)) : undefined;
    for (const listener of listeners) await listener.before?.(appId, event);
    const recorded = await deps.unitOfWork.run(appId, (tx) => {
      // Under overload the time is spent on senders that still wait.
      if (!isWanted()) throw new Unavailable("The sender has already been answered");
      if (tx.app() === undefined) throw new NotFound("app");
      return deps.take(tx, event, sent, idempotencyKey);
    });
    countRecorded(metrics, event, recorded, isWanted());
    if (!recorded.deduplicated) {
      const { eventId } = recorded;
      for (const listener of listeners) if (listener.wants(appId, event)) listener.took(appId, { ...event, eventId });
    }
    return allowance === undefined ? recorded : { ...recorded, allowance };
  };
  const recordOrReject = async (appId: string, sent: SentEvent, key: string, single: boolean): Promise<Recorded> => {
    try {
      if (appId === "") throw new InvalidArgument("app_id", "missing");
      const idempotencyKey = key === "" ? "" : ownedKey(appId, sent, key);
      const admitted = (isWanted: () => boolean) => {
        const recording = () => record(isWanted, appId, sent, idempotencyKey, single);
        return single ? admission.run(recording) : recording();
      };
      const recorded = !single || answerMs === undefined ? await admitted(always) : await inTime(answerMs, admitted);
      metrics.count("events_acknowledged");
      return recorded;
    } catch (error) {
      const shed = error instanceof Unavailable ? error.shed : undefined;
      // The store counts its own rejections.
      if (shed === "deadline" || shed === "calls") metrics.count("shed", { reason: shed });
      deps.rejectedEvents.keep(appId, sent, key, error);
      throw error;
    }
  };
  return async (appId, sent, idempotencyKey, single, signals) => {
    if (signals === undefined) return recordOrReject(appId, sent, idempotencyKey, single);
    const honoured = await honourSignals(deps.apps, appId, sent, signals);
    const recorded = await recordOrReject(appId, honoured, idempotencyKey, single);
    if (honoured !== sent && !recorded.deduplicated) metrics.count("events_without_profile");
    return recorded;
  };
}

const always = () => true;

const EVERYBODY: Pick<Admission, "run"> = { run: (work) => work() };

/** Rejects with Unavailable if `work` takes longer than `limitMs`. `isWanted` is false from then on. */
async function inTime<T>(limitMs: number, work: (isWanted: () => boolean) => Promise<T>): Promise<T> {
  let isWanted = true;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isWanted = false;
      reject(new Unavailable(`The event was not stored within ${limitMs} ms`, undefined, { shed: "deadline" }));
    }, limitMs);
  });
  try {
    return await Promise.race([work(() => isWanted), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes the event and does its effects, in the transaction `tx`. */
function store(tx: Transaction, event: Event, sender: PublicSender | undefined, deps: TakeEventDependencies): Recorded {
  const identity = deps.identify(tx, event, sender);
  let visitorChanged = identity.visitorChanged;
  const notes = [...event.notes, ...identity.notes];
  let learned: LearnedCounts | undefined;
  for (const effect of deps.effects) {
    if (!hasEffect(effect, event)) continue;
    const outcome = effect.apply(tx, event, identity, sender);
    visitorChanged ||= outcome.visitorChanged;
    notes.push(...outcome.notes);
    learned ??= outcome.learned;
  }
  tx.events.put(event.eventId, notes.length === event.notes.length ? event : { ...event, notes });
  return {
    eventId: event.eventId,
    deduplicated: false,
    visitorChanged,
    refusedLink: identity.refusedLink,
    notes,
    learned,
  };
}

function hasEffect({ needs, actions }: Effect, event: Event): boolean {
  const isThere = needs === "products" ? event.products.length > 0 : event[needs] !== null;
  return isThere && (actions === undefined || actions.includes(event.actionType));
}

/** Gives products that have only a SKU the catalogue's id for it, otherwise the SKU itself. */
function resolveSkus(tx: Transaction, event: Event): Event {
  if (event.products.every((product) => product.productId !== "")) return event;
  return {
    ...event,
    products: event.products.map((product) =>
      product.productId === "" ? { ...product, productId: tx.productSkus.get(product.sku) ?? product.sku } : product,
    ),
  };
}

/** The result of an event, as far as it is counted. */
interface Counted extends RefusedLink {
  readonly deduplicated: boolean;
  readonly learned?: LearnedCounts | undefined;
}

/**
 * Counts what came of an event that was taken. `isWanted`: its sender still waits for the answer; that it had it is
 * counted where the answer leaves, so that events acknowledged are those stored and those deduplicated.
 */
export function countRecorded(
  metrics: Metrics,
  { actionType, bot }: Pick<Event, "actionType" | "bot">,
  { deduplicated, refusedLink, learned }: Counted,
  isWanted = true,
): void {
  if (deduplicated) {
    if (isWanted) metrics.count("events_deduplicated");
    return;
  }
  if (isWanted) metrics.count("events_stored", { action: actionType });
  else metrics.count("events_stored_late");
  if (bot) metrics.count("events_of_bots");
  for (const [outcome, count] of learned === undefined ? [] : Object.entries(learned))
    if (count > 0) metrics.count("learned_products", { outcome }, count);
  if (refusedLink !== undefined) metrics.count("links_refused", { limit: refusedLink });
}
