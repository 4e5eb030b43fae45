/**
 * Parts the visitors that a placeholder joined in an earlier version, such as all guests of a shop under the user id `0`.
 *
 * One transaction takes all ids away from such a visitor and makes visitors of them as today's rules do: ids that an event
 * names together stay together, and a visitor keeps the address that an event of its own named last. What remains is a visitor
 * that nobody can find, by its placeholder alone. Then its orders and history go to whom each order and event names. The last
 * transaction removes it. A run that was stopped finds it by its placeholder and goes on.
 *
 * Whatever no event tells goes to nobody. Each transaction reads anew what it changes, so servers may run meanwhile.
 */
import { keysOfAddresses } from "../domain/address-keys.js";
import type { Event } from "../domain/event.js";
import { isUserKey, namesNobody, type VisitorIds, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { newVisitor, type Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { type EventTimes, type PartDependencies, partHistory, partOrders, statementOf } from "./part-history.js";
import { keysOfNobody } from "./placeholders.js";
import { rowsOf } from "./privacy/scan.js";
import { joinVisitor, linkContact } from "./visitors.js";

/** What a run did. */
export interface Parted {
  /** Visitors that placeholders had joined. */
  readonly visitors: number;
  /** Keys of placeholders that were removed. */
  readonly keys: number;
  /** Contacts that no visitor is linked to any more. */
  readonly unlinked: number;
  /** Orders and events that went to whom they name. */
  readonly orders: number;
  readonly events: number;
  /** What no stored event tells, and belongs to nobody now. */
  readonly unknown: { readonly ids: number; readonly orders: number; readonly events: number };
  /** Statements on subscriptions that an event of one person made for another; the ledger keeps them, and they still count. */
  readonly statements: number;
}

/** Parts the visitors of an app. Repeating it changes nothing. */
export async function partPlaceholders(deps: PartDependencies, appId: string): Promise<Parted> {
  const nobody = await keysOfNobody(deps.copies, appId);
  if (nobody.size === 0) return NOTHING;
  const joined = await deps.visitors.get(appId, [...new Set(nobody.values())]);
  const sightings = await readSightings(deps, appId, joined);
  await partConfirmations(deps, appId, joined);
  let unlinked = 0;
  let ids = 0;
  for (const { visitorId } of joined) {
    const own = sightings.get(visitorId) ?? [];
    const done = await deps.unitOfWork.run(appId, (tx) => partIdentity(tx, visitorId, own));
    unlinked += done.unlinked;
    ids += done.unknown;
  }
  const members = new Set(joined.flatMap((visitor) => visitor.members));
  const orders = await partOrders(deps, appId, members);
  const events = await partHistory(deps, appId, members);
  for (const visitorId of new Set(nobody.values())) {
    await deps.unitOfWork.run(appId, (tx) => {
      tx.visitors.delete(visitorId);
      for (const [key, owner] of nobody) {
        if (owner !== visitorId) continue;
        tx.visitorKeys.delete(key);
        tx.frameExposures.delete(key);
      }
    });
  }
  return {
    visitors: joined.length,
    keys: nobody.size,
    unlinked,
    orders: orders.known,
    events: events.known,
    unknown: { ids, orders: orders.unknown, events: events.unknown },
    statements: await countStatements(deps, appId),
  };
}

const NOTHING: Parted = {
  visitors: 0,
  keys: 0,
  unlinked: 0,
  orders: 0,
  events: 0,
  unknown: { ids: 0, orders: 0, events: 0 },
  statements: 0,
};

/** The first event that names some ids of a visitor together, and the newest address that one of them has named. */
interface Sighting {
  readonly ids: VisitorIds;
  readonly event: EventTimes;
  /** Should a visitor be made. */
  readonly newVisitorId: string;
  link: { readonly key: string; readonly event: EventTimes } | undefined;
}

/** Sightings of each visitor, in the order of the events. Their number grows with the visitors' ids, which are few. */
async function readSightings(
  { copies, newId }: PartDependencies,
  appId: string,
  joined: readonly Visitor[],
): Promise<Map<string, Sighting[]>> {
  const owners = new Map<VisitorKey, string>();
  for (const { visitorId, keys } of joined) for (const key of keys) if (!namesNobody(key)) owners.set(key, visitorId);
  const known = new Map<string, Sighting>();
  const sightings = new Map<string, Sighting[]>();
  if (owners.size === 0) return sightings;
  for await (const rows of rowsOf(copies, appId, "events")) {
    for (const { value: event } of rows) {
      for (const owner of new Set(visitorKeys(event.visitor).map((key) => owners.get(key)))) {
        if (owner === undefined) continue;
        const ids = idsWithin(event.visitor, (key) => owners.get(key) === owner);
        const name = JSON.stringify(ids);
        const before = known.get(name);
        const sighting = before ?? { ids, event: timesOf(event), newVisitorId: newId(), link: undefined };
        if (before === undefined) {
          known.set(name, sighting);
          sightings.set(owner, [...(sightings.get(owner) ?? []), sighting]);
        }
        noteLink(sighting, event);
      }
    }
  }
  return sightings;
}

function idsWithin({ clientId, fingerprintId, userId }: VisitorIds, isIn: (key: VisitorKey) => boolean): VisitorIds {
  const own = (kind: string, id: string) => (isIn(`${kind}:${id}`) ? id : "");
  return { clientId: own("c", clientId), fingerprintId: own("f", fingerprintId), userId: own("u", userId) };
}

function timesOf({ eventId, occurredAt, receivedAt }: Event): EventTimes {
  return { eventId, occurredAt, receivedAt };
}

/** A user id can be guessed, so alone it names an address only in the shop's own events. */
function noteLink(sighting: Sighting, event: Event): void {
  const [key] = event.contact === null ? [] : keysOfAddresses(event.contact);
  if (key === undefined || (!event.isShops && visitorKeys(sighting.ids).every(isUserKey))) return;
  const before = sighting.link?.event;
  const isNewer =
    before === undefined ||
    event.occurredAt > before.occurredAt ||
    (event.occurredAt === before.occurredAt && event.eventId > before.eventId);
  if (isNewer) sighting.link = { key, event: timesOf(event) };
}

/** Makes visitors of the ids of a visitor, and leaves it its placeholders. */
function partIdentity(tx: Transaction, visitorId: string, sightings: readonly Sighting[]) {
  const before = tx.visitors.get(visitorId);
  const ids = before?.keys.filter((key) => !namesNobody(key)) ?? [];
  if (before === undefined || (ids.length === 0 && before.contactId === "")) return { unlinked: 0, unknown: 0 };
  for (const key of ids) if (tx.visitorKeys.get(key) === visitorId) tx.visitorKeys.delete(key);
  const left = { ...newVisitor(visitorId, before.createdAt), members: before.members };
  tx.visitors.put(visitorId, { ...left, keys: before.keys.filter(namesNobody) });
  const contact = before.contactId === "" ? undefined : tx.contacts.get(before.contactId);
  if (contact?.visitorIds.includes(visitorId))
    tx.contacts.put(contact.contactId, {
      ...contact,
      visitorIds: contact.visitorIds.filter((id) => id !== visitorId),
    });
  for (const { ids: named, event, newVisitorId } of sightings)
    joinVisitor(tx, named, newVisitorId, statementOf(tx, event));
  let isLinked = false;
  for (const sighting of sightings) isLinked = restoreLink(tx, sighting, before) || isLinked;
  const unknown = ids.filter((key) => tx.visitorKeys.get(key) === undefined).length;
  return { unlinked: before.contactId !== "" && !isLinked ? 1 : 0, unknown };
}

/** Links the visitor of a sighting to the address that it named. Returns true when that is the contact of `before`. */
function restoreLink(tx: Transaction, { ids, link }: Sighting, before: Visitor): boolean {
  const visitor = tx.visitors.get(tx.visitorKeys.get(visitorKeys(ids)[0] ?? "") ?? "");
  const contactId = link && tx.contactKeys.get(link.key);
  if (visitor === undefined || link === undefined || contactId === undefined) return false;
  const { visitor: linked } = linkContact(tx, visitor, contactId, statementOf(tx, link.event));
  const isProven = before.isProven && before.linkedBy === link.event.eventId && linked.linkedBy === before.linkedBy;
  if (isProven) tx.visitors.put(linked.visitorId, { ...linked, isProven });
  return linked.contactId === before.contactId;
}

/** A confirmation that waits is the visitor's whose event asked for it, and not another one's of the joined. */
async function partConfirmations(
  { copies, events, unitOfWork }: PartDependencies,
  appId: string,
  joined: readonly Visitor[],
): Promise<void> {
  const keys = new Set(joined.flatMap((visitor) => visitor.keys));
  for await (const rows of rowsOf(copies, appId, "confirmations")) {
    for (const { key, value } of rows) {
      if (!keys.has(value.visitorKey)) continue;
      const event = value.eventId === "" ? undefined : await events.get(appId, value.eventId);
      const own = event === undefined ? [] : visitorKeys(event.visitor);
      const visitorKey = own.includes(value.visitorKey) ? value.visitorKey : (own[0] ?? "");
      await unitOfWork.run(appId, (tx) => {
        const waiting = tx.confirmations.get(key);
        if (waiting?.visitorKey === value.visitorKey) tx.confirmations.put(key, { ...waiting, visitorKey });
      });
    }
  }
}

/** Entries of the ledger for whom the joined visitor was linked to, by events that name no address and are of another visitor. */
async function countStatements({ copies, events, visitors }: PartDependencies, appId: string): Promise<number> {
  let statements = 0;
  for await (const rows of rowsOf(copies, appId, "changes")) {
    const caused = rows.filter(({ value }) => value.eventId !== "" && value.contactId !== "");
    const causes = await Promise.all(caused.map(({ value }) => events.get(appId, value.eventId)));
    for (const [index, event] of causes.entries()) {
      if (event === undefined || !namesOnlyJoined(event)) continue;
      const linked = await visitors.find(appId, visitorKeys(event.visitor));
      if (!linked.some(({ contactId }) => contactId === caused[index]?.value.contactId)) statements++;
    }
  }
  return statements;
}

function namesOnlyJoined({ visitor: { clientId, fingerprintId, userId }, contact }: Event): boolean {
  const hasPlaceholder = [`c:${clientId}`, `f:${fingerprintId}`, `u:${userId}`].some(
    (key) => key.length > 2 && namesNobody(key),
  );
  return hasPlaceholder && (contact === null || keysOfAddresses(contact).length === 0);
}
