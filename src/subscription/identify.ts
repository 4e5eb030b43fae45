import type { Identify } from "../ports/effect.js";
import { takeContact } from "./contacts.js";
import { joinVisitor, linkContact } from "./visitors.js";

/** Takes in the names of an event and links its visitor to its contact when it has both. */
export const identify: Identify = (tx, event) => {
  const joined = joinVisitor(tx, event.visitor, event.eventId, event.receivedAt);
  const taken =
    event.contact === null
      ? { contact: undefined, notes: [] }
      : takeContact(tx, event.contact, `contact:${event.eventId}`, event.receivedAt);
  let { visitor, contactChanged } = joined;
  if (visitor !== undefined && taken.contact !== undefined) {
    const linked = linkContact(tx, visitor, taken.contact.contactId, event.occurredAt);
    contactChanged ||= linked.contactId !== visitor.contactId;
    visitor = linked;
  }
  const contact =
    taken.contact ??
    (visitor !== undefined && visitor.contactId !== "" ? tx.contacts.get(visitor.contactId) : undefined);
  return { visitor, contact, visitorChanged: contactChanged, notes: [...joined.notes, ...taken.notes] };
};
