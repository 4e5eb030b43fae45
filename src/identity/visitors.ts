import { keysOfAddresses } from "../domain/address-keys.js";
import { withVisitor } from "../domain/contact.js";
import type { Event } from "../domain/event.js";
import { isUserKey, personId, type VisitorIds, visitorKeys } from "../domain/ids.js";
import { newVisitor, type Visitor } from "../domain/visitor.js";
import type { Identify } from "../intake/effect.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { type Found, takeContact } from "./contacts.js";
import { statementTime } from "./ledger/statement-time.js";
import {
  type Admission,
  admitLink,
  dayOf,
  type LimitReached,
  type LinkLimits,
  linksOfDay,
  linkTag,
} from "./links/link-limits.js";
import type { Suppressions } from "./suppressions.js";

export interface IdentifyDependencies {
  /** Limits for public senders; the shop's own systems have none. */
  readonly limits: LinkLimits;
  /** Returns 32 random hex digits, new ones at each call. */
  readonly newSecret: () => string;
  readonly suppressions?: Pick<Suppressions, "find"> | undefined;
}

/** Notes on an event whose visitor was not linked to the address that it names. */
export const NOT_LINKED: Readonly<Record<LimitReached | "guess", string>> = {
  guess: "a user id alone makes no link; the visitor was not linked to this address",
  visitor: "the visitor was linked to too many addresses today; the visitor was not linked to this one",
  network: "the network was linked to too many addresses today; the visitor was not linked to this one",
  app: "the app was linked to too many addresses this hour; the visitor was not linked to this one",
};

/** Finds the visitor and the contact of an event, and links them when it has both. */
export function createIdentify({ limits, newSecret, suppressions }: IdentifyDependencies): Identify {
  return (tx, event, sender) => {
    const { occurredAt: at, eventId: by, receivedAt: recordedAt } = event;
    const taken = takeNamed(tx, event, suppressions);
    const isKnown = taken.contact !== undefined && taken.contact.contactId !== newContactId(event);
    const admission = sender && { tx, limits, sender, at: recordedAt, newSecret, isKnown };
    const saying = { at, by, recordedAt, admission };
    const joined = joinVisitor(tx, event.visitor, by, saying);
    const notes = [...joined.notes, ...taken.notes];
    let { visitor, contactChanged } = joined;
    let refused: Linked["refused"];
    // A user id can be guessed, so it makes no link by itself.
    const isGuess = sender !== undefined && event.visitor.clientId === "" && event.visitor.fingerprintId === "";
    if (isGuess && visitor !== undefined) {
      if (taken.contact !== undefined && taken.contact.contactId !== visitor.contactId) notes.push(NOT_LINKED.guess);
    } else if (visitor !== undefined && taken.contact !== undefined) {
      const linked = linkContact(tx, visitor, taken.contact.contactId, saying);
      contactChanged ||= linked.visitor.contactId !== visitor.contactId;
      visitor = linked.visitor;
      refused = linked.refused;
      if (linked.refused !== undefined) notes.push(NOT_LINKED[linked.refused]);
    }
    // Read again: the link has changed it, and effects write what they are given.
    const contactId = taken.contact?.contactId ?? visitor?.contactId ?? "";
    const contact = contactId === "" ? undefined : tx.contacts.get(contactId);
    return { visitor, contact, visitorChanged: contactChanged, refusedLink: refused, notes };
  };
}

/** The note of an event that waited while its person was erased. */
export const ERASED_NOTE = "the person of this address was erased while the event was under way; it names no contact";

/** Such an event makes no contact: the erasure has looked for contacts by then. */
function takeNamed(tx: Transaction, event: Event, suppressions: IdentifyDependencies["suppressions"]): Found {
  if (event.contact === null) return { contact: undefined, notes: [] };
  const isErased = (key: string) => {
    if (suppressions === undefined || tx.contactKeys.get(key) !== undefined) return false;
    const known = suppressions.find(tx, key);
    return known?.source === "erasure" && event.receivedAt <= known.suppressedAt;
  };
  if (keysOfAddresses(event.contact).some(isErased)) return { contact: undefined, notes: [ERASED_NOTE] };
  return takeContact(tx, event.contact, newContactId(event), event.receivedAt);
}

function newContactId({ eventId }: Event): string {
  return `contact:${eventId}`;
}

/** A visitor with more ids is a crawler; further ids are ignored. */
const MAX_KEYS = 64;

/** Time and sender of a statement about a visitor. */
export interface VisitorStatement {
  /** When it happened; decides between links, for equal times with `by`. */
  readonly at: number;
  /** Event or call id. */
  readonly by: string;
  /** When it was received. */
  readonly recordedAt: number;
  /** The public sender; undefined for the shop's own statement. */
  readonly admission: Admission | undefined;
}

export interface Joined {
  /** Undefined when there is no usable id. */
  readonly visitor: Visitor | undefined;
  /** True when at least one of the ids is now linked to another contact than before the call. */
  readonly contactChanged: boolean;
  readonly notes: readonly string[];
}

/**
 * Finds or makes the visitor these ids belong to. Client id and fingerprint id seen together are one visitor; where
 * two visitors turn out to be one, the older record takes the other's keys and histories, and the newer link to a
 * contact wins. A user id joins a visitor that has none yet, so that a shared device never joins two customers.
 *
 * Anybody can guess a user id, so only the shop's own word joins visitors by it. A public sender's device gets a user id
 * that no visitor has; the shop's word takes it away again from whom it does not name (`isUserProven`).
 *
 * @param newVisitorId Id of the visitor should one be made.
 */
export function joinVisitor(
  tx: Transaction,
  ids: VisitorIds,
  newVisitorId: string,
  statement: VisitorStatement,
): Joined {
  const notes: string[] = [];
  const deviceKeys = visitorKeys({ ...ids, userId: "" });
  const userId = personId(ids.userId);
  const userKey = userId === "" ? "" : `u:${userId}`;
  const keys = deviceKeys.length > 0 ? deviceKeys : userKey === "" ? [] : [userKey];
  if (keys.length === 0) return { visitor: undefined, contactChanged: false, notes };

  const isShop = statement.admission === undefined;
  // Once the shop has given a user id to somebody, nobody else's word for it alone counts.
  if (!isShop && deviceKeys.length === 0 && findAll(tx, keys).some((visitor) => visitor.isUserProven)) {
    notes.push("the shop has given the user id to a visitor; alone it counts in the shop's own events");
    return { visitor: undefined, contactChanged: false, notes };
  }
  if (isShop && userKey !== "") releaseUser(tx, userKey, deviceKeys);
  const found = findAll(tx, keys);
  let visitor = found.length === 0 ? undefined : found.reduce(absorb);
  const takesUser = userKey !== "" && !visitor?.keys.some(isUserKey);
  if (takesUser && deviceKeys.length > 0) {
    const user = findAll(tx, [userKey])[0];
    if (user !== undefined && !isShop) {
      notes.push("another visitor has the user id; only the shop's own word joins the two");
    } else {
      keys.push(userKey);
      if (user !== undefined) {
        found.push(user);
        visitor = visitor === undefined ? user : absorb(visitor, user);
      }
    }
  }
  visitor ??= newVisitor(newVisitorId, statement.recordedAt);
  const missing = keys.filter((key) => !visitor?.keys.includes(key));
  if (visitor.keys.length + missing.length > MAX_KEYS && found.length > 0) {
    notes.push(`the visitor has more than ${MAX_KEYS} ids; a further one was not joined`);
    return { visitor: found[0], contactChanged: false, notes };
  }
  const proves = isShop && userKey !== "" && !visitor.isUserProven && [...visitor.keys, ...missing].includes(userKey);
  if (missing.length > 0) visitor = { ...visitor, keys: [...visitor.keys, ...missing] };
  if (proves) visitor = { ...visitor, isUserProven: true };
  if (missing.length > 0 || found.length > 1 || proves) write(tx, visitor, found);
  // What frames showed under either key is one person's now.
  const gains = found.length > 1 || (found.length === 1 && missing.length > 0);
  const hasLists = () => keys.length > 1 && keys.some((key) => tx.frameExposures.get(key) !== undefined);
  if (gains || (missing.length > 0 && hasLists())) tx.dueResults.put(keys[0]!, "");
  const contactChanged = found.some((one) => one.contactId !== visitor?.contactId);
  return { visitor, contactChanged, notes };
}

/**
 * Before the shop's word for a user id counts: takes it from the device to which a public sender gave it, unless that is
 * the one the shop names. Where it is the visitor's only name, what anybody linked to it goes.
 */
function releaseUser(tx: Transaction, userKey: string, deviceKeys: readonly string[]): void {
  const [holder] = findAll(tx, [userKey]);
  if (holder === undefined || holder.isUserProven || holder.keys.some((key) => deviceKeys.includes(key))) return;
  const keys = holder.keys.filter((key) => key !== userKey);
  if (keys.length > 0) {
    tx.visitorKeys.delete(userKey);
    tx.visitors.put(holder.visitorId, { ...holder, keys });
  } else if (!holder.isProven) {
    const { contactId, linkedAt, linkedBy, linkedSince } = newVisitor("", 0);
    tx.visitors.put(holder.visitorId, { ...holder, contactId, linkedAt, linkedBy, linkedSince });
  }
}

export interface Linked {
  /** The visitor after the call. */
  readonly visitor: Visitor;
  /** The limit that prevented the link. */
  readonly refused: LimitReached | undefined;
}

/**
 * Links a visitor to a contact unless it has a newer link: the last link wins, by time and then by id. An unproven link
 * also needs a limit that is not reached. The shop's own statement proves an existing link.
 */
export function linkContact(tx: Transaction, visitor: Visitor, contactId: string, statement: VisitorStatement): Linked {
  const { by, recordedAt, admission } = statement;
  const at = statementTime(statement, visitor.linkedAt);
  const as = { linkedAt: at, linkedBy: by, linkedSince: recordedAt, isProven: admission === undefined };
  if (visitor.contactId === contactId) {
    remember(tx, visitor);
    if (visitor.isProven || admission !== undefined) return { visitor, refused: undefined };
    return put(tx, { ...visitor, isProven: true });
  }
  if (at < visitor.linkedAt || (at === visitor.linkedAt && by <= visitor.linkedBy))
    return { visitor, refused: undefined };
  if (admission === undefined) return put(tx, { ...visitor, ...as, contactId });
  const known = linksOfDay(visitor, recordedAt);
  const refused = admitLink(admission, known, contactId);
  if (refused !== undefined) return { visitor, refused };
  return put(tx, { ...withLink(visitor, known, contactId, recordedAt), ...as, contactId });
}

/** The contact knows its visitors, whose histories are its own. */
function remember(tx: Transaction, { visitorId, contactId }: Visitor): void {
  const contact = contactId === "" ? undefined : tx.contacts.get(contactId);
  if (contact === undefined) return;
  const after = withVisitor(contact, visitorId);
  if (after !== contact) tx.contacts.put(contactId, after);
}

function put(tx: Transaction, visitor: Visitor): Linked {
  tx.visitors.put(visitor.visitorId, visitor);
  remember(tx, visitor);
  return { visitor, refused: undefined };
}

function withLink(visitor: Visitor, known: readonly string[], addressId: string, at: number): Visitor {
  const tag = linkTag(addressId);
  return { ...visitor, linksDay: dayOf(at), links: known.includes(tag) ? known : [...known, tag] };
}

function findAll(tx: Transaction, keys: readonly string[]): Visitor[] {
  const found: Visitor[] = [];
  for (const key of keys) {
    if (found.some((visitor) => visitor.keys.includes(key))) continue; // its key leads to this visitor
    const visitorId = tx.visitorKeys.get(key);
    if (visitorId === undefined || found.some((visitor) => visitor.visitorId === visitorId)) continue;
    const visitor = tx.visitors.get(visitorId);
    if (visitor !== undefined && !isErased(tx, visitor)) found.push(visitor);
  }
  return found;
}

/**
 * Whether the visitor's contact was erased. Then the visitor and its history are that person's, and the erasure removes them.
 * A later event with the same ids makes a new visitor, which takes the keys.
 */
function isErased(tx: Transaction, { contactId }: Visitor): boolean {
  if (contactId === "") return false;
  return tx.contacts.get(contactId) === undefined && tx.contactKeys.get(`i:${contactId}`) === undefined;
}

/** Merges two visitors under the older one's id. */
function absorb(a: Visitor, b: Visitor): Visitor {
  const aIsOlder = a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.visitorId <= b.visitorId);
  const [older, younger] = aIsOlder ? [a, b] : [b, a];
  const link = younger.contactId !== "" && (older.contactId === "" || isNewer(younger, older)) ? younger : older;
  const linksDay = Math.max(a.linksDay, b.linksDay);
  const named = [a, b].filter((one) => one.keys.some(isUserKey));
  const links = [a, b].flatMap((one) => (one.linksDay === linksDay ? one.links : []));
  return {
    visitorId: older.visitorId,
    keys: [...new Set([...older.keys, ...younger.keys])],
    members: [...new Set([...older.members, ...younger.members])],
    contactId: link.contactId,
    linkedAt: link.linkedAt,
    linkedBy: link.linkedBy,
    linkedSince: link.linkedSince,
    isProven: link.isProven,
    isUserProven: named.length > 0 && named.every((one) => one.isUserProven),
    linksDay,
    links: [...new Set(links)],
    createdAt: older.createdAt,
  };
}

function isNewer(a: Visitor, b: Visitor): boolean {
  return a.linkedAt > b.linkedAt || (a.linkedAt === b.linkedAt && a.linkedBy > b.linkedBy);
}

function write(tx: Transaction, visitor: Visitor, found: readonly Visitor[]): void {
  for (const one of found) if (one.visitorId !== visitor.visitorId) tx.visitors.delete(one.visitorId);
  tx.visitors.put(visitor.visitorId, visitor);
  if (found.length > 1) remember(tx, visitor);
  for (const key of visitor.keys) {
    if (tx.visitorKeys.get(key) !== visitor.visitorId) tx.visitorKeys.put(key, visitor.visitorId);
  }
}
