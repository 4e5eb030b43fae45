import type { Channel } from "./contact.js";

/** What an app signs links and messages with, and where its messages go. Nothing of it is ever answered to a storefront. */
export interface MailingSecrets {
  /** Signs links in mails; hex digits, "" until the first is made. */
  readonly linkKey: string;
  /** Null: changes are told to nobody. */
  readonly hook: Hook | null;
}

/** The key of an app's secrets among their kind. */
export const MAILING_SECRETS = "app";

export const NO_MAILING_SECRETS: MailingSecrets = { linkKey: "", hook: null };

/** A shop's own server that is told of changes. */
export interface Hook {
  /** https, without user and password. */
  readonly url: string;
  /** As receivers' libraries take it: `whsec_` and Base64. */
  readonly secret: string;
}

/** A subscription that waits for the word of who reads the address's mail. */
export interface Confirmation {
  readonly askedAt: number;
  /** Event or call that asked. */
  readonly askedBy: string;
  /** The event that asked, "" for a call. */
  readonly eventId: string;
  /** One of the keys of who asked, as far as known; "" otherwise. The click proves that this visitor has the address. */
  readonly visitorKey: string;
}

/** The key of what waits. */
export function confirmationKey(contactId: string, channel: Channel): string {
  return `${channel} ${contactId}`;
}

/** What `confirmationKey` made the key of. */
export function confirmationOf(key: string): { readonly contactId: string; readonly channel: Channel } {
  const border = key.indexOf(" ");
  return { contactId: key.slice(border + 1), channel: key.slice(0, border) === "sms" ? "sms" : "email" };
}

/** What a hook is told: a subscription changed, or waits for its owner's word. */
export const HOOK_KINDS = ["subscription.changed", "subscription.confirmation_wanted"] as const;

export type HookKind = (typeof HOOK_KINDS)[number];

/** Why a message was not delivered; a closed set, so that it may stand in answers and metrics. */
export const HOOK_FAILURES = [
  "address_not_allowed",
  "host_not_found",
  "connection_failed",
  "certificate_refused",
  "timed_out",
  "redirected",
  "refused",
] as const;

export type HookFailure = (typeof HOOK_FAILURES)[number];

/** A message that is to be sent, without anything personal: what it says is read when it goes. */
export interface HookEntry {
  /** The same however often it is sent; no other message of the app has it. */
  readonly messageId: string;
  readonly kind: HookKind;
  readonly contactId: string;
  readonly channel: Channel;
  /** Of the ledger's entry it tells, "" where there is none. */
  readonly changeId: string;
  readonly createdAt: number;
  /** How often it was sent in vain. */
  readonly attempts: number;
  /** Not before this time. */
  readonly nextAt: number;
  /** Why the last attempt failed, "" before the first. */
  readonly failure: HookFailure | "";
  /** HTTP status of the last answer, 0 where there was none. */
  readonly status: number;
}

/** The key of a waiting message: they lie in order of the time they are due. */
export function outboxKey({ nextAt, messageId }: Pick<HookEntry, "nextAt" | "messageId">): string {
  return `${String(nextAt).padStart(16, "0")} ${messageId}`;
}
