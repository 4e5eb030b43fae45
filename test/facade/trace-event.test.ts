import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEvent } from "../../src/facade/trace-event.js";
import { TRACE_FIELDS } from "../../src/facade/trace-fields.js";
import { EventSchema, SenderType } from "../../src/gen/aisle/v1/event_pb.js";

const form = (fields: Record<string, string>) => toEvent(new Map(Object.entries(fields)), "");

describe("an event from a form", () => {
  it("is a message that can be sent, whatever the fields hold", () => {
    const name = fc.oneof(fc.constantFrom(...TRACE_FIELDS, "__proto__", "constructor"), fc.string());
    const value = fc.oneof(
      fc.constantFrom("|", "~|~", "null", "1|2~3", "-1", "1e99", "NaN"),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.string(), (fields, cookie) => {
        const event = toEvent(new Map(fields), cookie);
        expect(toBinary(EventSchema, event).length).toBeGreaterThanOrEqual(0);
        expect(create(EventSchema, event)).toBe(event);
      }),
    );
  });

  it("keeps a field called __proto__ as its own", () => {
    const { extraFields } = toEvent(new Map([["__proto__", "x"]]), "");
    expect(Object.keys(extraFields)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(extraFields)).toBeNull();
  });

  it("has a quantity only where one was sent", () => {
    const { products } = form({ product_ids: "1|2|3|4|5|6", product_counts: "2|0|-3|x|1.9|9999999999" });
    expect(products.map((product) => product.quantity)).toEqual([2, 0, 0, 0, 1, 0]);
  });

  it.each([
    ["1", true],
    ["true", true],
    ["In Stock", true],
    ["in_stock", true],
    ["0", false],
    ["out of stock", false],
    ["OutOfStock", false],
    ["sold-out", false],
    ["perhaps", undefined],
  ])("understands the availability %j", (text, available) => {
    expect(form({ product_ids: "1", product_availability: text }).products[0]?.available).toBe(available);
  });

  it.each([
    ["49.90", "49.90"],
    ["49,90", "49.90"],
    [" 1234.5 ", "1234.5"],
    ["1,234", "1,234"],
    ["free", "free"],
  ])("writes the amount %j as %j", (text, amount) => {
    expect(form({ order_id: "o", order_payment_value: text }).order?.payment?.amount).toBe(amount);
  });

  it.each([
    ["server", SenderType.SERVER],
    ["SERVER", SenderType.SERVER],
    ["browser", SenderType.BROWSER],
    ["", SenderType.UNSPECIFIED],
    ["robot", SenderType.UNSPECIFIED],
  ])("is from the sender %j", (text, sender) => {
    expect(form({ sender_type: text }).senderType).toBe(sender);
  });

  it.each([
    ["1", true],
    ["0", false],
    ["false", false],
    ["true", true],
    ["yes", undefined],
  ])("reads the subscriber status %j", (text, subscribed) => {
    expect(form({ email: "a@example.com", subscriber_status: text }).contact?.emailSubscribed).toBe(subscribed);
  });

  it("does not trim a phone, whose leading space is a lost plus", () => {
    expect(form({ phone: " 49170" }).contact?.phone).toBe(" 49170");
  });

  it("takes tags with bars or commas between them", () => {
    expect(form({ customer_tags: "vip, b2b" }).contact?.tags).toEqual(["vip", "b2b"]);
    expect(form({ customer_tags: "vip|a, b" }).contact?.tags).toEqual(["vip", "a, b"]);
  });

  it("keeps what is said of an order without a number", () => {
    const event = form({ coupon: "SPRING", order_currency: "EUR" });
    expect(event.order).toBeUndefined();
    expect({ ...event.extraFields }).toEqual({ coupon: "SPRING", order_currency: "EUR" });
  });
});
