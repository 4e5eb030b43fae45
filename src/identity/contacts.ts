import { type Contact, type ContactProfile, UNKNOWN } from "../domain/contact.js";
import { emailKey, phoneKey, readEmail, readPhone } from "../parse/addresses.js";
import type { Transaction } from "../store/ports/unit-of-work.js";

/** A statement's data on a contact; "" where nothing was said. */
export interface ContactNames extends ContactProfile {
  readonly email: string;
  readonly phone: string;
}

export interface Found {
  /** Undefined when neither the e-mail nor the phone is usable. */
  readonly contact: Contact | undefined;
  readonly notes: readonly string[];
}

/**
 * Finds or makes the contact of an e-mail address and phone number, and updates its profile. The e-mail decides. A
 * phone number finds a contact when there is no e-mail, or is added to the e-mail's contact. Two contacts are never
 * merged. A number with a subscription state stays, for the state is the number's and not that of another one.
 *
 * @param newContactId Id for a new contact.
 */
export function takeContact(tx: Transaction, names: ContactNames, newContactId: string, at: number): Found {
  const email = emailKey(names.email);
  const phone = phoneKey(names.phone);
  if (email === "" && phone === "") return { contact: undefined, notes: [] };
  const notes: string[] = [];
  const byEmail = email === "" ? undefined : lookUp(tx, `e:${email}`);
  const byPhone = phone === "" ? undefined : lookUp(tx, `p:${phone}`);

  // A phone's contact without an e-mail gets this one; a contact with another e-mail is somebody else.
  const before = byEmail ?? (byPhone !== undefined && (email === "" || byPhone.email === "") ? byPhone : undefined);
  const contact = before ?? {
    contactId: newContactId,
    email: "",
    phone: "",
    firstName: "",
    lastName: "",
    country: "",
    city: "",
    gender: "",
    birthDate: "",
    tags: [],
    emailSubscription: UNKNOWN,
    smsSubscription: UNKNOWN,
    visitorIds: [],
    former: [],
    createdAt: at,
  };
  const phoneIsFree = byPhone === undefined || byPhone.contactId === contact.contactId;
  if (phone !== "" && !phoneIsFree)
    notes.push("the phone belongs to another contact and stays there; the e-mail decides");
  const known = phoneKey(contact.phone);
  const keepsPhone = known !== "" && known !== phone && contact.smsSubscription.status !== null;
  if (phone !== "" && phoneIsFree && keepsPhone)
    notes.push("the contact has another phone with a subscription state, and keeps it");
  const takesPhone = phone !== "" && phoneIsFree && !keepsPhone;
  const after: Contact = {
    ...contact,
    email: contact.email === "" && email !== "" ? readEmail(names.email) : contact.email,
    phone: takesPhone ? readPhone(names.phone) : contact.phone,
    firstName: names.firstName || contact.firstName,
    lastName: names.lastName || contact.lastName,
    country: names.country || contact.country,
    city: names.city || contact.city,
    gender: names.gender || contact.gender,
    birthDate: names.birthDate || contact.birthDate,
    tags: names.tags.length > 0 ? names.tags : contact.tags,
  };
  if (before === undefined || !sameTexts(before, after)) tx.contacts.put(after.contactId, after);
  if (email !== "" && byEmail === undefined) tx.contactKeys.put(`e:${email}`, after.contactId);
  if (takesPhone && byPhone === undefined) {
    if (known !== "" && known !== phone) tx.contactKeys.delete(`p:${known}`);
    tx.contactKeys.put(`p:${phone}`, after.contactId);
  }
  return { contact: after, notes };
}

/** Further numbers of a contact that its export and erasure find. Nobody has more; a crawler may name them. */
const MAX_NUMBERS = 16;

/** Ids of the contacts that hold further numbers of a contact; see `contactOfNumber`. */
export function numberIdsOf(contactId: string): string[] {
  return Array.from({ length: MAX_NUMBERS }, (_, n) => `${contactId}:sms${n + 1}`);
}

/** Whether a contact with one of these ids is still a number alone. It may have become somebody with an e-mail. */
export function isNumberAlone(contact: Contact | undefined): contact is Contact {
  return contact !== undefined && contact.email === "";
}

/**
 * The contact that a statement on SMS is about: that of the number, should the e-mail beside it be another one's. Should nobody have
 * the number, it becomes a contact of its own.
 *
 * @param contact Of the e-mail.
 * @param spareId Id for a contact beyond `MAX_NUMBERS`.
 */
export function contactOfNumber(
  tx: Transaction,
  contact: Contact,
  phone: string,
  spareId: string,
  at: number,
): Contact {
  const key = phoneKey(phone);
  if (key === "" || key === phoneKey(contact.phone)) return contact;
  const known = lookUp(tx, `p:${key}`);
  if (known !== undefined) return known;
  const newId = numberIdsOf(contact.contactId).find((id) => tx.contacts.get(id) === undefined) ?? spareId;
  return takeContact(tx, { ...NO_PROFILE, phone }, newId, at).contact ?? contact;
}

const NO_PROFILE: ContactNames = {
  ...{ email: "", phone: "", firstName: "", lastName: "", country: "", city: "", gender: "", birthDate: "" },
  tags: [],
};

function lookUp(tx: Transaction, key: string): Contact | undefined {
  const contactId = tx.contactKeys.get(key);
  return contactId === undefined ? undefined : tx.contacts.get(contactId);
}

function sameTexts(a: Contact, b: Contact): boolean {
  return (
    a.email === b.email &&
    a.phone === b.phone &&
    a.firstName === b.firstName &&
    a.lastName === b.lastName &&
    a.country === b.country &&
    a.city === b.city &&
    a.gender === b.gender &&
    a.birthDate === b.birthDate &&
    a.tags.length === b.tags.length &&
    a.tags.every((tag, index) => tag === b.tags[index])
  );
}
