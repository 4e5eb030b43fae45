/**
 * Repairs the index of contacts by address. Before format 6, a form could turn the `+` of a phone into a space. The index
 * then had the `+` and the contact did not, so erasing the contact left its index entry behind.
 */
import { keysOfContact } from "../domain/address-keys.js";
import type { Contact } from "../domain/contact.js";
import { phoneKey } from "../parse/addresses.js";

/** Makes an entry and its contact agree: no change, remove the entry, or correct the contact's phone. */
export type Mending = "none" | "remove" | { readonly phone: string };

/**
 * @param key `e:…`, `p:…` or `i:…`.
 * @param contact The entry's contact; undefined when it does not exist.
 * @param leadsToIt Whether another key's entry leads to the same contact.
 */
export function mendingOf(key: string, contact: Contact | undefined, leadsToIt: (key: string) => boolean): Mending {
  if (contact === undefined) return "remove";
  if (keysOfContact(contact).includes(key)) return "none";
  const phone = phoneKey(contact.phone);
  const lostPlus = phone !== "" && key === `p:+${phone}` && !leadsToIt(`p:${phone}`);
  return lostPlus ? { phone: `+${contact.phone.trim()}` } : "remove";
}
