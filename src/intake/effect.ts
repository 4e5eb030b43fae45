import type { Contact } from "../domain/contact.js";
import type { Event } from "../domain/event.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";

/** Who an event is about, as far as the store knows after the event's own names were taken in. */
export interface Identity {
  /** Undefined when the event names no visitor. */
  readonly visitor: Visitor | undefined;
  /** The contact the event names, else the one its visitor is linked to. */
  readonly contact: Contact | undefined;
}

/** What an effect did, for the answer and for `aisle events tail`. */
export interface Outcome {
  /** True when cached answers about the visitor's identity or subscription are stale now. */
  readonly visitorChanged: boolean;
  /** What had no effect, and why. Never quotes a value. */
  readonly notes: readonly string[];
  /** What the event taught of products, if anything. */
  readonly learned?: LearnedCounts | undefined;
}

/** Products that an event told of and the catalogue did not know so. */
export interface LearnedCounts {
  /** Sent for the first time, and waiting for others to say the same. */
  readonly added: number;
  /** Came into the catalogue. */
  readonly confirmed: number;
  /** Were in it and changed. */
  readonly changed: number;
  /** Left the waiting ones for others. */
  readonly evicted: number;
}

/** A limit for which a visitor was not linked to an address. */
export interface RefusedLink {
  readonly refusedLink?: "visitor" | "network" | undefined;
}

/**
 * Takes in the names of an event: finds, makes, joins and links visitors and contacts. `sender` is who posted it, if that
 * may have been anybody; how much such a sender may link is limited.
 */
export type Identify = (
  tx: Transaction,
  event: Event,
  sender: PublicSender | undefined,
) => Identity & Outcome & RefusedLink;

/**
 * One consequence of an event. It follows from the event, its sender and the store alone and is idempotent. `sender` is
 * undefined for the shop's own systems. Ids it needs are derived from the event's id.
 */
export type Effect = (tx: Transaction, event: Event, identity: Identity, sender: PublicSender | undefined) => Outcome;

export const NO_OUTCOME: Outcome = { visitorChanged: false, notes: [] };
