import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visitorKeys } from "../../src/domain/ids.js";
import { isNobody, isNoValue, spellingsOfNobody } from "../../src/parse/words-for-nothing.js";

const NOBODY = [
  ...["0", "00", "-0", "0.0", "-1", "-", "00000000-0000-0000-0000-000000000000"],
  ...["null", "NULL", "Nil", "None", "undefined", "NaN", "NA", "n/a", "#N/A", "\\N", "false", "True", "unknown"],
  ...[
    "guest",
    "Guest",
    "anonymous",
    "(not set)",
    "not set",
    "not_set",
    "(none)",
    "<null>",
    '"null"',
    "[object Object]",
  ],
  ...[" 0 ", " guest ", "０", "\u200b0", "guest\ufeff", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"],
  ...[
    "{{ customer.id }}",
    "{{user_id}}",
    "{% uid %}",
    ["$", "{user.id}"].join(""),
    "#{id}",
    "<%= id %>",
    "[[id]]",
    "%user_id%",
    "*|UID|*",
  ],
  ...["not_logged_in", "logged-out", "no_user", "opt-out", "deleted", "<nil>", "%%USER_ID%%"],
  ...["{$customer.id}", "<?= $user->id ?>", "<?php echo $id; ?>", "{user_id}", "<user_id>", "##USER_ID##", "{ id }"],
  ...["[% user.id %]", "{!Contact.Id}", "[USER_ID]", "[user id]", "__USER_ID__", "$user->id", "$customer.id", "@{id}"],
  '{% if customer %}{{ customer.id }}{% else %}{{ request.session.guest_id | default: "guest" }}{% endif %}',
  `{{ ${"customer.default_address.id | ".repeat(6)} }}`,
];
const JOINED = [
  ...[
    "undefined.undefined",
    "NaN.NaN",
    "null.null",
    "null,null",
    "GA1.1.null",
    "GA1.2.undefined",
    "GA1.1.",
    "0|0",
    "0,0",
  ],
  ...["fb.1.null.null", "null|0|undefined", "none:none", "undefined;undefined", "null/null", "NULL-NULL", "null null"],
  ...["0.0.0.0", "-1|-1", "GA1.2.-1", "\\N,\\N", "[null]", '{"id":null}', "null@null", "n/a - n/a", "GA1.1.0.0"],
  ...["%28not%20set%29", "undefined%7Cundefined", "not+set"],
];
const STRANGERS = [
  ...["guest-user", "GUEST_USER", "Anonymous User", "UNKNOWN_USER", "guestUser", "anonymousUser", "user guest"],
  ...["unknown customer", "visitor-anonymous", "client:unknown", "guest session", "walk-in customer"],
  ...["user_null", "customer-undefined", "uid=NaN", "id:null", "amp-null", "user_id", "CUSTOMER-ID", "your user id"],
  ...["gast", "Gäst", "invité", "INVITE", "invitado", "ospite", "convidado", "gość", "gosc", "gæst", "gjest", "vieras"],
  ...["vendég", "misafir", "гость", "гість", "επισκέπτης", "ゲスト", "游客", "게스트", "ضيف", "khách", "ผู้เยี่ยมชม"],
  ...["Unbekannt", "anonyme", "anónimo", "匿名", "Nicht angemeldet"],
];
const HELD_BACK = [
  ...["not provided", "NOT_AVAILABLE", "(redacted)", "hidden", "denied", "granted", "no consent", "consent denied"],
  ...["***", "****-****", "xxxx", "XXXXXXXX", "—", "–", "?", "…", "#", "///", "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"],
  ...["-2", "-9", "-99", "-9999", "-1.0", "0x0", "0e0", "+0", "Infinity", "-Infinity", "-nan", "[object Undefined]"],
  ...["(blank)", "#REF!", "error", "timeout", "no cookie", "noname", "default"],
];
const SOMEBODY = [
  ...["Ann", "Nan", "Noah", "Noel", "Ann Guest", "guest-ann", "anonymous7", "user_7", "undefined.7", "0.7", "0|12"],
  ...[
    "GA1.1.0.7",
    "GA1.2.1234.5678",
    "-7423984729384",
    "-77",
    "xx",
    "user",
    "client",
    "visitor",
    "null-ann",
    "nullnull7",
    "1.0",
  ],
  ...["x1xxx", "Ostap", "Gastón", "Hostyn", "Invernizzi", "%41nn", "0x1f", "5e0"],
  "1",
  "7",
  "10",
  "-12",
  "0a",
  "a0",
  "guest-7",
  "nullable",
  "nancy",
  "unknown@x.de",
  "no",
  "user-0",
  "%41",
  "100%",
  "{7}",
  "{3f2504e0-4f89-41d3-9a0c-0305e82c3301}",
  "[ann@shop.example]",
  "<7f>",
  "$7",
  "@jan.kowalski",
  "_ann_",
  "x".repeat(200),
  "0199ffff-0000-7000-8000-000000000001",
];

describe("an id of a person", () => {
  it.each([...NOBODY, ...JOINED, ...STRANGERS, ...HELD_BACK])("names nobody when it is %j", (id) => {
    expect(visitorKeys({ clientId: id, fingerprintId: id, userId: id })).toEqual([]);
  });

  it.each(SOMEBODY)("names somebody when it is %j", (id) => {
    expect(visitorKeys({ clientId: id, fingerprintId: id, userId: id })).toEqual([`c:${id}`, `f:${id}`, `u:${id}`]);
  });

  it("names nobody when words for nobody and zeros are joined by any separator", () => {
    const word = fc.constantFrom(
      "null",
      "undefined",
      "NaN",
      "None",
      "guest",
      "unknown",
      "0",
      "00",
      "not set",
      "denied",
    );
    const separator = fc.constantFrom(".", ",", "|", ":", ";", "/", "-", "_", " ", ", ", "~", "+");
    const list = fc.tuple(fc.array(word, { minLength: 1, maxLength: 5 }), separator).map(([all, by]) => all.join(by));
    fc.assert(fc.property(list, isNobody));
  });

  it("names nobody when it has no letter and no digit", () => {
    const sign = fc.constantFrom(..."-_.:;,|/*#?!+~=()[]{}<>\u2014\u2026\u00a0 '\"");
    fc.assert(fc.property(fc.array(sign, { minLength: 1, maxLength: 90 }), (signs) => isNobody(signs.join(""))));
  });

  it("names somebody when it is a number above 0, a random UUID or a random id", () => {
    const number = fc.integer({ min: 1 });
    const random = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{11,39}$/).filter((id) => !/^[0_x-]*$/i.test(id));
    const analytics = fc.tuple(number, number).map(([a, b]) => `GA1.1.${a}.${b}`);
    const id = fc.oneof(fc.uuid(), number.map(String), random, analytics);
    fc.assert(fc.property(id, (one) => !isNobody(one)));
  });

  it("names somebody when one part of it is no word for nobody", () => {
    const word = fc.constantFrom("null", "undefined", "guest", "anonymous", "user", "0", "unknown", "id");
    const part = fc.constantFrom("7", "ann", "Noah", "k3", "4711", "example", "ab12");
    const separator = fc.constantFrom(".", ",", "|", ":", ";", "/", "_", " ");
    const id = fc
      .tuple(fc.array(word, { maxLength: 3 }), part, fc.array(word, { maxLength: 3 }), separator)
      .map(([before, one, after, by]) => [...before, one, ...after].join(by));
    fc.assert(fc.property(id, (one) => !isNobody(one)));
  });

  it("has some thousands of usual spellings, those of analytics and shop systems among them", () => {
    const spellings = spellingsOfNobody();
    expect(spellings.length).toBeLessThan(6000);
    const usual = ["undefined.undefined", "NaN.NaN", "null,null", "GA1.1.null", "GA1.2.undefined", "denied", "0|0"];
    const names = [
      "guest-user",
      "GUEST_USER",
      "Anonymous User",
      "UNKNOWN_USER",
      "not provided",
      "(redacted)",
      "invité",
    ];
    const rest = [
      "hidden",
      "gast",
      "\u2014",
      "?",
      "-2",
      "0x0",
      "Infinity",
      "user_null",
      "***",
      "xxxx",
      "0,0",
      "anonymousUser",
    ];
    expect([...usual, ...names, ...rest].filter((id) => !spellings.includes(id))).toEqual([]);
  });
});

describe("a cell, a group, an order number or a key", () => {
  it.each([
    "NULL",
    "null",
    "\\N",
    "(not set)",
    "undefined",
    "NaN",
    "nan",
    "Null",
    "#N/A",
    " null ",
    '"NULL"',
    "<null>",
    "[object Object]",
    "#DIV/0!",
    "{{ order.name }}",
    "{$order.id}",
    `<?php echo $order${"->get()".repeat(20)}; ?>`,
    "",
  ])("has no value when it is %j", (text) => {
    expect(isNoValue(text)).toBe(true);
  });

  it.each([
    "0",
    "-1",
    "none",
    "None",
    "false",
    "no",
    "guest",
    "NA",
    "unknown",
    "Nan",
    "null-7",
    "Nullarbor",
    "NaNa",
    "[NEW]",
    "{Sale}",
    "<b>",
    ...["hidden", "denied", "default", "user", "guest-user", "-2", "0x0", "***", "xxxx", "null.null", "\u2014", "?"],
  ])("has the value %j", (text) => {
    expect(isNoValue(text)).toBe(false);
  });
});
