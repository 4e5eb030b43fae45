import { keysOfContact } from "../../domain/address-keys.js";
import type { Contact } from "../../domain/contact.js";
import { mendingOf } from "../contact-keys.js";
import { FIRST, type Key, keyOf, unpart } from "../keys.js";
import { asked, type Connection, isDuplicate } from "./connection.js";
import { scanEntries } from "./scan.js";
import type { Entry } from "./table.js";
import { openTables, type Tables } from "./tables.js";

/**
 * Makes contacts and their index agree, while no server writes. Returns the number of changed entries and contacts. Each write
 * matches only the value that was read, so it may run again at any point.
 */
export async function mendContactKeys(connection: Connection): Promise<number> {
  const tables = openTables(connection);
  let changed = 0;
  for (const { value: app } of await tables.apps.entriesAcross(FIRST, Number.MAX_SAFE_INTEGER)) {
    changed += await mendEntries(connection, tables, app.appId);
    changed += await addEntries(connection, tables, app.appId);
  }
  return changed;
}

/** Removes or corrects entries that lead to no contact with their key. */
async function mendEntries(
  connection: Connection,
  { contacts, contactKeys }: Pick<Tables, "contacts" | "contactKeys">,
  appId: string,
): Promise<number> {
  const withoutPlus = ({ key }: Entry<string>) => keyOf(appId, ownKey(key).replace("p:+", "p:"));
  let changed = 0;
  for await (const rows of scanEntries(contactKeys, appId)) {
    const owners = await contacts.many([...new Set(rows.map(({ value }) => keyOf(appId, value)))]);
    const plain = await contactKeys.many(rows.filter(({ key }) => ownKey(key).startsWith("p:+")).map(withoutPlus));
    for (const row of rows) {
      const contactKey = keyOf(appId, row.value);
      const contact = owners.get(contactKey);
      const mending = mendingOf(ownKey(row.key), contact, () => plain.get(withoutPlus(row)) === row.value);
      if (mending === "remove") {
        const found = { _id: contactKeys.idOf(row.key), v: contactKeys.encode(row.value) };
        changed += (await asked(connection, () => contactKeys.collection.deleteOne(found))).deletedCount;
      } else if (mending !== "none" && contact !== undefined) {
        const found = { _id: contacts.idOf(contactKey), "v.phone": contact.phone };
        const update = { $set: { "v.phone": mending.phone } };
        changed += (await asked(connection, () => contacts.collection.updateOne(found, update))).modifiedCount;
      }
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
