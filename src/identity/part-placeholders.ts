/**
 * Parts the visitors that a placeholder joined in an earlier version, such as all guests of a shop under the user id `0`.
 *
 * One transaction takes all ids away from such a visitor. It makes visitors of them by the rules of intake (`visitors.ts`), from
 * the stored events: an event counts as the shop's word only if it says that the shop sent it. The visitor keeps only
 * its placeholder. Then its orders and history go to whom each order and event names. The last transaction removes it. A run
 * that was stopped finds it by its placeholder and goes on.
 *
 * Whatever no event tells goes to nobody. Each transaction reads anew what it changes, so servers may run meanwhile.
 */
import { keysOfAddresses } from "../domain/address-keys.js";
import type { Event } from "../domain/event.js";
import { isUserKey, namesNobody, type VisitorIds, type VisitorKey, visitorKeys } from "../domain/ids.js";
import { newVisitor, type Visitor } from "../domain/visitor.js";
import type { Transaction } from "../store/ports/unit-of-work.js";
import { type EventOrigin, type PartDependencies, partHistory, partOrders, statementOf } from "./part-history.js";
import { keysOfNobody } from "./placeholders.js";
import { rowsOf } from "./privacy/scan.js";
import { joinVisitor, linkContact, NOT_LINKED } from "./visitors.js";

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

/** Of an app without placeholders. */
export const NOTHING_PARTED: Parted = {
  visitors: 0,
  keys: 0,
  unlinked: 0,
  orders: 0,
  events: 0,
  unknown: { ids: 0, orders: 0, events: 0 },
  statements: 0,
};

/** Parts the visitors of an app. Repeating it changes nothing. */
export async function partPlaceholders(deps: PartDependencies, appId: string): Promise<Parted> {
  const nobody = await keysOfNobody(deps.copies, appId);
  if (nobody.size === 0) return NOTHING_PARTED;
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

/** The first event of the shop, or of others, that names some ids of a visitor together. */
interface Sighting {
  readonly ids: VisitorIds;
  readonly event: EventOrigin;
  /** Should a visitor be made. */
  readonly newVisitorId: string;
  /** The newest address that such an event has named. */
  link: { readonly key: string; readonly event: EventOrigin } | undefined;
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
        const name = JSON.stringify([ids, event.isShops === true]);
        const before = known.get(name);
        const sighting = before ?? { ids, event: originOf(event), newVisitorId: newId(), link: undefined };
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

function originOf({ eventId, occurredAt, receivedAt, isShops }: Event): EventOrigin {
  return { eventId, occurredAt, receivedAt, isShops };
}

const REFUSED: ReadonlySet<string> = new Set(Object.values(NOT_LINKED));

/** A user id can be guessed, so alone it names an address only in the shop's own events. */
function noteLink(sighting: Sighting, event: Event): void {
  const [key] = event.contact === null ? [] : keysOfAddresses(event.contact);
  const isGuess = event.isShops !== true && visitorKeys(sighting.ids).every(isUserKey);
  if (key === undefined || isGuess || event.notes.some((note) => REFUSED.has(note))) return;
  const before = sighting.link?.event;
  const isNewer =
    before === undefined ||
    event.occurredAt > before.occurredAt ||
    (event.occurredAt === before.occurredAt && event.eventId > before.eventId);
  if (isNewer) sighting.link = { key, event: originOf(event) };
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
  for (const sighting of sightings) restoreLink(tx, sighting);
  const isLinked = sightings.some(({ ids: named }) => ownerOf(tx, named)?.contactId === before.contactId);
  const unknown = ids.filter((key) => tx.visitorKeys.get(key) === undefined).length;
  return { unlinked: before.contactId !== "" && !isLinked ? 1 : 0, unknown };
}

/**
 * Links the visitor of a sighting to the address that it named. The earlier proof is dropped: the shop may have proven the link
 * for another browser than the one whose event made it.
 */
function restoreLink(tx: Transaction, { ids, link }: Sighting): void {
  const visitor = ownerOf(tx, ids);
  const contactId = link && tx.contactKeys.get(link.key);
  if (visitor === undefined || link === undefined || contactId === undefined) return;
  linkContact(tx, visitor, contactId, statementOf(tx, link.event));
}

function ownerOf(tx: Transaction, ids: VisitorIds): Visitor | undefined {
  return tx.visitors.get(tx.visitorKeys.get(visitorKeys(ids)[0] ?? "") ?? "");
}

/** Gives each waiting confirmation to the browser whose event asked for it, or to the user whom the shop's event names. */
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
      const visitorKey = own.find((id) => event?.isShops === true || !isUserKey(id)) ?? "";
      await unitOfWork.run(appId, (tx) => {
        const waiting = tx.confirmations.get(key);
        if (waiting?.visitorKey === value.visitorKey) tx.confirmations.put(key, { ...waiting, visitorKey });
      });
    }
  }
}

/**
 * Counts the entries of the ledger that a placeholder gave to the wrong contact. Their events name a placeholder and no address,
 * so the link of the joined visitor chose the contact. The event's own visitor is not linked to it.
 */
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
