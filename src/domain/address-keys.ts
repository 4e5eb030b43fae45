/** Keys under which a store finds contacts by their addresses. */
import { emailKey, MAX_EMAIL, phoneKey } from "../parse/addresses.js";
import type { Contact } from "./contact.js";

/** Index keys of the addresses: `e:<email key>`, `p:<phone key>`. */
export function keysOfAddresses({ email, phone }: Pick<Contact, "email" | "phone">): string[] {
  const [byEmail, byPhone] = [emailKey(email), phoneKey(phone)];
  return [byEmail && `e:${byEmail}`, byPhone && `p:${byPhone}`].filter((key) => key !== "");
}

const EARLIER_EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)+$/;

/** The index key of an address of either kind; "" for any other text. */
export function keyOfAddress(text: string): string {
  const [key = ""] = keysOfAddresses(text.includes("@") ? { email: text, phone: "" } : { email: "", phone: text });
  return key;
}

/** A contact's index keys: of its addresses, and `i:<id>` of each contact that turned out to be this one. */
export function keysOfContact(contact: Pick<Contact, "email" | "phone" | "former">): string[] {
  return [...keysOfAddresses(contact), ...contact.former.map(({ contactId }) => `i:${contactId}`)];
}

/** The key that versions up to format 9 gave an e-mail address. Links in mails of then are signed with it. */
export function earlierEmailKey(text: string): string {
  const key = text.trim().normalize("NFC").toLowerCase();
  return key.length <= MAX_EMAIL && EARLIER_EMAIL.test(key) && !/\p{Cc}/u.test(key) ? key : "";
}

/** The key that versions up to format 9 gave a phone number. */
export function earlierPhoneKey(text: string): string {
  const phone = /^ \d/.test(text) ? `+${text.slice(1).trimEnd()}` : text.trim();
  if (!/^\+?[\d\s()./-]+$/.test(phone)) return "";
  const digits = phone.replace(/\D/g, "");
  if (digits.length < 5 || digits.length > 20) return "";
  return phone.startsWith("+") ? `+${digits}` : digits;
}
