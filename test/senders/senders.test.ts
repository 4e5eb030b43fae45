import { describe, expect, it } from "vitest";
import { SubscriptionState } from "../../src/gen/aisle/v1/subscription_pb.js";
import { openAisle } from "../fixtures/aisle.js";
import * as senders from "./senders.js";

/** What a form says when nothing goes wrong on its way: an order of two lamps by a new subscriber. */
const SAID = {
  app_id: "shop",
  action_type: "subscribe",
  fp_ccid: "f1",
  email: "Buyer+1@Example.com",
  phone: "+48 600 100 200",
  first_name: "Anna Maria",
  product_ids: "1|2",
  product_titles: "Lamp & shade, 100% wool|Bulb",
  product_category_ids: "home~lamps|home",
  product_category_names: "Home~Lamps|Home",
  product_urls: "https://shop.example/p?id=1&x=a+b|https://shop.example/p?id=2",
  product_availability: "1|0",
};

/** What came of a request in a new shop. */
async function post(...requests: senders.Posted[]) {
  const { facade, rpc, status } = await openShop();
  const codes: number[] = [];
  let notes: readonly string[] = [];
  for (const request of requests) {
    const answer = await facade.inject({ method: "POST", ...request });
    codes.push(answer.statusCode);
    const eventId = String(answer.headers["x-service-event-id"] ?? "");
    if (eventId !== "") notes = (await rpc.events.getEvent({ appId: "shop", eventId })).event?.notes ?? [];
  }
  const { products } = await rpc.catalog.listProducts({ appId: "shop" });
  const find = async (contact: { case: "email" | "phone"; value: string }) => {
    try {
      return (await rpc.subscriptions.getContact({ appId: "shop", contact })).contact;
    } catch {
      return undefined;
    }
  };
  return {
    codes,
    notes,
    find,
    status: await status("shop", "f1"),
    products: products.map(({ productId, title, categories }) => [
      productId,
      title,
      categories.map(({ categoryId }) => categoryId).join(">"),
    ]),
    urls: products.map(({ url }) => url),
  };
}

/** A shop that believes what one visitor says of a product: what is tested here is how senders are read. */
async function openShop() {
  const aisle = await openAisle();
  await aisle.rpc.apps.createApp({ app: { appId: "shop", learnedAfterVisitors: 1 } });
  return aisle;
}

const LAMPS = [
  ["1", "Lamp & shade, 100% wool", "home>lamps"],
  ["2", "Bulb", "home"],
];

describe.each([
  ["a PHP plugin with 36 fields, most of them empty", senders.phpPlugin],
  ["a PHP plugin that gives curl an array", senders.phpMultipart],
  ["a browser's FormData with an empty file", senders.browserFormData],
  ["a beacon of parameters", senders.beaconOfParams],
  ["a beacon of text", senders.beaconOfText],
  ["a shell script with a byte order mark and a line end", senders.curlOfFile],
])("%s", (_name, sender) => {
  it("creates the contact, links the visitor and teaches the catalogue", async () => {
    const { codes, status, products, urls, find, notes } = await post(sender(SAID));
    expect(codes).toEqual([200]);
    expect(notes).toEqual([]);
    expect(status).toMatchObject({ identified: true, status: true });
    const contact = await find({ case: "email", value: "buyer+1@example.com" });
    expect(contact).toMatchObject({
      ...{ email: "Buyer+1@Example.com", phone: "+48 600 100 200", firstName: "Anna Maria" },
      emailState: SubscriptionState.SUBSCRIBED,
    });
    expect((await find({ case: "phone", value: "+48600100200" }))?.contactId).toBe(contact?.contactId);
    expect(products).toEqual(LAMPS);
    expect(urls).toEqual(["https://shop.example/p?id=1&x=a+b", "https://shop.example/p?id=2"]);
  });
});

describe("a double-encoding sender", () => {
  it("is understood: e-mail, lists and names are as before encoding", async () => {
    const { status, products, find } = await post(senders.twiceEncoded(SAID));
    expect(status).toMatchObject({ identified: true, status: true });
    expect(await find({ case: "email", value: "buyer+1@example.com" })).toMatchObject({ firstName: "Anna Maria" });
    expect(await find({ case: "phone", value: "+48600100200" })).toBeDefined();
    expect(products).toEqual(LAMPS);
  });
});

describe("a sender that escapes nothing", () => {
  it("loses the plus of an e-mail, which the blank in its place stands for", async () => {
    const { codes, status, notes, products } = await post(
      senders.rawText({ ...SAID, product_titles: "Lamp|Bulb", product_urls: "" }),
    );
    expect(codes).toEqual([200]);
    expect(notes).not.toContain("the e-mail is no address and identifies nobody");
    expect(status).toMatchObject({ identified: true, status: true });
    expect(products.map(([id, title]) => [id, title])).toEqual([
      ["1", "Lamp"],
      ["2", "Bulb"],
    ]);
  });

  it("is understood where nothing needed escaping, with a bare per cent sign too", async () => {
    const { status, find, products } = await post(
      senders.rawText({ ...SAID, email: "ann@example.com", product_titles: "Lamp 100% wool|Bulb", product_urls: "" }),
    );
    expect(status).toMatchObject({ identified: true, status: true });
    expect(await find({ case: "phone", value: "+48600100200" })).toBeDefined(); // the lost plus is a leading space
    expect(products[0]?.[1]).toBe("Lamp 100% wool");
  });

  it("has its titles cut at an ampersand, and the rest becomes an unknown field", async () => {
    const { codes, products } = await post(
      senders.rawText({
        app_id: "shop",
        action_type: "product_view",
        product_ids: "1",
        product_titles: "Lamp & shade",
      }),
    );
    expect(codes).toEqual([200]);
    expect(products).toEqual([["1", "Lamp", ""]]);
  });
});

describe("a page script without values", () => {
  it("sends undefined, null and objects as text, which counts as absent and identifies no one", async () => {
    const { codes, status, products, find } = await post(
      senders.scriptWithoutValues({
        ...{ app_id: "shop", action_type: "product_view", fp_ccid: "f1", product_ids: "1|undefined|2" },
        ...{ email: undefined, phone: null, user_id: {}, product_titles: "Lamp|null|[object Object]" },
        ...{ product_urls: "undefined|undefined|undefined", subscriber_status: undefined },
      }),
    );
    expect(codes).toEqual([200]);
    expect(status).toMatchObject({ identified: false, status: null });
    expect(await find({ case: "email", value: "undefined" })).toBeUndefined();
    expect(products).toEqual([
      ["1", "Lamp", ""],
      ["2", "", ""],
    ]);
  });

  it("is rejected by field when a value that the action requires is absent", async () => {
    const { codes } = await post(
      senders.scriptWithoutValues({ app_id: "shop", action_type: "subscribe", email: undefined }),
      senders.scriptWithoutValues({ app_id: "shop", action_type: "product_view", product_ids: [] }),
      senders.scriptWithoutValues({ app_id: undefined, action_type: "other" }),
    );
    expect(codes).toEqual([400, 400, 400]);
  });
});

describe("lists of unequal length", () => {
  it("give the products their ids name: missing values are unknown, further ones are dropped", async () => {
    const { products, urls } = await post(
      senders.phpPlugin({
        ...{ app_id: "shop", action_type: "add_to_cart", product_ids: "1|2|3" },
        ...{ product_titles: "Lamp", product_category_ids: "home|home~bulbs|home~cables|extra" },
        product_urls: "https://shop.example/1||javascript:alert(1)",
      }),
    );
    expect(products).toEqual([
      ["1", "Lamp", "home"],
      ["2", "", "home>bulbs"],
      ["3", "", "home>cables"],
    ]);
    expect(urls).toEqual(["https://shop.example/1", "", ""]);
  });

  it("never remove values from an earlier sender", async () => {
    const view = { app_id: "shop", action_type: "product_view", product_ids: "1|2" };
    const { products } = await post(
      senders.phpPlugin({ ...view, product_titles: "Lamp|Bulb" }),
      senders.beaconOfText({ ...view, product_titles: "|Bulb 40 W" }),
    );
    expect(products.map(([, title]) => title)).toEqual(["Lamp", "Bulb 40 W"]);
  });
});

describe("an old shop system with Latin-1 texts", () => {
  it("has its events stored: umlauts are lost, the contact is not", async () => {
    const { status, find, products } = await post(
      senders.latin1({
        ...{ app_id: "shop", action_type: "subscribe", fp_ccid: "f1", email: "ann@example.com", first_name: "Jörg" },
        ...{ product_ids: "1", product_titles: "Stehlampe für Bücher" },
      }),
    );
    expect(status).toMatchObject({ identified: true, status: true });
    expect((await find({ case: "email", value: "ann@example.com" }))?.firstName).toBe("J\uFFFDrg");
    expect(products).toEqual([["1", "Stehlampe f\uFFFDr B\uFFFDcher", ""]]);
  });
});

describe("two senders of one shop", () => {
  it("that write an address differently mean one contact, whose address stays as first written", async () => {
    const { find } = await post(
      senders.phpPlugin({ app_id: "shop", action_type: "subscribe", email: "Ann@Example.com" }),
      senders.twiceEncoded({
        app_id: "shop",
        action_type: "subscribe",
        email: " ann@EXAMPLE.com",
        subscriber_status: "0",
      }),
    );
    const contact = await find({ case: "email", value: "ANN@example.com" });
    expect(contact).toMatchObject({ email: "Ann@Example.com", emailState: SubscriptionState.UNSUBSCRIBED });
  });
});
