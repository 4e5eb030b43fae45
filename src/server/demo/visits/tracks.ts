import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type EventSchema, SenderType } from "../../../gen/aisle/v1/event_pb.js";
import { type Article, decimalPrice, demoCatalogue } from "../catalogue.js";
import type { Visitor } from "./visitors.js";

export type EventInit = MessageInitShape<typeof EventSchema>;

/** The fields of an event besides time and visitor. */
interface Details {
  readonly contact?: ReturnType<typeof contactOf> & { readonly emailSubscribed?: boolean };
  readonly products?: ReturnType<typeof line>[];
  readonly categories?: ReturnType<typeof categoryPath>;
  readonly order?: { readonly orderId: string; readonly status: string; readonly payment?: ReturnType<typeof euro> };
  readonly searchQuery?: string;
}

/** An event with its time in milliseconds, for sorting. */
export interface Track {
  readonly at: number;
  readonly event: EventInit;
}

type Person = Pick<Visitor, "clientId" | "fingerprintId" | "userId" | "email" | "firstName" | "lastName">;

/** Writes down what one visitor does in one visit, as the shop's pages would send it. */
export interface Recorder {
  readonly tracks: readonly Track[];
  /** Time of the next event, ms. */
  now(): number;
  /** Lets time pass before the next event. */
  wait(ms: number): void;
  homepage(): void;
  category(categoryId: string): void;
  search(text: string): void;
  view(article: Article): void;
  addToCart(article: Article, quantity: number): void;
  order(orderId: string, lines: ReadonlyMap<Article, number>): void;
  cancel(orderId: string): void;
  subscribe(subscribed: boolean): void;
}

/** A recorder of a visit that begins at `startAt` (ms). A signed-in visitor's first event names the person. */
export function createRecorder(person: Person, startAt: number, signedIn: boolean): Recorder {
  const tracks: Track[] = [];
  let now = startAt;
  const visitor = {
    clientId: person.clientId,
    fingerprintId: person.fingerprintId,
    ...(signedIn ? { userId: person.userId } : {}),
  };
  const write = (actionType: string, more: Details = {}) => {
    const contact = more.contact ?? (signedIn && tracks.length === 0 ? contactOf(person) : undefined);
    const event: EventInit = {
      actionType,
      senderType: SenderType.BROWSER,
      eventTime: timestampFromMs(now),
      visitor,
      platform: "demo",
      ...more,
      ...(contact === undefined ? {} : { contact }),
    };
    tracks.push({ at: now, event });
  };
  return {
    tracks,
    now: () => now,
    wait: (ms) => {
      now += Math.round(ms);
    },
    homepage: () => write("homepage_view"),
    category: (categoryId) => write("category_view", { categories: categoryPath(categoryId) }),
    search: (text) => write("search_query", { searchQuery: text }),
    view: (article) => write("product_view", { products: [line(article, 1)] }),
    addToCart: (article, quantity) => write("add_to_cart", { products: [line(article, quantity)] }),
    order: (orderId, lines) => {
      const all = [...lines];
      const cents = all.reduce((sum, [article, quantity]) => sum + article.cents * quantity, 0);
      write("order", {
        contact: contactOf(person),
        products: all.map(([article, quantity]) => line(article, quantity)),
        order: { orderId, status: "completed", payment: euro(cents) },
      });
    },
    cancel: (orderId) => write("order_cancel", { contact: contactOf(person), order: { orderId, status: "cancelled" } }),
    subscribe: (subscribed) => write("subscribe", { contact: { ...contactOf(person), emailSubscribed: subscribed } }),
  };
}

function contactOf({ email, firstName, lastName }: Person) {
  return { email, firstName, lastName };
}

function line({ id, cents, product: { sku, title } }: Article, quantity: number) {
  return { productId: id, sku, title, quantity, price: euro(cents) };
}

function euro(cents: number) {
  return { amount: decimalPrice(cents), currency: "EUR" };
}

function categoryPath(categoryId: string) {
  return (demoCatalogue().shelfById(categoryId)?.path ?? []).map(({ id, name }) => ({ categoryId: id, name }));
}
