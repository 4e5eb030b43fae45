import { existsSync } from "node:fs";
import { join } from "node:path";
import { keysOfContact } from "../../domain/address-keys.js";
import type { Contact } from "../../domain/contact.js";
import { Unavailable } from "../../domain/errors.js";
import { openEnvironment } from "./environment.js";
import { appIdOf, FIRST, keyOf, LAST, unpart } from "./keys.js";
import type { Tables } from "./tables.js";

/** Repairs the index of contacts, in one transaction. Returns the number of changed records. */
export async function repairEmbedded(directory: string): Promise<number> {
  if (!existsSync(join(directory, "data.mdb"))) throw new Unavailable("The directory holds no store");
  const environment = await openEnvironment(directory, false, () => undefined);
  try {
    let changed = 0;
    await environment.transact(() => {
      changed = mendContactKeys(environment.tables);
    });
    return changed;
  } finally {
    await environment.close();
  }
}

/** Within a write transaction: makes contacts and their index agree. Returns the number of changed entries. */
export function mendContactKeys({ contacts, contactKeys }: Pick<Tables, "contacts" | "contactKeys">): number {
  let changed = 0;
  for (const { key, value: contactId } of contactKeys.entries({ start: FIRST, end: LAST })) {
    const own = unpart(key.slice(key.indexOf("\0") + 1));
    const contact = contacts.get(keyOf(appIdOf(key), contactId));
    if (contact !== undefined && keysOfContact(contact).includes(own)) continue;
    contactKeys.removeNow(key);
    changed++;
  }
  contacts.each({ start: FIRST, end: LAST }, (key, contact: Contact) => {
    for (const own of keysOfContact(contact)) {
      const indexKey = keyOf(appIdOf(key), own);
      if (contactKeys.get(indexKey) !== undefined) continue;
      contactKeys.putNow(indexKey, contactKeys.encode(indexKey, contact.contactId));
      changed++;
    }
    return true;
  });
  return changed;
}
