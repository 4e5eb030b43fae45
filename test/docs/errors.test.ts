import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ErrorReason } from "../../src/gen/aisle/v1/error_reason_pb.js";

const REASON_ROW = /^\| `([A-Z_]+)` \| ([\w ]+) \| (.+) \|$/gm;
const VALUE = /((?: *\/\/.*\n)+) *(\w+) = [1-9]\d*;/g;

it("docs/errors.md lists every reason of the enum with the code and the words of its comment", () => {
  const page = readFileSync("docs/errors.md", "utf8");
  const rows = [...page.matchAll(REASON_ROW)].map(([, name, code, text]) => [name, `${code}: ${text}`.toLowerCase()]);
  const proto = readFileSync("proto/aisle/v1/error_reason.proto", "utf8");
  const values = [...proto.matchAll(VALUE)].map(([, comment = "", name]) => [
    name,
    comment
      .replace(/\s*\/\/ ?/g, " ")
      .trim()
      .toLowerCase(),
  ]);
  expect(values.map(([name]) => name)).toEqual(
    Object.values(ErrorReason).filter((name) => typeof name === "string" && name !== "ERROR_REASON_UNSPECIFIED"),
  );
  expect(rows).toEqual(values);
});
