import { isDeepStrictEqual } from "node:util";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { type Event, EventSchema, SenderType } from "../../../src/gen/aisle/v1/event_pb.js";
import { type RecordEventsRequest, RecordEventsRequestSchema } from "../../../src/gen/aisle/v1/event_service_pb.js";
import { FrameConfigurationSchema } from "../../../src/gen/aisle/v1/frame_configuration_pb.js";
import { createMessageReader } from "../../../src/services/wire/message-reader.js";

const readEvent = createMessageReader(EventSchema);
const readRequest = createMessageReader(RecordEventsRequestSchema);

const LONG = "x".repeat(3000);

function someEvent(text: string, more = LONG): Event {
  return create(EventSchema, {
    actionType: "order",
    senderType: SenderType.SERVER,
    bot: true,
    eventTime: timestampFromMs(1_768_500_000_999),
    visitor: { clientId: text, fingerprintId: "f", userId: "u" },
    contact: { email: "a@shop.example", tags: ["", text, "b"], emailSubscribed: false, smsSubscribed: true },
    products: [
      {
        productId: "1",
        title: text,
        quantity: 2 ** 31 - 1,
        available: false,
        price: { amount: "1.5", currency: "EUR" },
      },
      {},
      { productId: "2", categories: [{ categoryId: "c", name: text }, {}] },
    ],
    order: { orderId: "o", payment: {}, basePayment: { amount: text } },
    extraFields: { "": "", [text]: text, a: more, constructor: "data" },
    notes: [text],
  });
}

const TEXTS = [
  "",
  "a",
  "twelve chars",
  "thirteen chars",
  "größer",
  "日本語の商品名",
  "😀",
  "\u0000",
  "\ufeffx",
  "\ufffd",
  LONG,
];

function requestOf(texts: readonly string[], more = LONG): RecordEventsRequest {
  const idempotencyKeys = texts.map((_, n) => `key-${n}`);
  return create(RecordEventsRequestSchema, {
    appId: "shop",
    events: texts.map((text) => someEvent(text, more)),
    idempotencyKeys,
  });
}

describe("a message reader", () => {
  it.each(TEXTS.map((text) => [text.slice(0, 20), text]))("reads an event with %j as the library does", (_, text) => {
    const bytes = toBinary(EventSchema, someEvent(text));
    expect(readEvent(bytes)).toStrictEqual(fromBinary(EventSchema, bytes));
  });

  it("reads a batch of events as the library does", () => {
    const bytes = toBinary(RecordEventsRequestSchema, requestOf(TEXTS));
    expect(readRequest(bytes)).toStrictEqual(fromBinary(RecordEventsRequestSchema, bytes));
  });

  it("reads bytes that begin within their buffer", () => {
    const bytes = toBinary(EventSchema, someEvent("größer"));
    const within = Buffer.concat([Buffer.from("before"), bytes, Buffer.from("after")]);
    expect(readEvent(within.subarray(6, 6 + bytes.length))).toStrictEqual(fromBinary(EventSchema, bytes));
  });

  it.each([
    ["an unknown field", [0x92, 0x3f, 1, 65]],
    ["a message in two parts", [0x32, 3, 0x0a, 1, 65, 0x32, 3, 0x12, 1, 66]],
    ["a negative number", [0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
    ["a time before 1970", [0x22, 11, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
    ["a field named __proto__", [0x7a, 14, 0x0a, 9, ...Buffer.from("__proto__"), 0x12, 1, 66]],
  ])("leaves %s to the library", (_, bytes) => {
    const found = readEvent(Uint8Array.from(bytes));
    expect(found).toStrictEqual(fromBinary(EventSchema, Uint8Array.from(bytes)));
  });

  it("gives a message or an error as the library does, whichever byte is changed or missing", () => {
    const good = toBinary(RecordEventsRequestSchema, requestOf(["ab", "größer, and more"], ""));
    for (let at = 0; at < good.length; at++) {
      const cut = good.subarray(0, at);
      const changed = Uint8Array.from(good);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      for (const bytes of [cut, changed])
        expect([at, isDeepStrictEqual(outcome(readRequest, bytes), outcome(library, bytes))]).toEqual([at, true]);
    }
  });

  it("leaves messages that it has no code for to the library", () => {
    const bytes = toBinary(FrameConfigurationSchema, create(FrameConfigurationSchema, { frameId: "default" }));
    expect(createMessageReader(FrameConfigurationSchema)(bytes)).toStrictEqual(
      fromBinary(FrameConfigurationSchema, bytes),
    );
  });
});

const library = (bytes: Uint8Array) => fromBinary(RecordEventsRequestSchema, bytes);

function outcome(read: (bytes: Uint8Array) => RecordEventsRequest, bytes: Uint8Array): unknown {
  try {
    return read(bytes);
  } catch (error) {
    return `${error}`;
  }
}
