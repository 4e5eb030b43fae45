import type { Contact } from "../../domain/contact.js";
import { keyOf } from "../keys.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { Tables } from "./tables.js";

export function createContactStore({ contacts, contactKeys, changes }: Tables): ContactStore {
  const find = async (appId: string, contactKey: string): Promise<Contact | undefined> => {
    const contactId = await contactKeys.get(keyOf(appId, contactKey));
    return contactId === undefined ? undefined : contacts.get(keyOf(appId, contactId));
  };
  return {
    get: async (appId, contactId) =>
      (await contacts.get(keyOf(appId, contactId))) ?? (await find(appId, `i:${contactId}`)),

    find,

    list: async (appId, from, limit) => (await contacts.list(appId, from, limit)).map(({ value }) => value),

    changes: async (appId, contactId, from, limit) => {
      const of = contactId === "" ? {} : { app: appId, kind: changes.name, "v.contactId": contactId };
      return (await changes.list(appId, from, limit, of)).map((entry) => entry.value);
    },
  };
}
