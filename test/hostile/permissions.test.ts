/** Each cell of the table "Who may do what" in docs/security.md: the test does what the row says as the column's caller. */
import { describe, expect, it } from "vitest";
import { sign } from "../../src/domain/signature.js";
import { LinkTrust } from "../../src/gen/aisle/v1/app_pb.js";
import { Availability } from "../../src/gen/aisle/v1/product_pb.js";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";
import { tableOfDocs } from "./docs-table.js";

type Aisle = Awaited<ReturnType<typeof openAisle>>;
type Form = Readonly<Record<string, string>>;

/** What a caller can do: post events, and ask. */
interface Caller {
  /** `key` is its idempotency key; of a signed message, its id. */
  post(form: Form, key?: string): Promise<{ readonly status: number; readonly body: string }>;
  /** The ids of its own browser; none for callers without one. */
  readonly ids: Form;
}

interface Shop extends Aisle {
  /** A caller that signs. */
  readonly signed: Caller;
}

/** The visitor of the shop whose things others try to change. */
const VISITOR: Form = { c_id: "c-ann", fp_ccid: "f-ann" };
const EMAIL = "ann@shop.example";

const COLUMNS: Readonly<Record<string, (shop: Shop) => Caller>> = {
  "anonymous browser": (shop) => unsigned(shop, "203.0.113.5", {}),
  "the visitor": (shop) => unsigned(shop, "198.51.100.7", VISITOR),
  "another visitor": (shop) => unsigned(shop, "203.0.113.6", { c_id: "c-eve", fp_ccid: "f-eve" }),
  "unsigned backend": (shop) => unsigned(shop, "203.0.113.7", {}, { sender_type: "server" }),
  "signed shop server": (shop) => shop.signed,
};

function unsigned({ trace }: Aisle, address: string, ids: Form, more: Form = {}): Caller {
  const post: Caller["post"] = (form, key = "") =>
    trace({ app_id: "shop", idempotency_key: key, ...ids, ...more, ...form }, address);
  return { ids, post };
}

const placeOrder = (shop: Shop) =>
  COLUMNS["the visitor"]!(shop).post({ action_type: "order", order_id: "1", product_ids: "p1" });

async function withFeed({ rpc }: Shop) {
  async function* products() {
    yield { appId: "shop", products: [{ productId: "p1", sku: "SKU-1", title: "Tent" }] };
  }
  await rpc.catalog.upsertProducts(products());
}

const productOf = ({ rpc }: Shop, productId: string) =>
  rpc.catalog.getProduct({ appId: "shop", product: { case: "productId", value: productId } }).then(
    ({ product }) => product,
    () => undefined,
  );

/** Each row's attempt: true when it had the effect that the row names. */
const ROWS: Readonly<Record<string, (caller: Caller, shop: Shop) => Promise<boolean>>> = {
  "store an event": async ({ post }, { rpc }) => {
    await post({ action_type: "homepage_view" });
    return (await rpc.events.listEvents({ appId: "shop" })).events.length === 1;
  },
  "place an order under a free number": async ({ post }, { store }) => {
    await post({ action_type: "order", order_id: "1", product_ids: "p1" });
    return (await store.orders.get("shop", "1")) !== undefined;
  },
  "add products to the visitor's order": async ({ post }, shop) => {
    await placeOrder(shop);
    await post({ action_type: "order", order_id: "1", product_ids: "p1|p9" });
    return (await shop.store.orders.get("shop", "1"))?.lines.length === 2;
  },
  "cancel the visitor's order": async ({ post }, shop) => {
    await placeOrder(shop);
    await post({ action_type: "order_cancel", order_id: "1" });
    return (await shop.store.orders.get("shop", "1"))?.cancelled === true;
  },
  "subscribe an address": async ({ post }, { rpc }) => {
    await post({ action_type: "subscribe", email: EMAIL });
    const { contact } = await rpc.subscriptions.getContact({ appId: "shop", contact: { case: "email", value: EMAIL } });
    return contact?.emailState === SubscriptionState.SUBSCRIBED;
  },
  "unsubscribe an address": async ({ post }, { rpc }) => {
    const emailState = SubscriptionState.SUBSCRIBED;
    await rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState });
    await post({ action_type: "subscribe", email: EMAIL, subscriber_status: "0" });
    const { contact } = await rpc.subscriptions.getContact({ appId: "shop", contact: { case: "email", value: EMAIL } });
    return contact?.emailState === SubscriptionState.UNSUBSCRIBED;
  },
  "link its own browser to an address": async ({ post, ids }, { rpc }) => {
    await post({ action_type: "homepage_view", email: EMAIL });
    if (ids.c_id === undefined) return false;
    return (await rpc.subscriptions.getStatus({ appId: "shop", visitor: { clientId: ids.c_id } })).identified;
  },
  "prove that an address is the visitor's": async ({ post }, { rpc, now }) => {
    await rpc.apps.updateApp({ app: { appId: "shop", linkTrust: LinkTrust.STRICT } });
    const emailState = SubscriptionState.SUBSCRIBED;
    await rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState });
    now.at += 1000; // over an unproven link a visitor is shown only what was said since
    await post({ action_type: "homepage_view", email: EMAIL, ...VISITOR });
    const visitor = { clientId: "c-ann" };
    return (await rpc.subscriptions.getStatus({ appId: "shop", visitor })).emailState === emailState;
  },
  "get the history of a `user_id`": async ({ post }, shop) => {
    await shop.signed.post({ action_type: "product_view", product_ids: "p1", user_id: "7", ...VISITOR });
    await post({ action_type: "homepage_view", user_id: "7", c_id: "c-new" });
    const found = await shop.store.visitors.find("shop", ["c:c-new", "f:f-ann"]);
    return found.length === 1;
  },
  "teach a product with one event": async ({ post }, shop) => {
    await post({ action_type: "product_view", product_ids: "new", product_titles: "Tent" });
    return (await productOf(shop, "new"))?.title === "Tent";
  },
  "change a learned product with one event": async ({ post }, shop) => {
    await shop.signed.post({ action_type: "product_view", product_ids: "new", product_titles: "Tent" });
    await post({ action_type: "product_view", product_ids: "new", product_titles: "Free money" });
    return (await productOf(shop, "new"))?.title === "Free money";
  },
  "change a product of a feed": async ({ post }, shop) => {
    await withFeed(shop);
    const said = { product_titles: "Free money", product_skus: "SKU-2", product_availability: "0" };
    await post({ action_type: "product_view", product_ids: "p1", ...said });
    const product = await productOf(shop, "p1");
    return product?.title !== "Tent" || product.sku !== "SKU-1" || product.availability === Availability.OUT_OF_STOCK;
  },
  "take the SKU of a product of a feed": async ({ post }, shop) => {
    await withFeed(shop);
    await post({ action_type: "product_view", product_ids: "mine", product_skus: "SKU-1" });
    const { product } = await shop.rpc.catalog.getProduct({ appId: "shop", product: { case: "sku", value: "SKU-1" } });
    return product?.productId !== "p1";
  },
  "use an idempotency key of the shop": async ({ post }, { rpc }) => {
    await post({ action_type: "homepage_view" }, "k1");
    const event = { actionType: "order", order: { orderId: "1" } };
    return rpc.events.recordEvent({ appId: "shop", event, idempotencyKey: "k1" }).then(
      () => false,
      () => true,
    );
  },
  "use up the shop's limit of 100 a second": async ({ post }, { signed }) => {
    await Promise.all(Array.from({ length: 101 }, () => post({ action_type: "other", sender_type: "server" })));
    return (await signed.post({ action_type: "order", order_id: "1", sender_type: "server" })).status === 429;
  },
  "read whether a visitor whose `fp_ccid` it knows is subscribed": async (_, { rpc, status }) => {
    const emailState = SubscriptionState.SUBSCRIBED;
    const visitor = { fingerprintId: "f-ann" };
    await rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, emailState, visitor });
    return (await status("shop", "f-ann")).status === true;
  },
  "read recommendations": async (_, shop) => {
    await withFeed(shop);
    const { recommended } = await shop.recommend({ appId: "shop", productInteractions: [] });
    return recommended.length === 1;
  },
  "read an address, an event or an order": async ({ post }, shop) => {
    await shop.signed.post({ action_type: "order", order_id: "order-of-ann", email: EMAIL, ...VISITOR });
    const answers = [
      (await post({ action_type: "order", order_id: "order-of-ann", email: EMAIL })).body,
      JSON.stringify(await shop.status("shop", "f-ann")),
      JSON.stringify(await shop.recommend({ appId: "shop", productInteractions: [], fpccid: "f-ann" })),
    ];
    return answers.some((answer) => answer.includes(EMAIL) || answer.includes("order-of-ann"));
  },
};

const table = tableOfDocs("Who may do what");

it("the permission table in docs/security.md has the rows and columns that are tested", () => {
  expect([...table.keys()]).toEqual(Object.keys(ROWS));
  for (const cells of table.values()) expect([...cells.keys()]).toEqual(Object.keys(COLUMNS));
});

const stores = await storeKinds();

describe.each(stores)("permissions: $name", ({ openStore }) => {
  async function openShop(): Promise<Shop> {
    const aisle = await openAisle(openStore);
    const { rpc, facade, now } = aisle;
    await rpc.apps.createApp({ app: { appId: "shop" } });
    const { secret } = await rpc.apps.createSigningSecret({ appId: "shop" });
    let sent = 0;
    const post = async (form: Form, key?: string) => {
      const body = new URLSearchParams({ app_id: "shop", ...form }).toString();
      const [id, timestamp] = [key ?? `message-${++sent}`, String(Math.floor(now() / 1000))];
      const answer = await facade.inject({
        method: "POST",
        url: "/trace",
        remoteAddress: "203.0.113.8",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-aisle-id": id,
          "x-aisle-timestamp": timestamp,
          "x-aisle-signature": sign(secret, { id, timestamp, body }),
        },
        payload: body,
      });
      return { status: answer.statusCode, body: answer.body };
    };
    return { ...aisle, signed: { ids: {}, post } };
  }

  const cells = Object.keys(ROWS).flatMap((row) => Object.keys(COLUMNS).map((column) => [column, row] as const));

  it.each(cells)("%s: %s", async (column, row) => {
    const shop = await openShop();
    const isDone = await ROWS[row]!(COLUMNS[column]!(shop), shop);
    expect(isDone ? "yes" : "no").toBe(table.get(row)?.get(column));
  });
});
