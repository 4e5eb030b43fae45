import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import { DataDamaged } from "../../domain/errors.js";
import type { ContactStore } from "../ports/contact-store.js";
import type { Environment } from "./environment.js";
import { keyOf, keysOf, keysOwnedBy } from "./keys.js";

export function createContactStore({ tables }: Environment): ContactStore {
  const find = (appId: string, contactKey: string): Contact | undefined => {
    const contactId = tables.contactKeys.get(keyOf(appId, contactKey));
    return contactId === undefined ? undefined : tables.contacts.get(keyOf(appId, contactId));
  };
  return {
    get: async (appId, contactId) => tables.contacts.get(keyOf(appId, contactId)) ?? find(appId, `i:${contactId}`),

    find: async (appId, contactKey) => find(appId, contactKey),

    list: async (appId, from, limit) =>
      tables.contacts.entries({ ...keysOf(appId, from), limit }).map(({ value }) => value),

    changes: async (appId, contactId, from, limit) => {
      if (contactId === "") {
        return tables.changes.entries({ ...keysOf(appId, from), limit }).map((entry) => entry.value);
      }
      return tables.contactChanges
        .entries({ ...keysOwnedBy(appId, contactId, from), limit })
        .map((entry) => changeNamed(appId, entry.value));
    },
  };

  function changeNamed(appId: string, changeId: string): SubscriptionChange {
    const change = tables.changes.get(keyOf(appId, changeId));
    if (change === undefined) throw new DataDamaged("An entry of the consent ledger is missing");
    return change;
  }
}
