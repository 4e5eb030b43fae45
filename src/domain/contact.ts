/** true = subscribed, false = unsubscribed, null = nobody has said. */
export type SubscriptionStatus = boolean | null;

export type Channel = "email" | "sms";

/** A status and the knowledge it rests on; newer knowledge (by time, then by event id) replaces it. */
export interface Subscription {
  readonly status: SubscriptionStatus;
  /** 0 while nobody has said. */
  readonly changedAt: number;
  /** Event or change id that said it. */
  readonly changedBy: string;
}

export const UNKNOWN: Subscription = { status: null, changedAt: 0, changedBy: "" };

export interface ContactProfile {
  readonly firstName: string;
  readonly lastName: string;
  readonly country: string;
  readonly city: string;
  readonly gender: string;
  readonly birthDate: string;
  readonly tags: readonly string[];
}

export interface Contact extends ContactProfile {
  readonly contactId: string;
  /** As given; the key is `emailKey`. "" when not known. */
  readonly email: string;
  readonly phone: string;
  readonly emailSubscription: Subscription;
  readonly smsSubscription: Subscription;
  readonly createdAt: number;
}

/** One entry of the consent ledger. */
export interface SubscriptionChange {
  /** UUIDv7. */
  readonly changeId: string;
  readonly contactId: string;
  readonly channel: Channel;
  readonly from: SubscriptionStatus;
  readonly to: SubscriptionStatus;
  readonly occurredAt: number;
  readonly recordedAt: number;
  readonly source: "event" | "rpc";
  /** "" when no event caused it. */
  readonly eventId: string;
  readonly reason: string;
}

const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)+$/;

/** Key of an e-mail address: trimmed, NFC, lower case. "" when the text is no address. */
export function emailKey(text: string): string {
  const key = text.trim().normalize("NFC").toLowerCase();
  return key.length <= 254 && EMAIL.test(key) && !/\p{Cc}/u.test(key) ? key : "";
}

/**
 * Key of a phone number: its digits, with `+` when it is international. One leading space is a `+` lost in form
 * decoding. "" when the text has fewer than 5 or more than 20 digits, or anything but digits and separators.
 */
export function phoneKey(text: string): string {
  const restored = /^ \d/.test(text) ? `+${text.slice(1)}` : text.trim();
  if (!/^\+?[\d\s()./-]+$/.test(restored)) return "";
  const digits = restored.replace(/\D/g, "");
  if (digits.length < 5 || digits.length > 20) return "";
  return restored.startsWith("+") ? `+${digits}` : digits;
}
