import type { Channel, SubscriptionChange } from "../domain/contact.js";
import { type HookEntry, MAILING_SECRETS, outboxKey } from "../domain/mailing.js";
import type { Transaction } from "../ports/unit-of-work.js";

/** Puts the news of a changed status into the outbox, in the transaction that changed it. Nothing, for an app without a hook. */
export function announceChange(
  tx: Transaction,
  { changeId, contactId, channel, recordedAt }: SubscriptionChange,
): void {
  announce(tx, {
    messageId: changeId,
    kind: "subscription.changed",
    contactId,
    channel,
    changeId,
    createdAt: recordedAt,
  });
}

/** Puts the wish for a confirmation into the outbox, so that the shop sends the mail with the link. */
export function announceConfirmationWanted(
  tx: Transaction,
  {
    contactId,
    channel,
    by,
    at,
  }: { readonly contactId: string; readonly channel: Channel; readonly by: string; readonly at: number },
): void {
  const messageId = `confirm-${by}-${channel}`;
  announce(tx, {
    messageId,
    kind: "subscription.confirmation_wanted",
    contactId,
    channel,
    changeId: "",
    createdAt: at,
  });
}

type News = Pick<HookEntry, "messageId" | "kind" | "contactId" | "channel" | "changeId" | "createdAt">;

function announce(tx: Transaction, news: News): void {
  if (!tx.mailingSecrets.get(MAILING_SECRETS)?.hook) return;
  const entry: HookEntry = { ...news, attempts: 0, nextAt: news.createdAt, failure: "", status: 0 };
  tx.outbox.put(outboxKey(entry), entry);
}
