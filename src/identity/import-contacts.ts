import { createHash } from "node:crypto";
import { keysOfAddresses } from "../domain/address-keys.js";
import type { Now } from "../domain/clock.js";
import type { SubscriptionStatus } from "../domain/contact.js";
import { InvalidArgument, NotFound } from "../domain/errors.js";
import type { Evidence } from "../domain/evidence.js";
import type { VisitorIds } from "../domain/ids.js";
import { cleanId } from "../domain/ids.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { type ContactNames, contactOfNumber, takeContact } from "./contacts.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import type { Suppressions } from "./suppressions.js";
import { joinVisitor, linkContact } from "./visitors.js";

/** A contact of a list, with its subscriptions. */
export interface ListedContact extends ContactNames {
  /** Null leaves the status as it is. */
  readonly emailSubscribed: SubscriptionStatus;
  readonly smsSubscribed: SubscriptionStatus;
  /** Time of the statement; null: unknown. */
  readonly changedAt: number | null;
  readonly reason: string;
  readonly evidence?: Evidence | null;
  /** Null: no link. */
  readonly visitor: VisitorIds | null;
}

/** A contact that was rejected, by its index in the batch, with the reason. */
export interface RefusedContact {
  readonly index: number;
  readonly error: InvalidArgument;
}

export interface ImportedContacts {
  readonly refused: readonly RefusedContact[];
  /** Contacts that were left out because an address of theirs is suppressed. */
  readonly suppressed: number;
  /** Contacts that the list says are subscribed and that stay unsubscribed. */
  readonly keptUnsubscribed: number;
}

/**
 * Imports a batch of contacts. They count as the shop's own statements, so links are proven. A statement with a time is
 * entered once, however often it is imported. One without a time is taken for a state of unknown age: it unsubscribes, or
 * fills an unknown status, but subscribes nobody who is unsubscribed. Rejects with NotFound("app").
 */
export type ImportContacts = (appId: string, batch: readonly ListedContact[]) => Promise<ImportedContacts>;

const MAX_AHEAD_MS = 5 * 60_000;
const MAX_TEXT = 8192;
const MAX_TAGS = 100;

interface NewIds {
  readonly newId: () => string;
  readonly newSalt: NewSalt;
  readonly suppressions?: Suppressions | undefined;
}

export function createImportContacts(
  deps: NewIds & { readonly unitOfWork: UnitOfWork; readonly now: Now },
): ImportContacts {
  return async (appId, batch) => {
    const now = deps.now();
    const refused: RefusedContact[] = [];
    const taken: { readonly id: string; readonly contact: ListedContact }[] = [];
    for (const [index, contact] of batch.entries()) {
      try {
        check(contact, now);
        taken.push({ id: deps.newId(), contact });
      } catch (error) {
        if (!(error instanceof InvalidArgument)) throw error;
        refused.push({ index, error });
      }
    }
    const { newId, newSalt, suppressions } = deps;
    return deps.unitOfWork.run(appId, (tx) => {
      if (tx.app() === undefined) throw new NotFound("app");
      const open = taken.filter(({ contact }) => !isSuppressed(tx, contact, suppressions));
      const ids = { newId, newSalt, suppressions };
      const keptUnsubscribed = open.filter(({ id, contact }) => take(tx, contact, id, now, ids)).length;
      return { refused, suppressed: taken.length - open.length, keptUnsubscribed };
    });
  };
}

/**
 * An address that is suppressed stays out of lists with everything that they say of its person, unless the line subscribes it at a
 * time after the suppression.
 */
function isSuppressed(tx: Transaction, listed: ListedContact, suppressions: Suppressions | undefined): boolean {
  if (suppressions === undefined) return false;
  const channels = [
    [{ email: listed.email, phone: "" }, listed.emailSubscribed],
    [{ email: "", phone: listed.phone }, listed.smsSubscribed],
  ] as const;
  return channels.some(([address, subscribed]) =>
    keysOfAddresses(address).some((key) => {
      const known = suppressions.find(tx, key);
      const isLater = known !== undefined && listed.changedAt !== null && listed.changedAt > known.suppressedAt;
      return known !== undefined && !(subscribed === true && isLater);
    }),
  );
}

/** Returns true when the contact stays unsubscribed against what the list says. */
function take(tx: Transaction, listed: ListedContact, id: string, now: number, ids: NewIds): boolean {
  let contact = takeContact(tx, listed, `contact:${id}`, now).contact!;
  const at = listed.changedAt ?? now;
  const by = `import:${createHash("sha256").update(JSON.stringify(listed)).digest("base64url")}`;
  const statements = [
    ["email", contact.email === "" ? null : listed.emailSubscribed],
    ["sms", listed.smsSubscribed],
  ] as const;
  let keepsUnsubscribed = false;
  for (const [channel, subscribed] of statements) {
    if (subscribed === null) continue;
    let target = channel === "sms" ? contactOfNumber(tx, contact, listed.phone, `contact:${id}:sms`, now) : contact;
    const { status } = target[`${channel}Subscription`];
    const saysNothing = listed.changedAt === null && (subscribed ? status !== null : status === false);
    if (!saysNothing) {
      const statement = {
        channel,
        subscribed,
        at,
        by,
        recordedAt: now,
        reason: listed.reason,
        evidence: listed.evidence,
      };
      const source = { source: "import", eventId: "", onlyUnknown: false, ...ids } as const;
      target = state(tx, target, { ...statement, ...source }).contact;
    }
    if (subscribed && target[`${channel}Subscription`].status === false) keepsUnsubscribed = true;
    if (target.contactId === contact.contactId) contact = target;
  }
  if (listed.visitor === null) return keepsUnsubscribed;
  const saying = { at, by: id, recordedAt: now, admission: undefined };
  const { visitor } = joinVisitor(tx, listed.visitor, id, saying);
  if (visitor !== undefined) linkContact(tx, visitor, contact.contactId, saying);
  return keepsUnsubscribed;
}

function check(contact: ListedContact, now: number): void {
  if (contact.email === "" && contact.phone === "") throw new InvalidArgument("email", "missing");
  if (contact.email !== "" && emailKey(contact.email) === "")
    throw new InvalidArgument("email", "invalid", "an e-mail address");
  if (contact.phone !== "" && phoneKey(contact.phone) === "")
    throw new InvalidArgument("phone", "invalid", "5 to 20 digits, with + when international");
  if (contact.emailSubscribed !== null && contact.email === "") throw new InvalidArgument("email", "missing");
  if (contact.smsSubscribed !== null && contact.phone === "") throw new InvalidArgument("phone", "missing");
  if (contact.changedAt !== null && !(contact.changedAt > 0 && contact.changedAt <= now + MAX_AHEAD_MS))
    throw new InvalidArgument("change_time", "invalid", "a time after 1970 and not in the future");
  if (contact.reason !== "" && cleanId(contact.reason) === "")
    throw new InvalidArgument("reason", "invalid", "at most 255 bytes without control characters");
  if (contact.tags.length > MAX_TAGS) throw new InvalidArgument("tags", "invalid", `at most ${MAX_TAGS}`);
  const texts = [
    ["first_name", contact.firstName],
    ["last_name", contact.lastName],
    ["country", contact.country],
    ["city", contact.city],
    ["gender", contact.gender],
    ["birth_date", contact.birthDate],
    ...contact.tags.map((tag) => ["tags", tag] as const),
  ] as const;
  for (const [field, text] of texts)
    if (text.length > MAX_TEXT) throw new InvalidArgument(field, "invalid", `at most ${MAX_TEXT} characters`);
}
