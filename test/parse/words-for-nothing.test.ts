import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visitorKeys } from "../../src/domain/ids.js";
import { isNobody, isNoValue } from "../../src/parse/words-for-nothing.js";

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
const SOMEBODY = [
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
  it.each(NOBODY)("names nobody when it is %j", (id) => {
    expect(visitorKeys({ clientId: id, fingerprintId: id, userId: id })).toEqual([]);
  });

  it.each(SOMEBODY)("names somebody when it is %j", (id) => {
    expect(visitorKeys({ clientId: id, fingerprintId: id, userId: id })).toEqual([`c:${id}`, `f:${id}`, `u:${id}`]);
  });

  it("names somebody when it is a number above 0 or a random UUID", () => {
    fc.assert(fc.property(fc.oneof(fc.uuid(), fc.integer({ min: 1 }).map(String)), (id) => !isNobody(id)));
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
  ])("has the value %j", (text) => {
    expect(isNoValue(text)).toBe(false);
  });
});
