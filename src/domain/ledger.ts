/**
 * The consent ledger of one app: statements about subscriptions, each sealed with the hash of the entry before it.
 * Changing, removing, adding or reordering an entry breaks the chain at that place. Somebody could make all later hashes
 * anew; a hash noted elsewhere reveals that.
 *
 *   commitment = SHA-256(salt, personal part)
 *   hash       = SHA-256(number, what happened, commitment, previous hash)
 *
 * The personal part (whom it concerns, which event or call said it, why, the evidence) enters the chain only as a commitment. Erasing
 * a person removes the part and its salt of 128 random bits. The chain still verifies and shows that somebody's status
 * changed then, but nobody can test whose.
 *
 * The hashed text is a JSON array in UTF-8 without blanks, its members in the order below; hashes are hex.
 */
import { createHash } from "node:crypto";
import type { SubscriptionChange } from "./contact.js";

/** Makes an entry part of the chain. */
export interface Seal {
  /** 32 hex digits; "" when the personal part was erased. */
  readonly salt: string;
  readonly commitment: string;
  /** Hash of the entry before; that of the app's beginning for the first. */
  readonly previous: string;
  readonly hash: string;
}

/** The head of an app's chain. */
export interface LedgerHead {
  /** Entries in the chain; the last one has this number. */
  readonly count: number;
  /** Hash of the last one. */
  readonly hash: string;
}

/** The key of the head among its kind. */
export const LEDGER_HEAD = "app";

/** Enough digits to sort ids like numbers. */
const DIGITS = 12;

/** Sorts after ids from before the chain, which begin with a hex digit. */
const PREFIX = "n";

/** The id of entry `number`, counted from 1. */
export function changeIdOf(number: number): string {
  return `${PREFIX}${String(number).padStart(DIGITS, "0")}`;
}

/** The number of an entry of the chain by its id; undefined for one from before the chain. */
export function numberOf(changeId: string): number | undefined {
  return changeId.startsWith(PREFIX) ? Number(changeId.slice(PREFIX.length)) : undefined;
}

/** Head of an app's chain before the first entry. */
export function emptyLedger(appId: string): LedgerHead {
  return { count: 0, hash: digest(["aisle ledger 1", appId]) };
}

/** Entry `number` of the chain, sealed behind one of hash `previous`. */
export function seal(
  change: Omit<SubscriptionChange, "changeId" | "seal">,
  number: number,
  salt: string,
  previous: string,
): SubscriptionChange & { readonly seal: Seal } {
  const entry = { ...change, changeId: changeIdOf(number) };
  const commitment = commitmentOf(entry, salt);
  return { ...entry, seal: { salt, commitment, previous, hash: hashOf(entry, commitment, previous) } };
}

/** The entry without its personal part; unchanged when it has none. */
export function withoutPerson(change: SubscriptionChange): SubscriptionChange {
  const personless = { ...change, contactId: "", by: "", eventId: "", reason: "", evidence: null };
  return change.seal === null ? personless : { ...personless, seal: { ...change.seal, salt: "" } };
}

/** True when the entry's person was erased. */
export function isErased({ contactId }: SubscriptionChange): boolean {
  return contactId === "";
}

/** The commitment to the personal part, as the chain holds it. */
export function commitmentOf(
  change: Pick<SubscriptionChange, "contactId" | "by" | "eventId" | "reason" | "evidence">,
  salt: string,
) {
  const { contactId, by, eventId, reason, evidence } = change;
  // Entries without evidence are sealed as those of earlier versions.
  const proof = evidence === null ? [] : [evidence.wording, evidence.place, evidence.network];
  return digest([salt, contactId, by, eventId, reason, ...proof]);
}

/** What the next entry is sealed with. */
export function hashOf(
  change: Omit<SubscriptionChange, "contactId" | "by" | "eventId" | "reason" | "evidence" | "seal">,
  commitment: string,
  previous: string,
): string {
  const { changeId, channel, from, to, occurredAt, recordedAt, source } = change;
  return digest([changeId, channel, from, to, occurredAt, recordedAt, source, commitment, previous]);
}

function digest(members: readonly (string | number | boolean | null)[]): string {
  return createHash("sha256").update(JSON.stringify(members)).digest("hex");
}
