import type { Contact } from "../domain/contact.js";
import type { Event } from "../domain/event.js";
import type { PublicSender } from "../domain/public-sender.js";
import type { Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";

/** The visitor and contact of an event, after its own ids were applied. */
export interface Identity {
  /** Undefined when the event names no visitor. */
  readonly visitor: Visitor | undefined;
  /** The contact that the event names, otherwise the one its visitor is linked to. */
  readonly contact: Contact | undefined;
}

/** The result of an effect, for the answer and for `aisle events tail`. */
export interface Outcome {
  /** True when cached answers about the visitor's identity or subscription are now stale. */
  readonly visitorChanged: boolean;
  /** Notes on data without effect, with the reason. Never quotes a value. */
  readonly notes: readonly string[];
  /** Products learned from the event, if any. */
  readonly learned?: LearnedCounts | undefined;
}

/** New knowledge about products from an event. */
export interface LearnedCounts {
  /** Products sent for the first time, which need more visitors. */
  readonly added: number;
  /** Products added to the catalogue. */
  readonly confirmed: number;
  /** Catalogue products that changed. */
  readonly changed: number;
  /** Unconfirmed products evicted by others. */
  readonly evicted: number;
}

/** A limit for which a visitor was not linked to an address. */
export interface RefusedLink {
  readonly refusedLink?: "visitor" | "network" | "app" | undefined;
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

/** One consequence of the events that have what it needs. */
export interface Effect {
  /** Only events with this have it. */
  readonly needs: "contact" | "products" | "order";
  /** Only these actions have it; when not given all do. */
  readonly actions?: readonly string[];
  /**
   * Follows from the event, its sender and the store alone, and is idempotent. `sender` is undefined for the shop's own
   * systems. Ids it needs are derived from the event's id.
   */
  apply(tx: Transaction, event: Event, identity: Identity, sender: PublicSender | undefined): Outcome;
}

export const NO_OUTCOME: Outcome = { visitorChanged: false, notes: [] };
