import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type EventSchema, SenderType } from "../../gen/aisle/v1/event_pb.js";
import { decimalPrice, demoCatalogue } from "./catalogue.js";
import { readTable } from "./tables.js";

const VISITOR_COLUMNS = ["id", "client_id", "fingerprint_id", "user_id", "email", "first_name", "last_name"] as const;
const VISIT_COLUMNS = [
  ...(["seconds", "visitor", "known", "action", "products"] as const),
  ...(["category", "search", "order_id", "subscribed"] as const),
];

/**
 * The events of `web/demo/visits.csv`, in order of time: some 2,000 visits of some 800 people in six weeks. A line's
 * `seconds` count from `until` (ms), when the last visit ends. `known` says whether the shop knew the user, the contact or
 * both; the people are in `visitors.csv`.
 */
export function demoEvents(until: number): MessageInitShape<typeof EventSchema>[] {
  const people = new Map(readTable("visitors.csv", VISITOR_COLUMNS).map(({ text }) => [text("id"), text]));
  return readTable("visits.csv", VISIT_COLUMNS).map(({ text, list }) => {
    const person = people.get(text("visitor"));
    if (person === undefined) throw new Error(`web/demo/visitors.csv has no visitor ${text("visitor")}`);
    const orderId = text("order_id");
    const lines = list("products").map((line) => lineOf(line));
    const cents = lines.reduce((sum, line) => sum + line.cents, 0);
    return {
      actionType: text("action"),
      senderType: SenderType.BROWSER,
      eventTime: timestampFromMs(until + Number(text("seconds")) * 1000),
      platform: "demo",
      visitor: {
        clientId: person("client_id"),
        fingerprintId: person("fingerprint_id"),
        userId: text("known").includes("user") ? person("user_id") : "",
      },
      ...(text("known").includes("contact") && {
        contact: {
          email: person("email"),
          firstName: person("first_name"),
          lastName: person("last_name"),
          ...(text("subscribed") !== "" && { emailSubscribed: text("subscribed") === "true" }),
        },
      }),
      products: lines.map(({ product }) => product),
      categories: (demoCatalogue().shelfById(text("category"))?.path ?? []).map(({ id, name }) => ({
        categoryId: id,
        name,
      })),
      searchQuery: text("search"),
      ...(orderId !== "" && {
        order:
          lines.length === 0
            ? { orderId, status: "cancelled" }
            : { orderId, status: "completed", payment: { amount: decimalPrice(cents), currency: "EUR" } },
      }),
    };
  });
}

/** A line of a cart or an order, and what it costs: `lark-2`, or `gas-230 3` for three. */
function lineOf(line: string) {
  const [id = "", quantity = 1] = line.split(" ");
  const article = demoCatalogue().articleById(id);
  if (article === undefined) throw new Error(`web/demo/visits.csv names ${id}, which the shop does not sell`);
  const { product, cents } = article;
  return {
    cents: cents * Number(quantity),
    product: {
      productId: id,
      sku: product.sku,
      title: product.title,
      quantity: Number(quantity),
      price: { amount: decimalPrice(cents), currency: "EUR" },
    },
  };
}
