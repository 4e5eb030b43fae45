import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  EventService,
  ListEventsRequestSchema,
  WatchEventsRequestSchema,
} from "../../src/gen/aisle/v1/event_service_pb.js";
import { tokensOf } from "../../src/services/tokens.js";

const { listEvents, watchEvents } = EventService.method;
const tokens = (appId = "shop") => tokensOf("resume_token", watchEvents, create(WatchEventsRequestSchema, { appId }));
const refused = /resume_token/;

it("a token gives back its position, whatever that is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (position) => {
      expect(tokens().open(tokens().seal(position))).toBe(position);
    }),
  );
});

it("a token of which a letter is missing, added or altered is refused", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.constantFrom("A", "z", "-", "=", " ", "\0"), (position, at, letter) => {
      const token = tokens().seal(position);
      const n = at % token.length;
      const changed = [token.slice(0, n), token.slice(0, n) + token.slice(n + 1), `${token}${letter}`];
      const other = token[n] === "A" ? "B" : "A";
      for (const one of [...changed, token.slice(0, n) + other + token.slice(n + 1)])
        expect(() => tokens().open(one), one).toThrow(refused);
    }),
  );
});

it("a token of another request or method is refused", () => {
  const token = tokens().seal("1");
  expect(() => tokens("other").open(token)).toThrow(refused);
  const list = tokensOf("page_token", listEvents, create(ListEventsRequestSchema, { appId: "shop" }));
  expect(() => list.open(token)).toThrow(/page_token/);
});
