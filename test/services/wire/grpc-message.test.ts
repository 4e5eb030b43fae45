import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeGrpcMessage, withPlainMessage } from "../../../src/services/wire/grpc-message.js";

it("leaves printable ASCII but % alone and encodes the rest as UTF-8", () => {
  expect(encodeGrpcMessage("Missing required field: app_id")).toBe("Missing required field: app_id");
  expect(encodeGrpcMessage("100 % größer\n\x7f")).toBe("100 %25 gr%C3%B6%C3%9Fer%0A%7F");
});

it("can be decoded to the text again, and holds nothing a header cannot", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const encoded = encodeGrpcMessage(text);
      expect(decodeURIComponent(encoded)).toBe(text);
      expect(encoded).toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});

it("changes the message of headers only, and not the headers it was given", () => {
  const given = new Headers({ "grpc-status": "3", "grpc-message": encodeURIComponent("field: app_id") });
  expect([...withPlainMessage(given)]).toEqual([
    ["grpc-message", "field: app_id"],
    ["grpc-status", "3"],
  ]);
  expect(given.get("grpc-message")).toBe("field%3A%20app_id");
});
