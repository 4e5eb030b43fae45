import { hash } from "node:crypto";
import type { Now } from "../domain/clock.js";
import { AlreadyExists, InvalidArgument, NotFound, Unavailable } from "../domain/errors.js";
import type { Event } from "../domain/event.js";
import type { Allowance } from "../domain/gcra.js";
import { cleanId } from "../domain/ids.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { ActListener } from "../ports/act-listener.js";
import type { AppStore } from "../ports/app-store.js";
import type { Effect, Identify, RefusedLink } from "../ports/effect.js";
import type { Metrics } from "../ports/metrics.js";
import type { Transaction, UnitOfWork } from "../ports/unit-of-work.js";
import { actOf } from "./act-of.js";
import { countTaken } from "./count-taken.js";
import { type EventDraft, normalise } from "./normalise.js";
import type { RejectedEvents } from "./rejected-events.js";
import type { SenderLimit } from "./sender-limit.js";

/** How long an idempotency key is remembered. */
export const KEY_LIFETIME_MS = 24 * 3600_000;

export interface Recorded {
  readonly eventId: string;
  /** The key was known; nothing new was stored. */
  readonly deduplicated: boolean;
  readonly visitorChanged: boolean;
  /** A limit for which the event's visitor was not linked to its address. */
  readonly refusedLink?: RefusedLink["refusedLink"];
  readonly notes: readonly string[];
  /** What is left to the app's backend senders, when the event counted against their limit. */
  readonly allowance?: Allowance | undefined;
}

/**
 * Takes an event in a transaction of its app: claims its key ("" for none), does its effects and stores it. `draft` is
 * what it was made of. Throws AlreadyExists("idempotency_key") when the key is another event's.
 */
export type TakeEvent = (tx: Transaction, event: Event, draft: EventDraft, idempotencyKey: string) => Recorded;

export interface TakeEventDependencies {
  readonly identify: Identify;
  /** In the order they are done. */
  readonly effects: readonly Effect[];
}

export function createTakeEvent(deps: TakeEventDependencies): TakeEvent {
  return (tx, event, draft, idempotencyKey) => {
    if (idempotencyKey === "") return store(tx, resolveSkus(tx, event), draft.sentBy, deps);
    const bodyHash = hashOf(draft);
    const claimed = tx.idempotency.get(idempotencyKey);
    if (claimed !== undefined && claimed.claimedAt > event.receivedAt - KEY_LIFETIME_MS) {
      if (claimed.bodyHash !== bodyHash)
        throw new AlreadyExists("idempotency_key", "The idempotency key was used with another body");
      return { eventId: claimed.eventId, deduplicated: true, visitorChanged: false, notes: [] };
    }
    tx.idempotency.put(idempotencyKey, { eventId: event.eventId, bodyHash, claimedAt: event.receivedAt });
    return store(tx, resolveSkus(tx, event), draft.sentBy, deps);
  };
}

export interface RecordEventDependencies {
  readonly apps: Pick<AppStore, "get">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly take: TakeEvent;
  /** Told of what is refused for what it says. */
  readonly rejectedEvents: Pick<RejectedEvents, "keep">;
  readonly senderLimit: SenderLimit;
  /** Told of what was stored. */
  readonly acts?: ActListener | undefined;
  /** A single event that is not stored after so many milliseconds is refused; none for a store that is near. */
  readonly answerMs?: number | undefined;
  readonly now: Now;
  /** UUIDv7, each greater than the one before. */
  readonly newEventId: () => string;
  readonly metrics: Metrics;
}

/**
 * Stores an event with its effects; durable when it resolves. `idempotencyKey` "" means none. `single` applies the
 * limit of backend senders and the time for an answer: it is not set for those of a batch. Rejects with InvalidArgument, NotFound("app"), AlreadyExists("idempotency_key"),
 * RateLimited or Unavailable; then nothing was stored, but that after Unavailable for lateness it may still be.
 */
export type RecordEvent = (
  appId: string,
  draft: EventDraft,
  idempotencyKey: string,
  single: boolean,
) => Promise<Recorded>;

export function createRecordEvent(deps: RecordEventDependencies): RecordEvent {
  const { answerMs } = deps;
  const record = async (
    isWanted: () => boolean,
    appId: string,
    draft: EventDraft,
    idempotencyKey: string,
    single: boolean,
  ): Promise<Recorded> => {
    if (appId === "") throw new InvalidArgument("app_id", "missing");
    mustBeKey(idempotencyKey);
    const receivedAt = deps.now();
    const event = normalise(draft, deps.newEventId(), receivedAt);
    const limited = single && draft.sender === "server";
    // The work asks as well: here it keeps unknown apps from the limit's table, and nobody waiting for a far store.
    if ((limited || answerMs !== undefined) && (await deps.apps.get(appId)) === undefined) throw new NotFound("app");
    const allowance = limited ? await deps.senderLimit(appId) : undefined;
    const recorded = await deps.unitOfWork.run(appId, (tx) => {
      // Under overload the time goes to senders that still wait.
      if (!isWanted()) throw new Unavailable("The sender was answered already");
      if (tx.app() === undefined) throw new NotFound("app");
      return deps.take(tx, event, draft, idempotencyKey);
    });
    countTaken(deps.metrics, event, recorded, isWanted());
    if (!recorded.deduplicated && deps.acts?.wants(appId)) deps.acts.took(appId, actOf(event));
    return allowance === undefined ? recorded : { ...recorded, allowance };
  };
  return async (appId, draft, idempotencyKey, single) => {
    try {
      const recorded =
        !single || answerMs === undefined
          ? await record(always, appId, draft, idempotencyKey, single)
          : await inTime(answerMs, (isWanted) => record(isWanted, appId, draft, idempotencyKey, single));
      deps.metrics.count("events_acknowledged");
      return recorded;
    } catch (error) {
      if (error instanceof Unavailable && error.shed === "deadline") deps.metrics.count("shed", { reason: "deadline" });
      deps.rejectedEvents.keep(appId, draft, idempotencyKey, error);
      throw error;
    }
  };
}

const always = () => true;

/** Throws InvalidArgument for a key that is none; "" stands for no key. */
export function mustBeKey(idempotencyKey: string): void {
  if (idempotencyKey !== "" && cleanId(idempotencyKey) === "")
    throw new InvalidArgument("idempotency_key", "invalid", "at most 255 bytes without control characters");
}

/** Rejects with Unavailable when `work` takes longer than `limitMs`; `isWanted` tells it whether anybody waits for it. */
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
  for (const effect of deps.effects) {
    const outcome = effect(tx, event, identity);
    visitorChanged ||= outcome.visitorChanged;
    notes.push(...outcome.notes);
  }
  tx.events.put(event.eventId, notes.length === event.notes.length ? event : { ...event, notes });
  return { eventId: event.eventId, deduplicated: false, visitorChanged, refusedLink: identity.refusedLink, notes };
}

/** Gives products that came with a SKU only the id the catalogue knows for it, else the SKU itself. */
function resolveSkus(tx: Transaction, event: Event): Event {
  if (event.products.every((product) => product.productId !== "")) return event;
  return {
    ...event,
    products: event.products.map((product) =>
      product.productId === "" ? { ...product, productId: tx.productSkus.get(product.sku) ?? product.sku } : product,
    ),
  };
}

/** What a retry must repeat: all that the event says, not who was seen sending it. */
function hashOf({ bot: _, sentBy: __, ...said }: EventDraft): string {
  return hash("sha256", JSON.stringify(said), "base64url");
}
