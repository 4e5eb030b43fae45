/** Gives the orders and histories of parted visitors to whom each order and event names; see `part-placeholders.ts`. */
import { keysOfAddresses } from "../domain/address-keys.js";
import type { Event } from "../domain/event.js";
import { personId, type VisitorIds } from "../domain/ids.js";
import type { Interaction } from "../domain/interaction.js";
import { type Order, orderIdApart, sentOrderId } from "../domain/order.js";
import { FOREIGN, KEPT_APART, putIn, takeOut } from "../intake/order-book.js";
import type { Copies } from "../store/ports/copies.js";
import type { EventStore } from "../store/ports/event-store.js";
import type { Transaction, UnitOfWork } from "../store/ports/unit-of-work.js";
import type { VisitorStore } from "../store/ports/visitor-store.js";
import type { Admission } from "./links/link-limits.js";
import { historyRows, rowsOf } from "./privacy/scan.js";
import { joinVisitor, type VisitorStatement } from "./visitors.js";

export interface PartDependencies {
  readonly visitors: Pick<VisitorStore, "get" | "find">;
  readonly events: Pick<EventStore, "get">;
  readonly copies: Pick<Copies, "scan">;
  readonly unitOfWork: Pick<UnitOfWork, "run">;
  /** UUIDv7. */
  readonly newId: () => string;
}

/** Which event it was, when, and whether the shop sent it. */
export type EventOrigin = Pick<Event, "eventId" | "occurredAt" | "receivedAt" | "isShops">;

/** The shop's word where the event says so. Otherwise a public sender's, without limits: intake has counted its links. */
export function statementOf(tx: Transaction, event: EventOrigin): VisitorStatement {
  const { eventId, occurredAt, receivedAt, isShops } = event;
  const said = { at: occurredAt, by: eventId, recordedAt: receivedAt };
  if (isShops === true) return { ...said, admission: undefined };
  const none = Number.POSITIVE_INFINITY;
  const admission: Admission = {
    tx,
    limits: { perVisitor: none, perNetwork: none, perApp: none },
    sender: { network: "" },
    at: receivedAt,
    newSecret: () => "",
    isKnown: false,
  };
  return { ...said, admission };
}

/** Records that went to somebody, and to nobody. */
export interface GivenBack {
  readonly known: number;
  readonly unknown: number;
}

/** Orders whose events one scan of all events finds. */
const ORDERS_A_SCAN = 10_000;
/** Records of one transaction. */
const AT_ONCE = 100;

/** Orders in the histories `members`. */
export async function partOrders(
  deps: PartDependencies,
  appId: string,
  members: ReadonlySet<string>,
): Promise<GivenBack> {
  let given: GivenBack = { known: 0, unknown: 0 };
  let orders: Order[] = [];
  const give = async () => {
    const named = await readAddresses(deps, appId, orders);
    for (let at = 0; at < orders.length; at += AT_ONCE) {
      const some = orders.slice(at, at + AT_ONCE).map(({ orderId }) => ({ orderId, newVisitorId: deps.newId() }));
      const done = await deps.unitOfWork.run(appId, (tx) =>
        some.map(({ orderId, newVisitorId }) => giveOrder(tx, orderId, members, named, newVisitorId)),
      );
      given = plus(given, done);
    }
    orders = [];
  };
  for await (const rows of rowsOf(deps.copies, appId, "orders")) {
    orders.push(...rows.map(({ value }) => value).filter(({ visitorId }) => members.has(visitorId)));
    if (orders.length >= ORDERS_A_SCAN) await give();
  }
  if (orders.length > 0) await give();
  return given;
}

function plus({ known, unknown }: GivenBack, outcomes: readonly (boolean | undefined)[]): GivenBack {
  const count = (outcome: boolean) => outcomes.filter((one) => one === outcome).length;
  return { known: known + count(true), unknown: unknown + count(false) };
}

/** Keys of the addresses that the events of these orders name, by order id. */
async function readAddresses(
  { copies }: PartDependencies,
  appId: string,
  orders: readonly Order[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named = new Map(
    orders.filter((order) => order.contactId !== "").map(({ orderId }) => [orderId, new Set<string>()]),
  );
  if (named.size === 0) return named;
  for await (const rows of rowsOf(copies, appId, "events")) {
    for (const { value: event } of rows) {
      const keys = event.order === null ? undefined : named.get(event.order.orderId);
      if (keys === undefined || event.contact === null || event.notes.some(isWithoutEffect)) continue;
      for (const key of keysOfAddresses(event.contact)) keys.add(key);
    }
  }
  return named;
}

/** The event names an order of somebody else. */
function isWithoutEffect(note: string): boolean {
  return note === FOREIGN || note === KEPT_APART;
}

/** True when somebody has the order now, false when nobody, undefined when it was given back before. */
function giveOrder(
  tx: Transaction,
  orderId: string,
  members: ReadonlySet<string>,
  named: ReadonlyMap<string, ReadonlySet<string>>,
  newVisitorId: string,
): boolean | undefined {
  const before = tx.orders.get(orderId);
  if (before === undefined || !members.has(before.visitorId)) return undefined;
  const sentId = sentOrderId(before);
  const ids = personIds(before.visitor);
  // Its ids may come from copies of several senders.
  const { occurredAt, receivedAt } = before;
  const origin = { eventId: newVisitorId, occurredAt, receivedAt, isShops: false };
  const { visitor } = joinVisitor(tx, ids, newVisitorId, statementOf(tx, origin));
  // Its contact may be that of the joined visitor: the order's own event tells, or its own visitor.
  const keys = [...(named.get(orderId) ?? [])];
  const isNamed = keys.some((key) => tx.contactKeys.get(key) === before.contactId);
  const contactId = isNamed || visitor?.contactId === before.contactId ? before.contactId : "";
  const historyId = visitor?.visitorId ?? (contactId || `anonymous:order:${sentId}`);
  const apart = orderIdApart(sentId, historyId);
  const place = sentId === orderId || tx.orders.get(apart) !== undefined ? orderId : apart;
  const order: Order = { ...before, orderId: place, visitorId: historyId, visitor: ids, contactId };
  takeOut(tx, before);
  if (place !== orderId) tx.orders.delete(orderId);
  tx.orders.put(place, order);
  putIn(tx, order);
  tx.markChanged();
  return visitor !== undefined || contactId !== "";
}

function personIds({ clientId, fingerprintId, userId }: VisitorIds): VisitorIds {
  return { clientId: personId(clientId), fingerprintId: personId(fingerprintId), userId: personId(userId) };
}

/** Views and cart additions in the histories `members`, and rows of orders that are gone. */
export async function partHistory(
  { copies, events, unitOfWork, newId }: PartDependencies,
  appId: string,
  members: ReadonlySet<string>,
): Promise<GivenBack> {
  let given: GivenBack = { known: 0, unknown: 0 };
  for (const member of members) {
    for (;;) {
      const rows = (await historyRows(copies, appId, member)).slice(0, AT_ONCE);
      if (rows.length === 0) break;
      const seen = await Promise.all(
        rows.map(async ({ value }) => ({
          row: value,
          event: value.type === "order" ? undefined : await events.get(appId, value.ref),
          newVisitorId: newId(),
        })),
      );
      const done = await unitOfWork.run(appId, (tx) => seen.map((one) => giveRow(tx, member, one)));
      given = plus(given, done);
    }
  }
  return given;
}

/** True when somebody has the row now. */
function giveRow(
  tx: Transaction,
  member: string,
  {
    row,
    event,
    newVisitorId,
  }: { readonly row: Interaction; readonly event: Event | undefined; readonly newVisitorId: string },
): boolean {
  const visitor = event && joinVisitor(tx, event.visitor, newVisitorId, statementOf(tx, event)).visitor;
  const [key] = event?.contact ? keysOfAddresses(event.contact) : [];
  const owner = visitor?.visitorId ?? (key === undefined ? undefined : tx.contactKeys.get(key));
  tx.deleteInteraction(member, row.at, row.ref);
  tx.putInteraction(owner ?? `anonymous:${row.ref}`, row);
  tx.markChanged();
  return owner !== undefined;
}
