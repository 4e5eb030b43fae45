import { keyOf } from "../keys.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { Tables } from "./tables.js";

export function createContactStore({ contacts, contactKeys, changes }: Tables): ContactStore {
  return {
    get: (appId, contactId) => contacts.get(keyOf(appId, contactId)),

    find: async (appId, contactKey) => {
      const contactId = await contactKeys.get(keyOf(appId, contactKey));
      return contactId === undefined ? undefined : contacts.get(keyOf(appId, contactId));
    },

    list: async (appId, from, limit) => (await contacts.list(appId, from, limit)).map(({ value }) => value),

    changes: async (appId, contactId, from, limit) => {
      const of = contactId === "" ? {} : { app: appId, kind: changes.name, "v.contactId": contactId };
      return (await changes.list(appId, from, limit, of)).map((entry) => entry.value);
    },
  };
}
