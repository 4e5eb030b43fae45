import { cleanId } from "../domain/ids.js";
import { type Visitor, type VisitorIds, visitorKeys } from "../domain/visitor.js";
import type { Transaction } from "../ports/unit-of-work.js";

/** More names than this are no person but a robot; further ones are not taken in. */
export const MAX_KEYS = 64;

export interface Joined {
  /** Undefined when there is no usable id. */
  readonly visitor: Visitor | undefined;
  /** Who the visitor is linked to is another contact than before the call, for at least one of the ids. */
  readonly contactChanged: boolean;
  readonly notes: readonly string[];
}

/**
 * Finds or makes the visitor these ids belong to. Client id and fingerprint id seen together are one visitor; where
 * two visitors turn out to be one, the older record takes the other's keys and histories, and the newer link to a
 * contact wins. A user id joins a visitor that has none yet, so that a shared device never joins two customers.
 *
 * @param newVisitorId Id of the visitor should one be made.
 */
export function joinVisitor(tx: Transaction, ids: VisitorIds, newVisitorId: string, at: number): Joined {
  const notes: string[] = [];
  const deviceKeys = visitorKeys({ ...ids, userId: "" });
  const userKey = cleanId(ids.userId) === "" ? "" : `u:${cleanId(ids.userId)}`;
  const keys = deviceKeys.length > 0 ? deviceKeys : userKey === "" ? [] : [userKey];
  if (keys.length === 0) return { visitor: undefined, contactChanged: false, notes };

  const found = findAll(tx, keys);
  let visitor = found.length === 0 ? undefined : found.reduce(absorb);
  if (userKey !== "" && deviceKeys.length > 0 && !visitor?.keys.some((key) => key.startsWith("u:"))) {
    keys.push(userKey);
    const user = findAll(tx, [userKey])[0];
    if (user !== undefined && user.visitorId !== visitor?.visitorId) {
      found.push(user);
      visitor = visitor === undefined ? user : absorb(visitor, user);
    }
  }
  visitor ??= { visitorId: newVisitorId, keys: [], members: [newVisitorId], contactId: "", linkedAt: 0, createdAt: at };
  const missing = keys.filter((key) => !visitor?.keys.includes(key));
  if (visitor.keys.length + missing.length > MAX_KEYS && found.length > 0) {
    notes.push(`the visitor has more than ${MAX_KEYS} ids; a further one was not joined`);
    return { visitor: found[0], contactChanged: false, notes };
  }
  if (missing.length > 0) visitor = { ...visitor, keys: [...visitor.keys, ...missing] };
  if (missing.length > 0 || found.length > 1) write(tx, visitor, found);
  const contactChanged = found.some((one) => one.contactId !== visitor?.contactId);
  return { visitor, contactChanged, notes };
}

/** Links a visitor to a contact unless it has a newer link. Returns the visitor as it is now. */
export function linkContact(tx: Transaction, visitor: Visitor, contactId: string, at: number): Visitor {
  if (visitor.contactId === contactId || at < visitor.linkedAt) return visitor;
  const linked = { ...visitor, contactId, linkedAt: at };
  tx.visitors.put(linked.visitorId, linked);
  return linked;
}

function findAll(tx: Transaction, keys: readonly string[]): Visitor[] {
  const found: Visitor[] = [];
  for (const key of keys) {
    const visitorId = tx.visitorKeys.get(key);
    if (visitorId === undefined || found.some((visitor) => visitor.visitorId === visitorId)) continue;
    const visitor = tx.visitors.get(visitorId);
    if (visitor !== undefined) found.push(visitor);
  }
  return found;
}

/** Both visitors as one, under the older's id. */
function absorb(a: Visitor, b: Visitor): Visitor {
  const aIsOlder = a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.visitorId <= b.visitorId);
  const [older, younger] = aIsOlder ? [a, b] : [b, a];
  const link =
    younger.contactId !== "" && (older.contactId === "" || younger.linkedAt > older.linkedAt) ? younger : older;
  return {
    visitorId: older.visitorId,
    keys: [...new Set([...older.keys, ...younger.keys])],
    members: [...new Set([...older.members, ...younger.members])],
    contactId: link.contactId,
    linkedAt: link.linkedAt,
    createdAt: older.createdAt,
  };
}

function write(tx: Transaction, visitor: Visitor, found: readonly Visitor[]): void {
  for (const one of found) if (one.visitorId !== visitor.visitorId) tx.visitors.delete(one.visitorId);
  tx.visitors.put(visitor.visitorId, visitor);
  for (const key of visitor.keys) {
    if (tx.visitorKeys.get(key) !== visitor.visitorId) tx.visitorKeys.put(key, visitor.visitorId);
  }
}
