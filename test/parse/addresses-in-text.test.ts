import { expect, it } from "vitest";
import { holdsEmail } from "../../src/parse/addresses-in-text.js";

it.each([
  ...["m@x.example", "of m@x.example.", "<m@x.example>", "mail=m%40x.example&a=1", "m%2540x.example", "M@X.Example!"],
  ...["m&#64;x.example", "m&#x40;x.example", "m&commat;x.example", "m&#64x.example", '{"e":"m\\u0040x.example"}'],
  ...["m@bücher.example", "m\u200b@x.example", '"a b"@x.example', "mailto:m@x.example?subject=s"],
])("%j holds an e-mail address", (text) => {
  expect(holdsEmail(text)).toBe(true);
});

it.each([
  ...[
    "",
    "Tent",
    "@home",
    "Tent @home.example",
    "tent@2x.png",
    "pkg@1.2.3/x.js",
    "a@b",
    "100 %",
    "&amp;",
    "Tom & Ann @ 7",
  ],
])("%j holds no e-mail address", (text) => {
  expect(holdsEmail(text)).toBe(false);
});
