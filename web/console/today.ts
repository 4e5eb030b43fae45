/** What happened today in an app, and what its operator should do next. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Event } from "../../src/gen/aisle/v1/event_pb.js";

const DAY_MS = 86_400_000;
const OLD_MODEL_DAYS = 7;
const MOST_TOP = 5;

/** Events of today that no robot sent, of the newest that were read. */
export interface TodaysEvents {
  readonly total: number;
  readonly views: number;
  /** Orders by the earliest time of their copies; cancelled ones left out. */
  readonly orders: number;
  /** Products viewed most, with the number of views. */
  readonly top: readonly { readonly productId: string; readonly title: string; readonly views: number }[];
}

/** Midnight in UTC, where the days of results begin. */
export function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

export function todaysEvents(newest: readonly Event[], now: number): TodaysEvents {
  const since = startOfDay(now);
  // By when they happened: an import brings events of other days.
  const people = newest.filter(({ bot }) => !bot);
  const today = people.filter(({ eventTime }) => eventTime !== undefined && timestampMs(eventTime) >= since);
  const viewed = today.filter(({ actionType }) => actionType === "product_view");
  const views = new Map<string, { productId: string; title: string; views: number }>();
  for (const { productId, sku, title } of viewed.flatMap(({ products }) => products)) {
    const id = productId || sku;
    const before = views.get(id);
    views.set(id, { productId: id, title: title || (before?.title ?? ""), views: (before?.views ?? 0) + 1 });
  }
  return {
    total: today.length,
    views: viewed.length,
    orders: ordersSince(people, newest, since),
    top: [...views.values()].sort((a, b) => b.views - a.views).slice(0, MOST_TOP),
  };
}

/** A cancellation of somebody else's order has a note instead of an effect. */
const WITHOUT_EFFECT = "this event has no effect on it";

function ordersSince(people: readonly Event[], all: readonly Event[], since: number): number {
  const orderIdsOf = (events: readonly Event[]) => events.map(({ order }) => order?.orderId ?? "");
  const hasEffect = ({ notes }: Event) => !notes.some((note) => note.includes(WITHOUT_EFFECT));
  const cancelled = orderIdsOf(all.filter((event) => event.actionType === "order_cancel" && hasEffect(event)));
  const orders = people.filter(({ actionType, eventTime }) => actionType === "order" && eventTime !== undefined);
  const before = orders.filter(({ eventTime }) => timestampMs(eventTime!) < since);
  const left = new Set([...cancelled, ...orderIdsOf(before)]);
  return new Set(orderIdsOf(orders).filter((orderId) => !left.has(orderId))).size;
}

/** What is known of an app. Times are milliseconds since 1970; undefined for none. */
export interface Standing {
  readonly appId: string;
  readonly hasProducts: boolean;
  readonly lastEventAt: number | undefined;
  readonly modelMadeAt: number | undefined;
  readonly hasResults: boolean;
  readonly lastRejectedAt: number | undefined;
  /** Events of products that the catalogue does not know, among those that were looked at. */
  readonly unknownEvents: number;
}

/** The next step of a shop that is being set up; undefined when all is in place. */
export function nextStep({ appId, hasProducts, lastEventAt, modelMadeAt, hasResults }: Standing): string | undefined {
  if (!hasProducts) return `Import the catalogue: aisle import products FILE --app ${appId}`;
  if (lastEventAt === undefined) return "Put the helper into the shop's pages: the page Apps has the lines to copy.";
  if (modelMadeAt === undefined) return "Train the first model: the page Models has the button.";
  if (!hasResults) return "Show a frame in a page with Aisle.shop.render: its results appear here.";
  return undefined;
}

export function warnings({ lastEventAt, modelMadeAt, lastRejectedAt, unknownEvents }: Standing, now: number): string[] {
  const found: string[] = [];
  if (lastEventAt !== undefined && now - lastEventAt > DAY_MS)
    found.push(`No event came for ${days(now - lastEventAt)}: does the shop still send them?`);
  if (modelMadeAt !== undefined && now - modelMadeAt > OLD_MODEL_DAYS * DAY_MS)
    found.push(`The model is ${days(now - modelMadeAt)} old: train a new one, or let the server do so every night.`);
  if (lastRejectedAt !== undefined && now - lastRejectedAt < DAY_MS)
    found.push("Events were rejected within a day: the page Rejected events has the reasons.");
  if (unknownEvents > 0)
    found.push(
      `${unknownEvents.toLocaleString()} of the newest events name products that the catalogue does not know: aisle check shows them.`,
    );
  return found;
}

/** `1 day`, `9 days`. */
export function days(ms: number): string {
  const whole = Math.floor(ms / DAY_MS);
  return whole === 1 ? "1 day" : `${whole} days`;
}
