import { keysOfContact } from "../../domain/address-keys.js";
import type { Contact } from "../../domain/contact.js";
import { Unavailable } from "../../domain/errors.js";
import { FIRST, type Key, keyOf, unpart } from "../keys.js";
import { asked, type Connection, connect, isDuplicate } from "./connection.js";
import { FORMAT_NUMBER, formatOf } from "./format.js";
import { scanEntries } from "./scan.js";
import { openTables, type Tables } from "./tables.js";

/** Sets the index of contacts right. Answers how many records it changed. */
export async function repairMongo(url: string, answerMs: number): Promise<number> {
  const { connection } = await connect(url, answerMs, () => undefined);
  try {
    if ((await formatOf(connection)) !== FORMAT_NUMBER)
      throw new Unavailable("The database holds no store of this version of Aisle; a server that starts upgrades it");
    return await mendContactKeys(connection);
  } finally {
    await connection.client.close();
  }
}

/**
 * Makes contacts and their index agree, while no server writes. Returns the number of changed entries. Each write
 * matches only the value that was read, so it may run again at any point.
 */
async function mendContactKeys(connection: Connection): Promise<number> {
  const tables = openTables(connection);
  let changed = 0;
  for (const { value: app } of await tables.apps.entriesAcross(FIRST, Number.MAX_SAFE_INTEGER)) {
    changed += await removeEntries(connection, tables, app.appId);
    changed += await addEntries(connection, tables, app.appId);
  }
  return changed;
}

/** Removes entries that lead to no contact with their key. */
async function removeEntries(
  connection: Connection,
  { contacts, contactKeys }: Pick<Tables, "contacts" | "contactKeys">,
  appId: string,
): Promise<number> {
  let changed = 0;
  for await (const rows of scanEntries(contactKeys, appId)) {
    const owners = await contacts.many([...new Set(rows.map(({ value }) => keyOf(appId, value)))]);
    for (const { key, value } of rows) {
      const contact = owners.get(keyOf(appId, value));
      if (contact !== undefined && keysOfContact(contact).includes(ownKey(key))) continue;
      const found = { _id: contactKeys.idOf(key), v: contactKeys.encode(value) };
      changed += (await asked(connection, () => contactKeys.collection.deleteOne(found))).deletedCount;
    }
  }
  return changed;
}

/** Adds the missing entries of contacts. */
async function addEntries(
  connection: Connection,
  { contacts, contactKeys }: Pick<Tables, "contacts" | "contactKeys">,
  appId: string,
): Promise<number> {
  let changed = 0;
  for await (const rows of scanEntries<Contact>(contacts, appId)) {
    const wanted = rows.flatMap(({ value }) =>
      keysOfContact(value).map((own) => ({ key: keyOf(appId, own), contactId: value.contactId })),
    );
    const there = await contactKeys.many(wanted.map(({ key }) => key));
    for (const { key, contactId } of wanted) {
      if (there.has(key)) continue;
      const entry = contactKeys.documentOf(key, appId, contactKeys.encode(contactId));
      changed += await asked(connection, async () => {
        try {
          await contactKeys.collection.insertOne(entry);
          return 1;
        } catch (error) {
          if (isDuplicate(error)) return 0;
          throw error;
        }
      });
    }
  }
  return changed;
}

function ownKey(key: Key): string {
  return unpart(key.slice(key.indexOf("\0") + 1));
}
