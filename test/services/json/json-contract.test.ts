/** JSON that is not of the contract, in each field of each message that a call may send. */
import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createNamingDecoder } from "../../../src/services/json/json-messages.js";
import { RPC_SERVICES } from "../../../src/services/telemetry/rpc-methods.js";
import { createFixtureRoutes, openListener } from "../wire/rpc-fixture.js";

type Wrap = (value: JsonValue) => JsonValue;

/** Every field of a message and of those below it, each message type once, with what puts a value there. */
function fieldsOf(
  desc: DescMessage,
  wrap: Wrap,
  seen: Set<string>,
  above = "",
): { field: DescField; put: Wrap; path: string; sent: string }[] {
  if (seen.has(desc.typeName) || desc.typeName.startsWith("google.protobuf.")) return [];
  seen.add(desc.typeName);
  return desc.fields.flatMap((field) => {
    const put: Wrap = (value) => wrap({ [field.jsonName]: value });
    const one: Wrap = (value) =>
      put(field.fieldKind === "list" ? [value] : field.fieldKind === "map" ? { k: value } : value);
    const place = field.fieldKind === "list" ? "[0]" : field.fieldKind === "map" ? "[*]" : "";
    const sent = `${above}${field.jsonName}${place}`;
    const below = field.message === undefined ? [] : fieldsOf(field.message, one, seen, `${sent}.`);
    return [{ field, put: one, path: `${desc.typeName}.${field.name}`, sent }, ...below];
  });
}

const inputs = [
  ...new Map(
    RPC_SERVICES.flatMap(({ methods }) => methods).map(({ input }) => [input.typeName, input] as const),
  ).values(),
];
const everyField = inputs.flatMap((input) =>
  fieldsOf(input, (value) => value, new Set()).map((one) => ({ ...one, input })),
);

/** The words of a refusal, or "taken". */
function answerTo(input: DescMessage, value: JsonValue): string {
  try {
    createNamingDecoder(input).decode(Buffer.from(JSON.stringify(value)));
    return "taken";
  } catch (error) {
    return ConnectError.from(error).rawMessage;
  }
}

describe("JSON of a call", () => {
  it("is refused by name when a message has a field that the contract does not have", () => {
    const messages = everyField.filter(
      ({ field }) => field.message !== undefined && !field.message.typeName.startsWith("google."),
    );
    const cases = [...inputs.map((input) => ({ input, put: (value: JsonValue) => value, sent: "" })), ...messages];
    expect(cases.length).toBeGreaterThan(100);
    const wrong = cases.filter(
      ({ input, put, sent }) =>
        !answerTo(input, put({ noSuchField: 1 })).startsWith(`Invalid field: ${sent && `${sent}.`}noSuchField, `),
    );
    expect(wrong.map(({ input }) => input.typeName)).toEqual([]);
  });

  it("is refused by name when an enum is misspelt, in small letters, cut short, empty or an unknown number", () => {
    const enums = everyField.filter(({ field }) => field.enum !== undefined);
    expect(enums.length).toBeGreaterThan(20);
    const wrong = enums.flatMap(({ input, field, put, path, sent }) => {
      const name = field.enum?.values.at(-1)?.name ?? "";
      const values = [name.toLowerCase(), name.slice(name.lastIndexOf("_") + 1), `${name}X`, "", 9999, [name], true];
      return values
        .filter((value) => !answerTo(input, put(value)).startsWith(`Invalid field: ${sent}, accepted are `))
        .map((value) => `${path}: ${JSON.stringify(value)}: ${answerTo(input, put(value))}`);
    });
    expect(wrong).toEqual([]);
  });

  it("is refused by name when a value has another type than its field", () => {
    const wrong = everyField.flatMap(({ input, field, put, path, sent }) => {
      if (field.enum !== undefined) return [];
      const value: JsonValue =
        field.message !== undefined
          ? 5
          : field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
            ? 5
            : "x";
      const answer = answerTo(input, put(value));
      return answer.startsWith(`Invalid field: ${sent}, accepted `) ? [] : [`${path}: ${answer}`];
    });
    expect(wrong).toEqual([]);
  });

  it("is refused by name in every field of a time when the time does not exist", () => {
    const times = everyField.filter(({ field }) => field.message?.typeName === "google.protobuf.Timestamp");
    expect(times.length).toBeGreaterThan(10);
    const none = ["2026-02-30T00:00:00Z", "2026-02-29T12:00:00.5+01:00", "2026-04-31T23:00:00-02:00"];
    const texts = [...none, "2026-11-28T24:00:00Z", "2026-11-28T23:59:60Z", "2100-02-29T00:00:00Z"];
    const wrong = times.flatMap(({ input, put, path, sent }) =>
      texts
        .map((text) => [text, answerTo(input, put(text))] as const)
        .filter(([, answer]) => answer !== `Invalid field: ${sent}, accepted is a time such as 2026-01-31T12:00:00Z`)
        .map((one) => `${path}: ${one.join(": ")}`),
    );
    expect(wrong).toEqual([]);
  });

  it("is taken with the last day of a month, a leap day and an offset across midnight", () => {
    const times = everyField.filter(({ field }) => field.message?.typeName === "google.protobuf.Timestamp");
    const texts = ["2028-02-29T00:00:00Z", "2026-12-31T23:59:59.999999999+14:00", "0001-01-01T00:00:00Z"];
    const wrong = times.flatMap(({ input, put }) =>
      texts.map((text) => answerTo(input, put(text))).filter((answer) => answer !== "taken"),
    );
    expect(wrong).toEqual([]);
  });

  it("does not have its names repeated when they could be somebody's data", () => {
    expect(answerTo(inputs[0]!, { "ada@example.com": 1 })).not.toContain("ada");
  });

  it("is refused in a read by GET, too", async () => {
    const { url } = await openListener({ routes: createFixtureRoutes() });
    const message = encodeURIComponent(JSON.stringify({ appID: "shop" }));
    const answer = await fetch(`${url}/aisle.v1.AppService/GetApp?connect=v1&encoding=json&message=${message}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Invalid field: appID, accepted are appId");
  });
});
