import type { Contact } from "../../domain/contact.js";
import { keysOfContact, mendingOf } from "../contact-keys.js";
import { asked, type Connection, isDuplicate } from "./connection.js";
import { after, appIdOf, FIRST, type Key, keyOf, LAST, unpart } from "./keys.js";
import type { Entry, Table } from "./table.js";
import { openTables } from "./tables.js";

const AT_ONCE = 1000;

/**
 * Makes contacts and their index agree, while no server writes. Answers how many entries and contacts it changed. Each write
 * matches only what was read, so it may be run again at any point.
 */
export async function mendContactKeys(connection: Connection): Promise<number> {
  const { contacts, contactKeys } = openTables(connection);
  let changed = 0;
  for await (const rows of pages(contactKeys)) {
    const owners = await contacts.many([...new Set(rows.map(({ key, value }) => keyOf(appIdOf(key), value)))]);
    const plain = await contactKeys.many(rows.filter(({ key }) => ownKey(key).startsWith("p:+")).map(withoutPlus));
    for (const row of rows) {
      const contactKey = keyOf(appIdOf(row.key), row.value);
      const contact = owners.get(contactKey);
      const mending = mendingOf(ownKey(row.key), contact, () => plain.get(withoutPlus(row)) === row.value);
      if (mending === "remove") {
        const found = { _id: row.key, v: contactKeys.encode(row.value) };
        changed += (await asked(connection, () => contactKeys.collection.deleteOne(found))).deletedCount;
      } else if (mending !== "none" && contact !== undefined) {
        const found = { _id: contactKey, "v.phone": contact.phone };
        const update = { $set: { "v.phone": mending.phone } };
        changed += (await asked(connection, () => contacts.collection.updateOne(found, update))).modifiedCount;
      }
    }
  }
  for await (const rows of pages(contacts)) {
    const wanted = rows.flatMap((row) =>
      keysOfContact(row.value).map((own) => ({ row, key: keyOf(appIdOf(row.key), own) })),
    );
    const there = await contactKeys.many(wanted.map(({ key }) => key));
    for (const { row, key } of wanted)
      if (!there.has(key) && (await addEntry(connection, contactKeys, key, row))) changed++;
  }
  return changed;
}

/** With revision 0, so that every later commit replaces it. False when there is one by now. */
function addEntry(connection: Connection, table: Table<string>, key: Key, { value }: Entry<Contact>): Promise<boolean> {
  const entry = { _id: key, app: appIdOf(key), rev: 0, v: table.encode(value.contactId) };
  return asked(connection, async () => {
    try {
      await table.collection.replaceOne({ _id: key, gone: true }, entry, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  });
}

async function* pages<T>(table: Table<T>): AsyncGenerator<Entry<T>[]> {
  for (let start: Key = FIRST; ; ) {
    const rows = await table.entries({ start, end: LAST, limit: AT_ONCE });
    yield rows;
    const last = rows.at(-1);
    if (rows.length < AT_ONCE || last === undefined) return;
    start = after(last.key);
  }
}

function ownKey(key: Key): string {
  return unpart(key.slice(key.indexOf("\0") + 1));
}

function withoutPlus({ key }: Entry<string>): Key {
  return keyOf(appIdOf(key), ownKey(key).replace("p:+", "p:"));
}
