import type { Event } from "../domain/event.js";
import type { Identify } from "../intake/effect.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { takeContact } from "./contacts.js";
import type { LinkLimits } from "./links/link-limits.js";
import { joinVisitor, type Linked, linkContact } from "./visitors.js";

export interface IdentifyDependencies {
  /** Limits for public senders; the shop's own systems have none. */
  readonly limits: LinkLimits;
  /** Returns 32 random hex digits, new ones at each call. */
  readonly newSecret: () => string;
}

/** Finds the visitor and the contact of an event, and links them when it has both. */
export function createIdentify({ limits, newSecret }: IdentifyDependencies): Identify {
  return (tx, event, sender) => {
    const { occurredAt: at, eventId: by, receivedAt: recordedAt } = event;
    const admission = sender && { tx, limits, sender, at: recordedAt, newSecret };
    const saying = { at, by, recordedAt, admission };
    const joined = joinVisitor(tx, event.visitor, by, saying);
    const taken = takeNamed(tx, event);
    const notes = [...joined.notes, ...taken.notes];
    let { visitor, contactChanged } = joined;
    let refused: Linked["refused"];
    // A user id can be guessed, so it moves no link by itself.
    const isGuess = sender !== undefined && event.visitor.clientId === "" && event.visitor.fingerprintId === "";
    if (isGuess && visitor !== undefined && visitor.contactId !== "") {
      if (taken.contact !== undefined && taken.contact.contactId !== visitor.contactId)
        notes.push("a user id alone moves no link; the visitor was not linked to this address");
    } else if (visitor !== undefined && taken.contact !== undefined) {
      const linked = linkContact(tx, visitor, taken.contact.contactId, saying);
      contactChanged ||= linked.visitor.contactId !== visitor.contactId;
      visitor = linked.visitor;
      refused = linked.refused;
      if (linked.refused !== undefined)
        notes.push(
          `the ${linked.refused} was linked to too many addresses today; the visitor was not linked to this one`,
        );
    }
    const contact =
      taken.contact ??
      (visitor !== undefined && visitor.contactId !== "" ? tx.contacts.get(visitor.contactId) : undefined);
    return { visitor, contact, visitorChanged: contactChanged, refusedLink: refused, notes };
  };
}

function takeNamed(tx: Transaction, event: Event): ReturnType<typeof takeContact> {
  if (event.contact === null) return { contact: undefined, notes: [] };
  return takeContact(tx, event.contact, `contact:${event.eventId}`, event.receivedAt);
}
