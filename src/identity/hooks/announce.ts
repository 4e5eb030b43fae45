import type { Channel, SubscriptionChange } from "../../domain/contact.js";
import { type HookEntry, MAILING_SECRETS, outboxKey } from "../../domain/hook.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";

/**
 * Puts a message about a changed status into the outbox, in the transaction that changes it. Does nothing for an app
 * without a hook.
 */
export function announceChange(
  tx: Transaction,
  { changeId, contactId, channel, recordedAt }: SubscriptionChange,
  newId: () => string,
): void {
  announce(tx, newId, {
    kind: "subscription.changed",
    contactId,
    channel,
    changeId,
    createdAt: recordedAt,
  });
}

/** Puts a request for confirmation into the outbox, so that the shop sends the mail with the link. */
export function announceConfirmationWanted(
  tx: Transaction,
  { contactId, channel, at }: { readonly contactId: string; readonly channel: Channel; readonly at: number },
  newId: () => string,
): void {
  announce(tx, newId, {
    kind: "subscription.confirmation_wanted",
    contactId,
    channel,
    changeId: "",
    createdAt: at,
  });
}

type News = Pick<HookEntry, "kind" | "contactId" | "channel" | "changeId" | "createdAt">;

/** Receivers drop a message whose id they have seen, so the id is unique across apps: one receiver may serve several. */
function announce(tx: Transaction, newId: () => string, news: News): void {
  if (!tx.mailingSecrets.get(MAILING_SECRETS)?.hook) return;
  const entry: HookEntry = { ...news, messageId: newId(), attempts: 0, nextAt: news.createdAt, failure: "", status: 0 };
  tx.outbox.put(outboxKey(entry), entry);
}
