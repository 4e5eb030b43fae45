/** Each cell of the table of orders in docs/security.md: the caller of the column completes and cancels the order of the row. */
import { describe, expect, it } from "vitest";
import { openAisle } from "../fixtures/aisle.js";
import { storeKinds } from "../fixtures/stores.js";
import { tableOfDocs } from "./docs-table.js";

type Aisle = Awaited<ReturnType<typeof openAisle>>;
type Form = Readonly<Record<string, string>>;
/** The ids that a sender names, and its address. */
type Sender = readonly [names: Form, address: string];

const SHOP = "192.0.2.10";
const SERVER = "198.51.100.7";
const EMAIL = "ann@shop.example";
const ANN: Form = { c_id: "c-ann", fp_ccid: "f-ann" };
const ADDRESS: Form = { email: EMAIL };
const UNSIGNED: Form = { sender_type: "server" };

const link = ({ rpc }: Aisle) =>
  rpc.subscriptions.setSubscription({ appId: "shop", email: EMAIL, visitor: { clientId: "c-ann" } });

/** The senders of each column; each tries alone. */
const COLUMNS: Readonly<Record<string, { readonly senders: readonly Sender[]; before?(aisle: Aisle): unknown }>> = {
  "a stranger": {
    senders: [{}, { email: EMAIL }, { user_id: "7" }, { email: EMAIL, user_id: "7" }].flatMap((names): Sender[] => [
      [{ c_id: "c-eve", ...names }, "203.0.113.66"],
      [{ c_id: "c-eve", ...names }, SERVER],
    ]),
  },
  "the customer's browser": {
    senders: [
      [ANN, "203.0.113.9"],
      [{ ...ANN, ...ADDRESS, user_id: "7" }, SERVER],
    ],
  },
  "the customer's browser, linked by the shop": { senders: [[ANN, "203.0.113.9"]], before: link },
  "an unsigned server elsewhere": {
    senders: [UNSIGNED, ADDRESS, { user_id: "7" }, { ...UNSIGNED, ...ADDRESS }].map((names) => [names, "203.0.113.7"]),
  },
  "an unsigned server at the same public address": {
    senders: [
      [UNSIGNED, SERVER],
      [{ ...UNSIGNED, ...ADDRESS }, SERVER],
    ],
  },
  "the shop": {
    senders: [
      [{}, SHOP],
      [ANN, SHOP],
      [ADDRESS, SHOP],
    ],
  },
};

/** The first copy of each row's order. */
const ROWS: Readonly<Record<string, Sender>> = {
  "names a browser": [ANN, SERVER],
  "names an address, from an unsigned server": [{ ...UNSIGNED, ...ADDRESS }, SERVER],
  "names a `user_id`, from an unsigned server": [{ ...UNSIGNED, user_id: "7" }, SERVER],
  "names nobody, from an unsigned server": [UNSIGNED, SERVER],
  "names an address, from the shop": [{ ...UNSIGNED, ...ADDRESS }, SHOP],
};

const table = tableOfDocs("Orders, contacts and links");

it("the table of orders in docs/security.md has the rows and columns that are tested", () => {
  expect([...table.keys()]).toEqual(Object.keys(ROWS));
  for (const cells of table.values()) expect([...cells.keys()]).toEqual(Object.keys(COLUMNS));
});

const stores = await storeKinds();

describe.each(stores)("who changes an order: $name", ({ openStore }) => {
  const cells = Object.entries(ROWS).flatMap(([row, first]) =>
    Object.entries(COLUMNS).flatMap(([column, { senders, before }]) =>
      senders.map((sender) => ({ row, column, first, sender, before, names: JSON.stringify(sender) })),
    ),
  );

  it.each(cells)("an order that $row: $column ($names)", async ({ row, column, first, sender, before }) => {
    const aisle = await openAisle(openStore, { networks: { trustedProxies: [], shopNetworks: ["192.0.2.0/24"] } });
    await aisle.rpc.apps.createApp({ app: { appId: "shop" } });
    const post = async ([names, address]: Sender, form: Form) => {
      aisle.now.at += 1000;
      expect((await aisle.trace({ app_id: "shop", order_id: "1", ...names, ...form }, address)).status).toBe(200);
    };
    await post(first, { action_type: "order", product_ids: "p1" });
    await before?.(aisle);
    await post(sender, { action_type: "order", product_ids: "p1|p2" });
    const completed = (await aisle.store.orders.get("shop", "1"))?.lines.length === 2;
    await post(sender, { action_type: "order_cancel" });
    const cancelled = (await aisle.store.orders.get("shop", "1"))?.cancelled === true;
    const may = table.get(row)?.get(column) === "yes";
    expect({ completed, cancelled }).toEqual({ completed: may, cancelled: may });
  });
});
