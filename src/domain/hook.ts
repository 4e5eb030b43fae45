import type { Channel } from "./contact.js";

/**
 * The secrets of an app and its hook: it signs links and messages, and its servers sign events. They are never returned
 * to a storefront. `Seal` encrypts them.
 */
export interface MailingSecrets {
  /** Signs links in mails; hex digits, "" until the first is made. Sealed. */
  readonly linkKey: string;
  /** Null: no server receives changes. */
  readonly hook: Hook | null;
  /** Oldest first, at most `MAX_SIGNING_SECRETS`. */
  readonly signing: readonly SigningSecret[];
  /** Since when the app has had a signing secret at all times; 0 without one, and in records of earlier versions. */
  readonly signingSince: number;
}

/** Whether the shop signed its events at a time. */
export function isSigningAt(secrets: MailingSecrets | undefined, at: number): boolean {
  const { signing, signingSince } = secrets ?? NO_MAILING_SECRETS;
  return signing.length > 0 && at >= (signingSince || Math.min(...signing.map(({ createdAt }) => createdAt)));
}

/** A secret with which a shop's server signs events. */
export interface SigningSecret {
  readonly secretId: string;
  /** `whsec_` and Base64. Sealed. */
  readonly secret: string;
  readonly createdAt: number;
}

/** Two, so that one can replace the other while both are valid. */
export const MAX_SIGNING_SECRETS = 2;

/** The key of an app's secrets among their kind. */
export const MAILING_SECRETS = "app";

export const NO_MAILING_SECRETS: MailingSecrets = { linkKey: "", hook: null, signing: [], signingSince: 0 };

/** A shop's own server that receives changes. */
export interface Hook {
  /** https, without user and password. */
  readonly url: string;
  /** In the form of receivers' libraries: `whsec_` and Base64. Encrypted. */
  readonly secret: string;
  /** Whether it gets messages about erasures. */
  readonly tellsErasures: boolean;
}

/** A subscription that waits for confirmation. */
export interface Confirmation {
  readonly askedAt: number;
  /** Event or call that requested it. */
  readonly askedBy: string;
  /** The requesting event, "" for a call. */
  readonly eventId: string;
  /** One key of the requesting visitor, "" if unknown. The request is removed with that visitor. */
  readonly visitorKey: string;
}

/** The key of a pending subscription. */
export function confirmationKey(contactId: string, channel: Channel): string {
  return `${channel} ${contactId}`;
}

/** What `confirmationKey` made the key of. */
export function confirmationOf(key: string): { readonly contactId: string; readonly channel: Channel } {
  const border = key.indexOf(" ");
  return { contactId: key.slice(border + 1), channel: key.slice(0, border) === "sms" ? "sms" : "email" };
}

/** Messages to a hook: a subscription changed, or waits for its owner's confirmation; a person was erased. */
export const HOOK_KINDS = ["subscription.changed", "subscription.confirmation_wanted", "person.erased"] as const;

export type HookKind = (typeof HOOK_KINDS)[number];

/** Why a message was not delivered; a closed list, so that it may appear in answers and metrics. */
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

/** A waiting message. Its content is read when it is sent, except where its contact may be gone by then. */
export interface HookEntry {
  /** The same at every attempt and unique over all apps. Older versions numbered them by app. */
  readonly messageId: string;
  readonly kind: HookKind;
  /** "" for an erasure. */
  readonly contactId: string;
  readonly channel: Channel;
  /** Id of the ledger's entry; "" for a message without one. */
  readonly changeId: string;
  readonly createdAt: number;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Earliest time of the next attempt. */
  readonly nextAt: number;
  /** Why the last attempt failed, "" before the first. */
  readonly failure: HookFailure | "";
  /** HTTP status of the last answer, 0 without one. */
  readonly status: number;
  /** The message as it is sent when its contact is gone: of an unsubscription, with its address, and of an erasure; else "". */
  readonly body: string;
}

/** Whether an erasure of its contact drops the message. An unsubscription is still sent: the shop must not mail that address. */
export function endsWithContact({ body }: Pick<HookEntry, "body">): boolean {
  return body === "";
}

/** The key of a waiting message: they sort by due time. */
export function outboxKey({ nextAt, messageId }: Pick<HookEntry, "nextAt" | "messageId">): string {
  return `${String(nextAt).padStart(16, "0")} ${messageId}`;
}
