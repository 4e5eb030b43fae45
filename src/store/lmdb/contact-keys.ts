import { keysOfContact } from "../../domain/address-keys.js";
import type { Contact } from "../../domain/contact.js";
import { mendingOf } from "../contact-keys.js";
import { appIdOf, FIRST, type Key, keyOf, LAST, unpart } from "./keys.js";
import type { Table } from "./table.js";
import type { Tables } from "./tables.js";

/** Within a write transaction: makes contacts and their index agree. Returns the number of changed entries and contacts. */
export function mendContactKeys({ contacts, contactKeys }: Pick<Tables, "contacts" | "contactKeys">): number {
  let changed = 0;
  const put = <T>(table: Table<T>, key: Key, value: T) => {
    table.putNow(key, table.encode(key, value));
    changed++;
  };
  for (const { key, value: contactId } of contactKeys.entries({ start: FIRST, end: LAST })) {
    const appId = appIdOf(key);
    const contactKey = keyOf(appId, contactId);
    const contact = contacts.get(contactKey);
    const own = unpart(key.slice(key.indexOf("\0") + 1));
    const mending = mendingOf(own, contact, (other) => contactKeys.get(keyOf(appId, other)) === contactId);
    if (mending === "remove") {
      contactKeys.removeNow(key);
      changed++;
    } else if (mending !== "none" && contact !== undefined) {
      put(contacts, contactKey, { ...contact, phone: mending.phone });
    }
  }
  contacts.each({ start: FIRST, end: LAST }, (key, contact: Contact) => {
    for (const own of keysOfContact(contact)) {
      const indexKey = keyOf(appIdOf(key), own);
      if (contactKeys.get(indexKey) === undefined) put(contactKeys, indexKey, contact.contactId);
    }
    return true;
  });
  return changed;
}
