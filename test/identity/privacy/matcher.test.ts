import { expect, it } from "vitest";
import { NOBODY } from "../../../src/domain/erasure.js";
import type { Event } from "../../../src/domain/event.js";
import { NO_MONEY } from "../../../src/domain/money.js";
import { createMatcher } from "../../../src/identity/privacy/matcher.js";
import { contact, event } from "../../contract/samples.js";
import { product } from "../../intake/intake-fixture.js";

it.each([
  [true, true],
  ["unknown", true],
  [false, false],
] as const)(
  "a user id that the shop gave to a person decides alone in events with isShops %s: %s",
  (isShops, isTheirs) => {
    const matcher = createMatcher({ ...NOBODY, visitorKeys: ["u:7"], provenKeys: ["u:7"] });
    const visitor = { clientId: "", fingerprintId: "", userId: "7" };
    expect(matcher.event(event("e1", { visitor, isShops }))).toBe(isTheirs);
  },
);

it.each([
  ["its platform", { platform: "PrestaShop" }],
  [
    "its e-mail",
    { contact: { ...contact("k2", { email: "PrestaShop@x.example" }), emailSubscribed: null, smsSubscribed: null } },
  ],
  ["an extra field", { extraFields: { note: "PrestaShop" } }],
  ["the name of an extra field", { extraFields: { PrestaShop: "1" } }],
])("an event of others that has the id of a person's browser as %s is not the person's", (_, more) => {
  const matcher = createMatcher({ ...NOBODY, visitorKeys: ["c:PrestaShop", "f:PrestaShop@x.example"] });
  expect(matcher.event(event("e1", more))).toBe(false);
});

const OTHER = { email: "bob@y.example", phone: "", firstName: "", lastName: "", country: "", city: "", gender: "" };
const CONTACT = { ...OTHER, birthDate: "", tags: [], emailSubscribed: null, smsSubscribed: null };
const ORDER = { orderId: "o1", status: "", payment: NO_MONEY, basePayment: NO_MONEY, coupon: "" };
const VISITOR = { clientId: "", fingerprintId: "", userId: "" };

/** An event without ids that holds the text in one place. */
const PLACES: Readonly<Record<string, (text: string) => Partial<Event>>> = {
  actionType: (actionType) => ({ actionType }),
  userId: (userId) => ({ visitor: { ...VISITOR, userId } }),
  clientId: (clientId) => ({ visitor: { ...VISITOR, clientId } }),
  orderId: (orderId) => ({ order: { ...ORDER, orderId } }),
  status: (status) => ({ order: { ...ORDER, status } }),
  coupon: (coupon) => ({ order: { ...ORDER, coupon } }),
  currency: (currency) => ({ order: { ...ORDER, payment: { amount: "1", currency } } }),
  productId: (productId) => ({ products: [product(productId)] }),
  sku: (sku) => ({ products: [product("p1", { sku })] }),
  variantId: (variantId) => ({ products: [product("p1", { variantId })] }),
  title: (title) => ({ products: [product("p1", { title })] }),
  url: (url) => ({ products: [product("p1", { url })] }),
  brandId: (brandId) => ({ products: [product("p1", { brandId })] }),
  brandName: (brandName) => ({ products: [product("p1", { brandName })] }),
  categoryOfProduct: (name) => ({ products: [product("p1", { categories: [{ categoryId: "c1", name }] })] }),
  categoryId: (categoryId) => ({ categories: [{ categoryId, name: "" }] }),
  category: (name) => ({ categories: [{ categoryId: "c1", name }] }),
  recommendationId: (id) => ({ recommendationIds: [id] }),
  searchQuery: (searchQuery) => ({ searchQuery }),
  platform: (platform) => ({ platform }),
  senderVersion: (senderVersion) => ({ senderVersion }),
  extraField: (text) => ({ extraFields: { note: text } }),
  extraName: (text) => ({ extraFields: { [text]: "1" } }),
  note: (text) => ({ notes: [text] }),
  firstName: (firstName) => ({ contact: { ...CONTACT, firstName } }),
  city: (city) => ({ contact: { ...CONTACT, city } }),
  tag: (tag) => ({ contact: { ...CONTACT, tags: [tag] } }),
};

const ANN = { ...NOBODY, contactKeys: ["e:ann@x.example"] };
const BARE = { visitor: VISITOR, contact: null, products: [], order: null, extraFields: {} };

it.each(Object.keys(PLACES))("an event is a person's when its %s alone holds the address", (place) => {
  const holds = (text: string) => createMatcher(ANN).event(event("e1", { ...BARE, ...PLACES[place]?.(text) }));
  expect(holds("ann@x.example")).toBe(true);
  expect(holds("tom@x.example")).toBe(false);
});

it.each([
  ...["of Ann@X.example", "ann%40x.example", "ann%2540x.example", "ann&#64;x.example", "ann&#x40;x.example"],
  ...["ann&commat;x.example", "ann&#0064;x.example", "ann%26%2364%3Bx.example", "ann\\u0040x.example"],
])("the text %s holds the address", (platform) => {
  expect(createMatcher(ANN).event(event("e1", { ...BARE, platform }))).toBe(true);
});

/** Addresses of others that the person's is a part of. */
const OTHERS = [
  ...["joann@x.example", "jo.ann@x.example", "mary-ann@x.example", "mary_ann@x.example", "mary+ann@x.example"],
  ...["o'ann@x.example", "ann@x.example.org", "ann@x.examples"],
  ...["ann@x.example-shop.com", "ann@x.example_a.com", "ann@sub.x.example"],
];

it.each(OTHERS)("an event of %s is not that of who has a part of this address", (email) => {
  expect(createMatcher(ANN).event(event("e1", { ...BARE, contact: { ...CONTACT, email } }))).toBe(false);
});

it.each<[text: string, isNamed: boolean]>([
  ["joann@x.example", false],
  ["jo.ann@x.example", false],
  ["ann@x.example.org", false],
  ["joann@x.example, ann@x.example.", true],
  ["order-ann@x.example-7", true],
  ["a\\nann@x.example", true],
  ["to%3Aann%40x.example", true],
  ["Ann <ann@x.example>", true],
  ["'ann@x.example', *ann@x.example*", true],
  ...[
    "email=ann@x.example",
    "email=ann%40x.example",
    "user=1|email=ann@x.example",
    "„ann@x.example“",
    "«ann@x.example»",
  ].map((text): [string, boolean] => [text, true]),
  ...["a~ann@x.example~b", "x—ann@x.example—y", "•ann@x.example", "#ann@x.example", "$ann@x.example"].map(
    (text): [string, boolean] => [text, true],
  ),
  ...["o&#39;ann@x.example", "mary&#43;ann@x.example", "mary&plus;ann@x.example", "o\\'ann@x.example"].map(
    (text): [string, boolean] => [text, false],
  ),
  ["https://shop.example/?email=mary%2Bann%40x.example&b=2", false],
  ["ann@x.example\\u002dshop.com", false],
  ["https://shop.example/?q=for+ann%40x.example&email=1", true],
  ['"ann"@x.example', true],
  ["ann@x\u3002example", true],
  ["ann\uff20x.example", true],
  ...OTHERS.map((other): [string, boolean] => [other, false]),
  ...OTHERS.map((other): [string, boolean] => [`to ${other}, tom@x.example`, false]),
])("the text %j names the person: %s", (platform, isNamed) => {
  expect(createMatcher(ANN).event(event("e1", { ...BARE, platform }))).toBe(isNamed);
});

it("an e-mail that is no address is a text like others", () => {
  const contact = { ...CONTACT, email: "Ann <ann@x.example>" };
  expect(createMatcher(ANN).event(event("e1", { ...BARE, contact }))).toBe(true);
});

it("our own id of an event is no text of its sender", () => {
  expect(createMatcher(ANN).event(event("ann@x.example", BARE))).toBe(false);
});

it.each([
  ["nobody", {}, true],
  ["a user id alone", { visitor: { ...VISITOR, userId: "5" } }, true],
  ["another browser", { visitor: { ...VISITOR, clientId: "vic" } }, false],
  ["another address", { contact: { ...CONTACT, email: "vic@x.example" } }, false],
])("an event with the number of a person's order that names %s is the person's: %s", (_, names, isTheirs) => {
  const order = { orderId: "1001", status: "", payment: NO_MONEY, basePayment: NO_MONEY, coupon: "" };
  const matcher = createMatcher({ ...ANN, orderIds: ["1001"] });
  expect(matcher.event(event("e1", { ...BARE, order, ...names }))).toBe(isTheirs);
});

it("the text of an address with signs of URLs holds it", () => {
  const matcher = createMatcher({ ...NOBODY, contactKeys: ["e:a&b@x.example"] });
  for (const platform of ["a&b@x.example", "to a&b@x.example.", "a%26b%40x.example"])
    expect(matcher.event(event("e1", { ...BARE, platform }))).toBe(true);
});
