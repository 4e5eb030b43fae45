/**
 * What earlier versions stored wrongly about people: visitors that a placeholder joined, such as the user id `0` or `guest`, and
 * contacts whose address is unusable by today's rules. Aisle no longer takes such ids and addresses.
 */

import type { Contact } from "../domain/contact.js";
import { namesNobody, usualKeysOfNobody, type VisitorKey } from "../domain/ids.js";
import type { Visitor } from "../domain/visitor.js";
import { emailKey, phoneKey } from "../parse/addresses.js";
import type { Copies } from "../store/ports/copies.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import { historyBatches, rowsOf } from "./privacy/scan.js";

export interface PlaceholderStores {
  readonly visitors: Pick<VisitorStore, "find">;
  readonly copies: Pick<Copies, "scan">;
}

/** A visitor that a placeholder joined, and how much it holds. */
export interface JoinedVisitor {
  readonly visitorId: string;
  /** The placeholders. They are no personal data. */
  readonly words: readonly string[];
  /** Number of its other ids. */
  readonly ids: number;
  /** Contacts that it is or was linked to; without a look at every contact only the one it is linked to. */
  readonly contacts: number;
  /** Product views and cart additions in its history. */
  readonly events: number;
  readonly orders: number;
}

export interface ExaminedPeople {
  readonly joined: readonly JoinedVisitor[];
  /** Contacts with an unusable address; 0 without a look at every contact. */
  readonly unusable: number;
  /** The first of them. */
  readonly contactIds: readonly string[];
}

const NAMED_CONTACTS = 1000;

/**
 * Examines an app. `all` reads every id and every contact, some 10 µs each. Otherwise it only looks up usual spellings of
 * placeholders.
 */
export async function examinePeople(stores: PlaceholderStores, appId: string, all: boolean): Promise<ExaminedPeople> {
  const keys = all ? [...(await keysOfNobody(stores.copies, appId)).keys()] : usualKeysOfNobody();
  const visitors = await stores.visitors.find(appId, keys);
  const seen = all ? await readContacts(stores.copies, appId, visitors) : NOT_READ;
  const joined: JoinedVisitor[] = [];
  for (const visitor of visitors) {
    const linked = visitor.contactId === "" ? 0 : 1;
    const contacts = seen.linked.get(visitor.visitorId) ?? linked;
    joined.push({ ...described(visitor), contacts, ...(await countHistory(stores.copies, appId, visitor)) });
  }
  return { joined, unusable: seen.unusable, contactIds: seen.contactIds };
}

/** Every stored key of an id that names nobody, with the id of its visitor. */
export async function keysOfNobody(copies: Pick<Copies, "scan">, appId: string): Promise<Map<VisitorKey, string>> {
  const found = new Map<VisitorKey, string>();
  for await (const rows of rowsOf(copies, appId, "visitorKeys"))
    for (const { key, value } of rows) if (namesNobody(key)) found.set(key, value);
  return found;
}

const NOT_READ = { linked: new Map<string, number>(), unusable: 0, contactIds: [] };

async function readContacts(copies: Pick<Copies, "scan">, appId: string, visitors: readonly Visitor[]) {
  const linked = new Map(visitors.map(({ visitorId }) => [visitorId, 0]));
  const contactIds: string[] = [];
  let unusable = 0;
  for await (const rows of rowsOf(copies, appId, "contacts")) {
    for (const { value } of rows) {
      for (const { visitorId, contactId } of visitors)
        if (contactId === value.contactId || value.visitorIds.includes(visitorId))
          linked.set(visitorId, (linked.get(visitorId) ?? 0) + 1);
      if (!hasUnusableAddress(value)) continue;
      unusable++;
      if (contactIds.length < NAMED_CONTACTS) contactIds.push(value.contactId);
    }
  }
  return { linked, unusable, contactIds };
}

/** Whether nobody can find the contact by a stored address of it. */
function hasUnusableAddress({ email, phone }: Contact): boolean {
  return (email !== "" && emailKey(email) === "") || (phone !== "" && phoneKey(phone) === "");
}

function described({ visitorId, keys }: Visitor) {
  const words = keys.filter(namesNobody).map((key) => key.slice(2));
  return { visitorId, words: [...new Set(words)], ids: keys.filter((key) => !namesNobody(key)).length };
}

async function countHistory(copies: Pick<Copies, "scan">, appId: string, { members }: Visitor) {
  let events = 0;
  let orders = 0;
  for (const member of members) {
    for await (const rows of historyBatches(copies, appId, member)) {
      const ofOrders = rows.filter(({ value }) => value.type === "order").length;
      orders += ofOrders;
      events += rows.length - ofOrders;
    }
  }
  return { events, orders };
}
