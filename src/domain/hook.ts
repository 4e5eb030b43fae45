import type { Channel } from "./contact.js";

/**
 * What an app signs links and messages with, where its messages go, and what its servers sign events with. Nothing of it
 * is ever answered to a storefront. Secrets are kept as `Seal` writes them.
 */
export interface MailingSecrets {
  /** Signs links in mails; hex digits, "" until the first is made. Sealed. */
  readonly linkKey: string;
  /** Null: no server receives changes. */
  readonly hook: Hook | null;
  /** Oldest first, at most `MAX_SIGNING_SECRETS`. */
  readonly signing: readonly SigningSecret[];
}

/** What a shop's server signs events with. */
export interface SigningSecret {
  readonly secretId: string;
  /** `whsec_` and Base64. Sealed. */
  readonly secret: string;
  readonly createdAt: number;
}

/** Two, so that one can replace the other while both are good. */
export const MAX_SIGNING_SECRETS = 2;

/** The key of an app's secrets among their kind. */
export const MAILING_SECRETS = "app";

export const NO_MAILING_SECRETS: MailingSecrets = { linkKey: "", hook: null, signing: [] };

/** A shop's own server that receives changes. */
export interface Hook {
  /** https, without user and password. */
  readonly url: string;
  /** As receivers' libraries take it: `whsec_` and Base64. Sealed. */
  readonly secret: string;
}

/** A subscription that waits for the word of who reads the address's mail. */
export interface Confirmation {
  readonly askedAt: number;
  /** Event or call that asked. */
  readonly askedBy: string;
  /** The event that asked, "" for a call. */
  readonly eventId: string;
  /** One of the keys of the visitor who asked, "" if not known. The wish goes when that visitor is erased. */
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

/** Messages to a hook: a subscription changed, or waits for its owner's confirmation. */
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
  /** The same however often it is sent; no other message has it, of whatever app. Older versions numbered them by app. */
  readonly messageId: string;
  readonly kind: HookKind;
  readonly contactId: string;
  readonly channel: Channel;
  /** Id of the ledger's entry; "" for a message without one. */
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
