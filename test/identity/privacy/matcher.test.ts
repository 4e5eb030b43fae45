import { expect, it } from "vitest";
import { NOBODY } from "../../../src/domain/erasure.js";
import { createMatcher } from "../../../src/identity/privacy/matcher.js";
import { event } from "../../contract/samples.js";

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
