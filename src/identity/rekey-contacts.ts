/**
 * Writes the keys of contacts that earlier versions stored by other rules, see `CONTACT_KEY_RULES`. Contacts that turn out to
 * be one become one: the older record stays, and for each channel the stricter state. The ledger keeps the entries of both and
 * gets one of source `merge` where the state changes. It can be interrupted and repeated, also while others write.
 */
import { earlierEmailKey, earlierPhoneKey, keysOfContact } from "../domain/address-keys.js";
import { CONTACT_KEY_RULES } from "../domain/app.js";
import type { Now } from "../domain/clock.js";
import { CHANNELS, type Channel, type Contact, withVisitor } from "../domain/contact.js";
import { confirmationKey } from "../domain/hook.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { AppStore } from "../store/ports/app-store.js";
import type { Copies } from "../store/ports/copies.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import { type NewSalt, state } from "./ledger/ledger.js";
import { joined } from "./privacy/person.js";
import { rowsOf } from "./privacy/scan.js";

interface RekeyDependencies {
  readonly apps: Pick<AppStore, "list">;
  readonly copies: Pick<Copies, "scan">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  readonly now: Now;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
}

const APPS_A_PAGE = 100;

/** Returns the number of contacts with other keys than before, over all apps. */
export async function rekeyContacts(deps: RekeyDependencies): Promise<number> {
  let rekeyed = 0;
  for (let after = "", atEnd = false; !atEnd; ) {
    const page = await deps.apps.list(after, APPS_A_PAGE);
    atEnd = page.length < APPS_A_PAGE;
    after = page.at(-1)?.appId ?? after;
    for (const { appId, contactKeyRules } of page)
      if (contactKeyRules < CONTACT_KEY_RULES) rekeyed += await rekeyApp(deps, appId);
  }
  return rekeyed;
}

async function rekeyApp(deps: RekeyDependencies, appId: string): Promise<number> {
  const { copies, unitOfWork, now, newId, newSalt } = deps;
  let rekeyed = 0;
  for await (const rows of rowsOf(copies, appId, "contacts")) {
    for (const { value } of rows) {
      if (earlierKeysOf(value).length === 0) continue;
      const said: Said = { at: now(), by: newId(), newId, newSalt };
      await unitOfWork.run(appId, (tx) => rekeyContact(tx, value.contactId, said));
      rekeyed++;
    }
  }
  await followMerged(deps, appId);
  await rekeyErasures(deps, appId);
  await unitOfWork.run(appId, (tx) => {
    const app = tx.app();
    if (app !== undefined) tx.putApp({ ...app, contactKeyRules: CONTACT_KEY_RULES });
  });
  return rekeyed;
}

/** Index keys that the contact had, and no longer has. */
function earlierKeysOf(contact: Contact): string[] {
  const [email, phone] = [earlierEmailKey(contact.email), earlierPhoneKey(contact.phone)];
  // As numbers that a table wrote with a decimal were read.
  const withDecimal = phoneKey(contact.phone.replaceAll(".", ""));
  const today = keysOfContact(contact);
  return [email && `e:${email}`, phone && `p:${phone}`, withDecimal && `p:${withDecimal}`].filter(
    (key) => key !== "" && !today.includes(key),
  );
}

/** Who says what the merging of contacts says. */
interface Said {
  readonly at: number;
  readonly by: string;
  readonly newId: () => string;
  readonly newSalt: NewSalt;
}

function rekeyContact(tx: Transaction, contactId: string, said: Said): void {
  let contact = tx.contacts.get(contactId);
  if (contact === undefined) return; // merged before
  for (const key of earlierKeysOf(contact)) if (tx.contactKeys.get(key) === contactId) tx.contactKeys.delete(key);
  const email = emailKey(contact.email);
  const sameEmail = email === "" ? undefined : takeKey(tx, `e:${email}`, contact);
  if (sameEmail !== undefined) contact = merge(tx, sameEmail, contact, said);
  const phone = phoneKey(contact.phone);
  const samePhone = phone === "" ? undefined : takeKey(tx, `p:${phone}`, contact);
  if (samePhone === undefined) return;
  if (contact.email === "" || samePhone.email === "") merge(tx, samePhone, contact, said);
  else leavePhone(tx, contact, samePhone, said);
}

/** Gives the contact a free key; returns the other contact that has the key. */
function takeKey(tx: Transaction, key: string, { contactId }: Contact): Contact | undefined {
  const holderId = tx.contactKeys.get(key);
  const holder = holderId === undefined || holderId === contactId ? undefined : tx.contacts.get(holderId);
  if (holder === undefined) tx.contactKeys.put(key, contactId);
  return holder;
}

/** Two contacts with e-mails of their own: the phone stays with the one that has its key. */
function leavePhone(tx: Transaction, contact: Contact, holder: Contact, said: Said): void {
  tx.contacts.put(contact.contactId, { ...contact, phone: "" });
  if (contact.smsSubscription.status === false) restrict(tx, holder, contact, "sms", said);
}

function merge(tx: Transaction, a: Contact, b: Contact, said: Said): Contact {
  const isOlder = a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.contactId < b.contactId);
  const [kept, former] = isOlder ? [a, b] : [b, a];
  tx.contacts.delete(former.contactId);
  for (const key of keysOfContact(former)) if (tx.contactKeys.get(key) === former.contactId) tx.contactKeys.delete(key);
  const { contactId, email, phone } = former;
  const both: Contact = {
    ...kept,
    email: kept.email || email,
    phone: kept.phone || phone,
    firstName: kept.firstName || former.firstName,
    lastName: kept.lastName || former.lastName,
    country: kept.country || former.country,
    city: kept.city || former.city,
    gender: kept.gender || former.gender,
    birthDate: kept.birthDate || former.birthDate,
    tags: kept.tags.length > 0 ? kept.tags : former.tags,
    former: [...kept.former, ...former.former, { contactId, email, phone }],
  };
  let contact = former.visitorIds.reduce(withVisitor, both);
  tx.contacts.put(contact.contactId, contact);
  for (const key of keysOfContact(contact)) tx.contactKeys.put(key, contact.contactId);
  for (const channel of CHANNELS) {
    const [from, to] = [former.contactId, contact.contactId].map((id) => confirmationKey(id, channel));
    const waiting = tx.confirmations.get(from!);
    if (waiting !== undefined && tx.confirmations.get(to!) === undefined) tx.confirmations.put(to!, waiting);
    if (waiting !== undefined) tx.confirmations.delete(from!);
    contact = restrict(tx, contact, former, channel, said);
  }
  return contact;
}

/** States for the contact what the other one says, where that is stricter. Any statement is stricter than none. */
function restrict(tx: Transaction, contact: Contact, other: Contact, channel: Channel, said: Said): Contact {
  const { status } = contact[`${channel}Subscription`];
  const { status: otherStatus, changedAt } = other[`${channel}Subscription`];
  if (otherStatus === null || otherStatus === status || status === false) return contact;
  return state(tx, contact, {
    channel,
    subscribed: otherStatus,
    at: otherStatus ? changedAt : said.at,
    by: said.by,
    recordedAt: said.at,
    source: "merge",
    eventId: "",
    reason: "another spelling of the address",
    onlyUnknown: false,
    newSalt: said.newSalt,
    newId: said.newId,
  }).contact;
}

/** Visitors and hook messages of former contacts name the contact that they turned out to be. */
async function followMerged({ copies, unitOfWork }: RekeyDependencies, appId: string): Promise<void> {
  const idOf = new Map<string, string>();
  for await (const rows of rowsOf(copies, appId, "contacts"))
    for (const { value } of rows) for (const { contactId } of value.former) idOf.set(contactId, value.contactId);
  if (idOf.size === 0) return;
  for await (const rows of rowsOf(copies, appId, "visitors")) {
    for (const { key, value } of rows) {
      if (!idOf.has(value.contactId)) continue;
      await unitOfWork.run(appId, (tx) => {
        const visitor = tx.visitors.get(key);
        const contactId = visitor && idOf.get(visitor.contactId);
        if (visitor !== undefined && contactId !== undefined) tx.visitors.put(key, { ...visitor, contactId });
      });
    }
  }
  for (const table of ["outbox", "deadHooks"] as const) {
    for await (const rows of rowsOf(copies, appId, table)) {
      for (const { key, value } of rows) {
        if (!idOf.has(value.contactId)) continue;
        await unitOfWork.run(appId, (tx) => {
          const entry = tx[table].get(key);
          const contactId = entry && idOf.get(entry.contactId);
          if (entry !== undefined && contactId !== undefined) tx[table].put(key, { ...entry, contactId });
        });
      }
    }
  }
}

/** An erasure under way also looks for its addresses by today's keys. */
async function rekeyErasures({ copies, unitOfWork }: RekeyDependencies, appId: string): Promise<void> {
  for await (const rows of rowsOf(copies, appId, "erasures")) {
    for (const { key, value } of rows) {
      if (value.step === "done") continue;
      await unitOfWork.run(appId, (tx) => {
        const erasure = tx.erasures.get(key);
        if (erasure === undefined || erasure.step === "done") return;
        const { person } = erasure;
        const contactKeys = joined(person.contactKeys, person.contactKeys.flatMap(keyToday));
        tx.erasures.put(key, { ...erasure, person: { ...person, contactKeys } });
      });
    }
  }
}

function keyToday(earlier: string): string[] {
  const text = earlier.slice(2);
  const key = earlier.startsWith("e:") ? emailKey(text) : phoneKey(text);
  return key === "" ? [] : [`${earlier.slice(0, 2)}${key}`];
}
