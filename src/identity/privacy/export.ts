import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Event } from "../../domain/event.js";
import type { FrameExposure } from "../../domain/frame-tally.js";
import type { Confirmation, HookEntry } from "../../domain/hook.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Order } from "../../domain/order.js";
import type { RejectedEvent } from "../../domain/rejected-event.js";
import type { Visitor } from "../../domain/visitor.js";
import type { ContactStore } from "../../store/ports/contact-store.js";
import type { Copies } from "../../store/ports/copies.js";
import type { VisitorStore } from "../../store/ports/visitor-store.js";
import { createMatcher } from "./matcher.js";
import { findPerson, joined, type PersonNames, withVisitor } from "./person.js";
import { awaitedBy, ofContacts } from "./remove-person.js";
import { historyRows, ROWS_AT_ONCE, rowsOf } from "./scan.js";

/** Reads of the store that find a person's records. */
export interface PersonStores {
  readonly visitors: VisitorStore;
  readonly contacts: ContactStore;
  readonly copies: Pick<Copies, "scan">;
}

/** One record about a person. */
export type PersonItem =
  | { readonly kind: "contacts"; readonly value: Contact }
  | { readonly kind: "changes"; readonly value: SubscriptionChange }
  | { readonly kind: "visitors"; readonly value: Visitor }
  | { readonly kind: "interactions"; readonly value: Interaction }
  | { readonly kind: "orders"; readonly value: Order }
  | { readonly kind: "events"; readonly value: Event }
  | { readonly kind: "rejectedEvents"; readonly value: RejectedEvent }
  | { readonly kind: "idempotency"; readonly value: string }
  | { readonly kind: "confirmations"; readonly value: Confirmation; readonly key: string }
  | { readonly kind: "outbox" | "deadHooks"; readonly value: HookEntry }
  | { readonly kind: "frameExposures"; readonly value: FrameExposure; readonly key: string };

export interface PersonPage {
  readonly items: readonly PersonItem[];
  readonly contactsKept: number;
  /** The table being read, and how many rows of it. */
  readonly step: string;
  readonly lookedAt: number;
}

/** Idempotency keys are kept for a day; older events have none. */
export const KEYED_MS = 26 * 3600_000;

/** Every record about a person, page by page; some pages are empty. Rejects as `findPerson` does. */
export async function* readPerson(
  { copies, ...stores }: PersonStores,
  appId: string,
  names: PersonNames,
  now: number,
): AsyncGenerator<PersonPage> {
  const found = await findPerson(stores, appId, names);
  const { contactsKept } = found;
  let { person } = found;
  const page = (step: string, items: readonly PersonItem[], lookedAt: number): PersonPage => {
    return { items, contactsKept, step, lookedAt };
  };
  yield page(
    "contacts",
    found.contacts.map((value) => ({ kind: "contacts", value })),
    found.contacts.length,
  );

  for (const { contactId } of found.contacts) {
    for (let after = ""; ; ) {
      const changes = await stores.contacts.changes(appId, contactId, after, ROWS_AT_ONCE);
      yield page(
        "changes",
        changes.map((value) => ({ kind: "changes", value })),
        changes.length,
      );
      if (changes.length < ROWS_AT_ONCE) break;
      after = changes.at(-1)?.changeId ?? "";
    }
  }

  const visitors = new Map(found.visitors.map((visitor) => [visitor.visitorId, visitor]));
  if (person.contactIds.length > 0) {
    for await (const rows of rowsOf(copies, appId, "visitors")) {
      const { visitor } = createMatcher(person);
      for (const { value } of rows) if (visitor(value)) visitors.set(value.visitorId, value);
      yield page("visitors", [], rows.length);
    }
  }
  for (const visitor of visitors.values()) person = withVisitor(person, visitor);
  yield page(
    "visitors",
    [...visitors.values()].map((value) => ({ kind: "visitors", value })),
    0,
  );

  for (const historyId of person.historyIds) {
    const prefix = `${historyId}\0`;
    let rows = await historyRows(copies, appId, historyId);
    while (rows.length > 0) {
      yield page(
        "interactions",
        rows.map(({ value }) => ({ kind: "interactions", value })),
        rows.length,
      );
      if (rows.length < ROWS_AT_ONCE) break;
      const more = await copies.scan(appId, "interactions", rows.at(-1)?.key ?? prefix, ROWS_AT_ONCE);
      rows = more.filter(({ key }) => key.startsWith(prefix));
    }
  }

  for await (const rows of rowsOf(copies, appId, "orders")) {
    const { order } = createMatcher(person);
    const theirs = rows.map(({ value }) => value).filter(order);
    const orderIds = theirs.map(({ orderId }) => orderId);
    person = { ...person, orderIds: joined(person.orderIds, orderIds) };
    yield page(
      "orders",
      theirs.map((value) => ({ kind: "orders", value })),
      rows.length,
    );
  }

  const eventIds = new Set<string>();
  const matcher = createMatcher(person);
  for await (const rows of rowsOf(copies, appId, "events")) {
    const theirs = rows.map(({ value }) => value).filter(matcher.event);
    for (const { eventId, receivedAt } of theirs) if (receivedAt > now - KEYED_MS) eventIds.add(eventId);
    yield page(
      "events",
      theirs.map((value) => ({ kind: "events", value })),
      rows.length,
    );
  }
  for await (const rows of rowsOf(copies, appId, "rejectedEvents")) {
    const theirs = rows.map(({ value }) => value).filter(matcher.rejectedEvent);
    yield page(
      "rejectedEvents",
      theirs.map((value) => ({ kind: "rejectedEvents", value })),
      rows.length,
    );
  }
  for await (const rows of rowsOf(copies, appId, "idempotency")) {
    const theirs = rows.filter(({ value }) => eventIds.has(value.eventId));
    yield page(
      "idempotency",
      theirs.map(({ key }) => ({ kind: "idempotency", value: key })),
      rows.length,
    );
  }

  for await (const rows of rowsOf(copies, appId, "confirmations")) {
    const theirs = awaitedBy(rows, { person });
    yield page(
      "confirmations",
      theirs.map(({ key, value }) => ({ kind: "confirmations", key, value })),
      rows.length,
    );
  }
  for (const kind of ["outbox", "deadHooks"] as const) {
    for await (const rows of rowsOf(copies, appId, kind)) {
      const theirs = ofContacts(rows, { person });
      yield page(
        kind,
        theirs.map(({ value }) => ({ kind, value })),
        rows.length,
      );
    }
  }

  const visitorKeys = new Set<string>(person.visitorKeys);
  for await (const rows of rowsOf(copies, appId, "frameExposures")) {
    const theirs = rows.filter(({ key }) => visitorKeys.has(key));
    yield page(
      "frameExposures",
      theirs.map(({ key, value }) => ({ kind: "frameExposures", key, value })),
      rows.length,
    );
  }
}
