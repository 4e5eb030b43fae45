/** Finds what a text may name: a visitor, a contact, a product, an order or an event. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Contact } from "../../src/gen/aisle/v1/contact_pb.js";
import type { Visitor } from "../../src/gen/aisle/v1/visitor_pb.js";
import { subjectOf } from "./event-words.js";
import { matches } from "./product-search.js";
import { priceText } from "./products.js";
import { hashOf, PAGES, type Page } from "./route.js";
import type { Clients } from "./rpc.js";
import { stateText } from "./subscription-words.js";

/** One thing that was found. */
export interface Hit {
  readonly title: string;
  readonly detail: string;
  /** The page that it leads to, by its name in the menu. */
  readonly place: string;
  readonly href: string;
}

export interface HitGroup {
  readonly name: "Visitors" | "Contacts" | "Products" | "Orders" | "Events";
  readonly hits: readonly Hit[];
}

export interface Finding {
  /** Those with hits. */
  readonly groups: readonly HitGroup[];
  /** Names of the groups that the token may not read. */
  readonly refused: readonly HitGroup["name"][];
}

/** Products of one answer, and of one read of the catalogue by a word. */
const PRODUCTS = 5;
const READ = 100;
/** Cosine similarity of texts below which a product has little to do with the words. */
const SIMILAR = 0.3;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PHONE = /^\+?[\d\s()/-]{5,24}$/;

/**
 * Each kind is asked for by a call of its own, so that the server refuses what the token may not read. Rejects when the
 * server does not answer.
 */
export async function find(clients: Clients, appId: string, typed: string, signal: AbortSignal): Promise<Finding> {
  const text = typed.trim();
  const refused: HitGroup["name"][] = [];
  const asked = async (names: readonly HitGroup["name"][], call: () => Promise<readonly HitGroup[]>) => {
    try {
      return await call();
    } catch (error) {
      const { code } = ConnectError.from(error);
      if (code === Code.PermissionDenied) refused.push(...names);
      else if (code !== Code.NotFound && code !== Code.InvalidArgument) throw error;
      return [];
    }
  };
  const search: Search = { clients, appId, text, signal };
  const found = await Promise.all([
    asked(["Visitors", "Contacts"], () => findPeople(search)),
    asked(["Products"], () => findProducts(search)),
    asked(["Orders"], () => findOrder(search)),
    asked(["Events"], () => findEvent(search)),
  ]);
  return { groups: found.flat().filter(({ hits }) => hits.length > 0), refused };
}

interface Search {
  readonly clients: Clients;
  readonly appId: string;
  readonly text: string;
  readonly signal: AbortSignal;
}

/** By any id of the visitor, or by address or id of the contact; each leads to the other. */
async function findPeople({ clients: { subscriptions }, appId, text, signal }: Search): Promise<HitGroup[]> {
  const contact = (contactOf: ContactName) =>
    known(subscriptions.getContact({ appId, contact: contactOf }, { signal }));
  const named = contactNamed(text);
  const [byName, byId] = await Promise.all([
    named && contact(named),
    text.includes("@")
      ? undefined
      : known(
          subscriptions.getVisitor(
            { appId, visitor: { clientId: text, fingerprintId: text, userId: text } },
            { signal },
          ),
        ),
  ]);
  const visitor = byId?.visitor;
  const linked =
    visitor !== undefined && visitor.contactId !== ""
      ? await contact({ case: "contactId", value: visitor.contactId })
      : undefined;
  const visitors = [...(visitor === undefined ? [] : [visitor]), ...[...(byName?.visitors ?? [])].reverse()];
  const contacts = [byName?.contact, linked?.contact].filter((one) => one !== undefined);
  const distinct = <T>(list: readonly T[], id: (one: T) => string) => [
    ...new Map(list.map((one) => [id(one), one])).values(),
  ];
  return [
    { name: "Visitors", hits: distinct(visitors, (one) => one.visitorId).map((one) => visitorHit(appId, one)) },
    { name: "Contacts", hits: distinct(contacts, (one) => one.contactId).map((one) => contactHit(appId, one)) },
  ];
}

type ContactName = { readonly case: "email" | "phone" | "contactId"; readonly value: string };

function contactNamed(text: string): ContactName | undefined {
  if (text.includes("@")) return { case: "email", value: text };
  if (text.startsWith("contact:")) return { case: "contactId", value: text };
  return PHONE.test(text) ? { case: "phone", value: text } : undefined;
}

/** Undefined when there is no such thing, or its name is none. */
async function known<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const { code } = ConnectError.from(error);
    if (code === Code.NotFound || code === Code.InvalidArgument) return undefined;
    throw error;
  }
}

/** Those with a word that begins so first, then similar ones. */
async function findProducts({ clients, appId, text, signal }: Search): Promise<HitGroup[]> {
  if (text.includes("@") || UUID.test(text)) return [];
  const [textPrefix = ""] = text.split(/\s+/);
  const [listed, similar] = await Promise.all([
    known(clients.catalog.listProducts({ appId, textPrefix, pageSize: READ }, { signal })),
    known(
      clients.recommendations.findProducts(
        { appId, text, productCount: PRODUCTS, includeUnavailable: true },
        { signal },
      ),
    ),
  ]);
  const hits = new Map<string, Hit>();
  const add = (productId: string, title: string, detail: string) => {
    if (hits.size < PRODUCTS && !hits.has(productId))
      hits.set(productId, { title: title || productId, detail, ...leadingTo(appId, "products", { q: productId }) });
  };
  const isExact = (id: string) => (id === text ? 0 : 1);
  const named = (listed?.products ?? []).filter((product) => matches(product, text));
  for (const { productId, title, price } of named.sort((a, b) => isExact(a.productId) - isExact(b.productId)))
    add(productId, title, [productId, priceText(price)].filter((part) => part !== "").join(" · "));
  for (const { product, similarity } of similar?.products ?? [])
    if (product !== undefined && similarity >= SIMILAR) add(product.productId, product.title, product.productId);
  return [{ name: "Products", hits: [...hits.values()] }];
}

async function findOrder({ clients, appId, text, signal }: Search): Promise<HitGroup[]> {
  const { order } = await clients.events.getOrder({ appId, orderId: text }, { signal });
  if (order === undefined) return [];
  const { orderId, lines, payment, status, cancelled } = order;
  const detail = [
    lines.length === 1 ? "1 product" : `${lines.length} products`,
    priceText(payment),
    cancelled ? "cancelled" : status,
  ];
  const hit = {
    title: `Order ${orderId}`,
    detail: detail.filter((part) => part !== "").join(" · "),
    ...leadingTo(appId, "events", { order: orderId }),
  };
  return [{ name: "Orders", hits: [hit] }];
}

async function findEvent({ clients, appId, text, signal }: Search): Promise<HitGroup[]> {
  if (!UUID.test(text)) return [];
  const { event } = await clients.events.getEvent({ appId, eventId: text.toLowerCase() }, { signal });
  if (event === undefined) return [];
  const hit = {
    title: event.actionType,
    detail: subjectOf(event),
    ...leadingTo(appId, "events", { event: event.eventId }),
  };
  return [{ name: "Events", hits: [hit] }];
}

/** An id of the visitor by which events can be listed. */
export function idOf({ fingerprintIds, clientIds, userIds, visitorId }: Visitor): string {
  return fingerprintIds[0] ?? clientIds[0] ?? userIds[0] ?? visitorId;
}

function visitorHit(appId: string, visitor: Visitor): Hit {
  const { userIds, contactId } = visitor;
  const detail = [
    userIds.length > 0 ? `customer ${userIds.join(", ")}` : "",
    contactId === "" ? "no known contact" : "a known contact",
  ];
  return {
    title: idOf(visitor),
    detail: detail.filter((part) => part !== "").join(" · "),
    ...leadingTo(appId, "events", { visitor: idOf(visitor) }),
  };
}

function contactHit(appId: string, { contactId, email, phone, firstName, lastName, emailState }: Contact): Hit {
  const name = `${firstName} ${lastName}`.trim();
  return {
    title: email || phone,
    detail: [name, `e-mail ${stateText(emailState)}`].filter((part) => part !== "").join(" · "),
    ...leadingTo(appId, "subscriptions", { contact: contactId }),
  };
}

function leadingTo(appId: string, page: Page, details: Readonly<Record<string, string>>): Pick<Hit, "place" | "href"> {
  return { place: PAGES[page], href: hashOf({ appId, page, details }) };
}
