import type { Contact } from "../domain/contact.js";
import type { Evidence } from "../domain/evidence.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { askConfirmation, type ConfirmationRequest } from "./confirmation.js";
import { appendChange, type NewSalt } from "./ledger/ledger.js";

/** A request, with what the ledger keeps of it. */
interface ToldRequest extends ConfirmationRequest {
  readonly reason: string;
  readonly evidence: Evidence | null;
}

/**
 * Keeps a subscription pending as `askConfirmation` does, and enters the request into the ledger: it shows that the mail with
 * the link was asked for. The entry changes no state.
 */
export function requestConfirmation(
  tx: Transaction,
  contact: Contact,
  request: ToldRequest,
  newSalt: NewSalt,
): boolean {
  if (!askConfirmation(tx, contact, request)) return false;
  const { channel, at, recordedAt, by, eventId, reason, evidence } = request;
  const { status } = contact[`${channel}Subscription`];
  appendChange(tx, {
    contactId: contact.contactId,
    channel,
    from: status,
    to: status,
    occurredAt: at,
    recordedAt,
    source: "request",
    by,
    eventId,
    reason,
    evidence,
    salt: newSalt(),
  });
  return true;
}
