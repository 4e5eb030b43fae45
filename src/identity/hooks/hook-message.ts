import type { Contact, SubscriptionChange, SubscriptionStatus } from "../../domain/contact.js";
import type { HookEntry } from "../../domain/hook.js";

/** The link in the message, where it needs one. */
export interface MessageLink {
  readonly url: string;
  readonly validUntil: number;
}

const STATES: ReadonlyMap<SubscriptionStatus, string> = new Map([
  [null, "unknown"],
  [true, "subscribed"],
  [false, "unsubscribed"],
]);

/**
 * The body of a message: `type`, `timestamp` (when it happened) and `data`. Times are ISO 8601 in UTC, unknown values
 * are "". Field names never change; more may be added.
 */
export function messageBody(
  appId: string,
  { kind, messageId, channel, createdAt }: HookEntry,
  { contactId, email, phone }: Contact,
  change: SubscriptionChange | undefined,
  link: MessageLink | undefined,
): string {
  const data = {
    app_id: appId,
    message_id: messageId,
    contact_id: contactId,
    email,
    phone,
    channel,
    ...(change !== undefined && {
      change_id: change.changeId,
      old_state: STATES.get(change.from),
      new_state: STATES.get(change.to),
      occurred_at: isoOf(change.occurredAt),
      source: change.source,
      event_id: change.eventId,
      reason: change.reason,
    }),
    ...(link !== undefined && { confirm_url: link.url, confirm_url_valid_until: isoOf(link.validUntil) }),
  };
  return JSON.stringify({ type: kind, timestamp: isoOf(change?.occurredAt ?? createdAt), data });
}

/** The body of a message about an erasure: ids alone, by which the shop finds what it keeps of the person. */
export function erasureBody(
  appId: string,
  messageId: string,
  {
    erasureId,
    contactIds,
    at,
  }: { readonly erasureId: string; readonly contactIds: readonly string[]; readonly at: number },
): string {
  const data = { app_id: appId, message_id: messageId, erasure_id: erasureId, contact_ids: contactIds };
  return JSON.stringify({ type: "person.erased", timestamp: isoOf(at), data });
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
