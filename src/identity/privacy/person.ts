import { keysOfContact } from "../../domain/address-keys.js";
import type { Contact } from "../../domain/contact.js";
import { NOBODY, type Person } from "../../domain/erasure.js";
import { InvalidArgument } from "../../domain/errors.js";
import { isUserKey, type VisitorIds, visitorKeys } from "../../domain/ids.js";
import type { Visitor } from "../../domain/visitor.js";
import { emailKey, phoneKey } from "../../parse/addresses.js";
import type { ContactStore } from "../../store/ports/contact-store.js";
import type { VisitorStore } from "../../store/ports/visitor-store.js";
import { isNumberAlone, numberIdsOf } from "../contacts.js";

/** A person by any known ids; "" for an unknown one. */
export interface PersonNames {
  readonly visitor: VisitorIds;
  readonly email: string;
  readonly phone: string;
  readonly contactId: string;
  /** A visitor's id also means the contact it is linked to. */
  readonly withLinkedContact: boolean;
}

/** The person's records found without a scan; a scan finds visitors linked to its contacts. */
export interface FoundPerson {
  readonly person: Person;
  readonly contacts: readonly Contact[];
  readonly visitors: readonly Visitor[];
  /** Contacts that `visitors` are linked to and that were not named. */
  readonly contactsKept: number;
}

/**
 * Finds the person of these ids. An address or contact id names the contact. A visitor's id names the visitor alone,
 * unless `withLinkedContact`: whoever knows an app's id can make links, so a link alone proves nothing.
 *
 * Rejects with InvalidArgument without an id, or with an invalid one.
 */
export async function findPerson(
  stores: { readonly visitors: VisitorStore; readonly contacts: Pick<ContactStore, "get" | "find"> },
  appId: string,
  names: PersonNames,
): Promise<FoundPerson> {
  const { keys, addresses } = checkedNames(names);
  const contacts = new Map<string, Contact>();
  const take = (contact: Contact | undefined) => contact && contacts.set(contact.contactId, contact);
  for (const address of addresses) take(await stores.contacts.find(appId, address));
  if (names.contactId !== "") take(await stores.contacts.get(appId, names.contactId));
  const visitors = await stores.visitors.find(appId, keys);
  const linked = new Set(visitors.map(({ contactId }) => contactId).filter((id) => id !== "" && !contacts.has(id)));
  if (names.withLinkedContact) for (const id of linked) take(await stores.contacts.get(appId, id));
  for (const id of [...contacts.keys()].flatMap(numberIdsOf)) {
    const number = await stores.contacts.get(appId, id);
    if (isNumberAlone(number)) take(number);
  }

  let person: Person = { ...NOBODY, visitorKeys: keys, contactKeys: addresses };
  for (const contact of contacts.values()) person = withContact(person, contact);
  for (const visitor of visitors) person = withVisitor(person, visitor);
  const contactsKept = names.withLinkedContact ? 0 : linked.size;
  return { person, contacts: [...contacts.values()], visitors, contactsKept };
}

function checkedNames(names: PersonNames): { readonly keys: string[]; readonly addresses: string[] } {
  const email = emailKey(names.email);
  const phone = phoneKey(names.phone);
  if (names.email !== "" && email === "") throw new InvalidArgument("person.email", "invalid", "an e-mail address");
  if (names.phone !== "" && phone === "")
    throw new InvalidArgument("person.phone", "invalid", "5 to 20 digits, with + when international");
  const keys = visitorKeys(names.visitor);
  const given = Object.values(names.visitor).filter((id) => id !== "").length;
  if (given > keys.length)
    throw new InvalidArgument("person.visitor", "invalid", "ids of at most 255 bytes without control characters");
  const addresses = [email && `e:${email}`, phone && `p:${phone}`].filter((key) => key !== "");
  if (keys.length + addresses.length === 0 && names.contactId === "") throw new InvalidArgument("person", "missing");
  return { keys, addresses };
}

export function withContact(person: Person, contact: Contact): Person {
  const ids = [contact.contactId, ...contact.former.map(({ contactId }) => contactId)];
  return {
    ...person,
    contactKeys: joined(person.contactKeys, keysOfContact(contact)),
    contactIds: joined(person.contactIds, ids),
    historyIds: joined(person.historyIds, ids),
  };
}

export function withVisitor(person: Person, visitor: Visitor): Person {
  return {
    ...person,
    visitorKeys: joined(person.visitorKeys, visitor.keys),
    provenKeys: joined(person.provenKeys, visitor.isUserProven ? visitor.keys.filter(isUserKey) : []),
    historyIds: joined(person.historyIds, visitor.members),
  };
}

export function joined(known: readonly string[], more: readonly string[]): readonly string[] {
  const news = more.filter((text) => !known.includes(text));
  return news.length === 0 ? known : [...known, ...new Set(news)];
}
