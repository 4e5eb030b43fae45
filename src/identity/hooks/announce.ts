import type { Channel, Contact, SubscriptionChange } from "../../domain/contact.js";
import { type HookEntry, MAILING_SECRETS, outboxKey } from "../../domain/hook.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";
import { erasureBody, messageBody } from "./hook-message.js";

/**
 * Puts a message about a changed status into the outbox, in the transaction that changes it. Does nothing for an app
 * without a hook.
 */
export function announceChange(
  tx: Transaction,
  change: SubscriptionChange,
  contact: Contact,
  newId: () => string,
): void {
  const { changeId, contactId, channel, recordedAt: createdAt } = change;
  const addressed = channel === "email" ? { ...contact, phone: "" } : { ...contact, email: "" };
  const body = (entry: HookEntry) => messageBody(tx.appId, entry, addressed, change, undefined);
  const news = { kind: "subscription.changed", contactId, channel, changeId, createdAt } as const;
  announce(tx, newId, news, change.to === false ? body : undefined);
}

/** Puts a message about an erasure into the outbox, for a hook that wants it. It names the erasure and the contacts by their ids. */
export function announceErasure(
  tx: Transaction,
  erasure: { readonly erasureId: string; readonly contactIds: readonly string[]; readonly at: number },
  newId: () => string,
): void {
  if (!tx.mailingSecrets.get(MAILING_SECRETS)?.hook?.tellsErasures) return;
  const news = { kind: "person.erased", contactId: "", channel: "email", changeId: "", createdAt: erasure.at } as const;
  announce(tx, newId, news, ({ messageId }) => erasureBody(tx.appId, messageId, erasure));
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
function announce(tx: Transaction, newId: () => string, news: News, body?: (entry: HookEntry) => string): void {
  if (!tx.mailingSecrets.get(MAILING_SECRETS)?.hook) return;
  const fresh = { attempts: 0, nextAt: news.createdAt, failure: "", status: 0, body: "" } as const;
  const entry: HookEntry = { ...news, ...fresh, messageId: newId() };
  tx.outbox.put(outboxKey(entry), body === undefined ? entry : { ...entry, body: body(entry) });
}
