import type { Contact, SubscriptionChange } from "../../domain/contact.js";
import type { Person } from "../../domain/erasure.js";
import type { Event } from "../../domain/event.js";
import type { FrameExposure } from "../../domain/frame-exposure.js";
import type { Confirmation, HookEntry } from "../../domain/hook.js";
import type { Interaction } from "../../domain/interaction.js";
import type { Order } from "../../domain/order.js";
import type { RejectedEvent } from "../../domain/rejected-event.js";
import type { Visitor } from "../../domain/visitor.js";
import type { ContactStore } from "../../store/ports/contact-store.js";
import type { Copies } from "../../store/ports/copies.js";
import type { VisitorStore } from "../../store/ports/visitor-store.js";
import { createMatcher, isEmailKey } from "./matcher.js";
import { findPerson, joined, type PersonNames, withVisitor } from "./person.js";
import { awaitedBy, ofContacts } from "./remove-person.js";
import { historyBatches, ROWS_AT_ONCE, rowsOf } from "./scan.js";

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
}

/** Idempotency keys are kept for a day; older events have none. */
export const KEYED_MS = 26 * 3600_000;

/** What each step of reading a person reads from. */
interface Reading {
  readonly appId: string;
  readonly copies: Pick<Copies, "scan">;
  readonly page: (items: readonly PersonItem[]) => PersonPage;
}

/** Every record about a person, page by page; some pages are empty. Rejects as `findPerson` does. */
export async function* readPerson(
  { copies, ...stores }: PersonStores,
  appId: string,
  names: PersonNames,
  now: number,
): AsyncGenerator<PersonPage> {
  const found = await findPerson(stores, appId, names);
  const { contactsKept, contacts } = found;
  const page: Reading["page"] = (items) => ({ items, contactsKept });
  const reading = { appId, copies, page };
  const contactItems = contacts.map((value) => ({ kind: "contacts", value }) as const);
  yield page(contactItems);
  yield* readChanges(reading, stores.contacts, contacts);
  const seen = yield* readVisitors(reading, found.person, found.visitors);
  yield* readHistories(reading, seen);
  const person = yield* readOrders(reading, seen);
  yield* readEvents(reading, person, now);
  yield* readMessages(reading, person);
  yield* readFrameExposures(reading, person);
}

async function* readChanges(
  { appId, page }: Reading,
  store: ContactStore,
  contacts: readonly Contact[],
): AsyncGenerator<PersonPage> {
  for (const { contactId } of contacts) {
    for (let after = ""; ; ) {
      const changes = await store.changes(appId, contactId, after, ROWS_AT_ONCE);
      const items = changes.map((value) => ({ kind: "changes", value }) as const);
      yield page(items);
      if (changes.length < ROWS_AT_ONCE) break;
      after = changes.at(-1)?.changeId ?? "";
    }
  }
}

/** Returns the person with the names of all its visitors. */
async function* readVisitors(
  { appId, copies, page }: Reading,
  person: Person,
  known: readonly Visitor[],
): AsyncGenerator<PersonPage, Person> {
  const visitors = new Map(known.map((visitor) => [visitor.visitorId, visitor]));
  if (person.contactIds.length > 0 || person.contactKeys.some(isEmailKey)) {
    for await (const rows of rowsOf(copies, appId, "visitors")) {
      const { visitor } = createMatcher(person);
      for (const { value } of rows) if (visitor(value)) visitors.set(value.visitorId, value);
      yield page([]);
    }
  }
  const all = [...visitors.values()];
  const items = all.map((value) => ({ kind: "visitors", value }) as const);
  yield page(items);
  return all.reduce(withVisitor, person);
}

async function* readHistories({ appId, copies, page }: Reading, person: Person): AsyncGenerator<PersonPage> {
  for (const historyId of person.historyIds) {
    for await (const rows of historyBatches(copies, appId, historyId)) {
      const items = rows.map(({ value }) => ({ kind: "interactions", value }) as const);
      yield page(items);
    }
  }
}

/** Returns the person with the ids of its orders. */
async function* readOrders({ appId, copies, page }: Reading, before: Person): AsyncGenerator<PersonPage, Person> {
  let person = before;
  for await (const rows of rowsOf(copies, appId, "orders")) {
    const theirs = rows.map(({ value }) => value).filter(createMatcher(person).order);
    const orderIds = theirs.map(({ orderId }) => orderId);
    person = { ...person, orderIds: joined(person.orderIds, orderIds) };
    const items = theirs.map((value) => ({ kind: "orders", value }) as const);
    yield page(items);
  }
  return person;
}

/** Events, rejected ones, and the idempotency keys that events may still have. */
async function* readEvents({ appId, copies, page }: Reading, person: Person, now: number): AsyncGenerator<PersonPage> {
  const matcher = createMatcher(person);
  const keyed = new Set<string>();
  for await (const rows of rowsOf(copies, appId, "events")) {
    const theirs = rows.map(({ value }) => value).filter(matcher.event);
    for (const { eventId, receivedAt } of theirs) if (receivedAt > now - KEYED_MS) keyed.add(eventId);
    const items = theirs.map((value) => ({ kind: "events", value }) as const);
    yield page(items);
  }
  for await (const rows of rowsOf(copies, appId, "rejectedEvents")) {
    const theirs = rows.map(({ value }) => value).filter(matcher.rejectedEvent);
    const items = theirs.map((value) => ({ kind: "rejectedEvents", value }) as const);
    yield page(items);
  }
  for await (const rows of rowsOf(copies, appId, "idempotency")) {
    const theirs = rows.filter(({ value }) => keyed.has(value.eventId));
    const items = theirs.map(({ key }) => ({ kind: "idempotency", value: key }) as const);
    yield page(items);
  }
}

/** Confirmations that wait for the person, and messages about it to the shop's hook. */
async function* readMessages({ appId, copies, page }: Reading, person: Person): AsyncGenerator<PersonPage> {
  for await (const rows of rowsOf(copies, appId, "confirmations")) {
    const items = awaitedBy(rows, { person }).map(({ key, value }) => ({ kind: "confirmations", key, value }) as const);
    yield page(items);
  }
  for (const kind of ["outbox", "deadHooks"] as const) {
    for await (const rows of rowsOf(copies, appId, kind)) {
      const items = ofContacts(rows, { person }).map(({ value }) => ({ kind, value }));
      yield page(items);
    }
  }
}

async function* readFrameExposures({ appId, copies, page }: Reading, person: Person): AsyncGenerator<PersonPage> {
  const visitorKeys = new Set<string>(person.visitorKeys);
  for await (const rows of rowsOf(copies, appId, "frameExposures")) {
    const theirs = rows.filter(({ key }) => visitorKeys.has(key));
    const items = theirs.map(({ key, value }) => ({ kind: "frameExposures", key, value }) as const);
    yield page(items);
  }
}
