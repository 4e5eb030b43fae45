import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeGrpcMessage, withPlainMessage } from "../../../src/services/wire/error-answers.js";

it("the grpc-message header encodes everything but printable ASCII without % as UTF-8", () => {
  expect(encodeGrpcMessage("Missing required field: app_id")).toBe("Missing required field: app_id");
  expect(encodeGrpcMessage("100 % größer\n\x7f")).toBe("100 %25 gr%C3%B6%C3%9Fer%0A%7F");
});

it("the grpc-message header can be decoded, and contains nothing that a header cannot", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const encoded = encodeGrpcMessage(text);
      expect(decodeURIComponent(encoded)).toBe(text);
      expect(encoded).toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});

it("encoding grpc-message changes no other header, and not the given object", () => {
  const given = new Headers({ "grpc-status": "3", "grpc-message": encodeURIComponent("field: app_id") });
  expect([...withPlainMessage(given)]).toEqual([
    ["grpc-message", "field: app_id"],
    ["grpc-status", "3"],
  ]);
  expect(given.get("grpc-message")).toBe("field%3A%20app_id");
});
