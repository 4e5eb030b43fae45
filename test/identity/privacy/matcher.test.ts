import { expect, it } from "vitest";
import { NOBODY } from "../../../src/domain/erasure.js";
import { createMatcher } from "../../../src/identity/privacy/matcher.js";
import { contact, event } from "../../contract/samples.js";

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
