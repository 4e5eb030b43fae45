import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEvent } from "../../src/facade/trace-event.js";
import { TRACE_FIELDS } from "../../src/facade/trace-fields.js";
import { EventSchema, SenderType } from "../../src/gen/aisle/v1/event_pb.js";

const NOW = Date.UTC(2026, 2, 1, 10);
const form = (fields: Record<string, string>) => toEvent(new Map(Object.entries(fields)), "", NOW);

describe("an event made from a form", () => {
  it("is a valid message, whatever the fields hold", () => {
    const name = fc.oneof(fc.constantFrom(...TRACE_FIELDS, "__proto__", "constructor"), fc.string());
    const value = fc.oneof(
      fc.constantFrom("|", "~|~", "null", "1|2~3", "-1", "1e99", "NaN"),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.string(), (fields, cookie) => {
        const event = toEvent(new Map(fields), cookie, NOW);
        expect(toBinary(EventSchema, event).length).toBeGreaterThanOrEqual(0);
        expect(create(EventSchema, event)).toBe(event);
      }),
    );
  });

  it("keeps a field called __proto__ as a plain field", () => {
    const { extraFields } = toEvent(new Map([["__proto__", "x"]]), "", NOW);
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
  ])("reads the availability %j", (text, available) => {
    expect(form({ product_ids: "1", product_availability: text }).products[0]?.available).toBe(available);
  });

  it("keeps an unreadable amount beside the order", () => {
    const { order, extraFields } = form({ order_id: "o", order_payment_value: "free", order_currency: "EUR" });
    expect(order?.payment).toMatchObject({ amount: "", currency: "EUR" });
    expect(extraFields.order_payment_value).toBe("free");
  });

  it("prefers the currency field to the sign at the amount", () => {
    const currency = (fields: Record<string, string>) =>
      form({ order_id: "o", order_payment_value: "5 €", ...fields }).order?.payment?.currency;
    expect([currency({}), currency({ order_currency: "CHF" })]).toEqual(["EUR", "CHF"]);
  });

  it("trims ids", () => {
    const event = form({
      c_id: " c1 ",
      fp_ccid: " ",
      fpccid: " f1",
      order_id: "o1 ",
      product_ids: "1 | 2|\u0020",
      product_category_ids: "10 ~ 11",
    });
    expect(event.visitor).toMatchObject({ clientId: "c1", fingerprintId: "f1" });
    expect(event.order?.orderId).toBe("o1");
    expect(event.products.map((product) => product.productId)).toEqual(["1", "2"]);
    expect(event.products[0]?.categories.map((category) => category.categoryId)).toEqual(["10", "11"]);
  });

  it("takes a word for nothing in a list for an empty place", () => {
    const [first, second] = form({
      product_ids: "1|2|NULL|NaN",
      product_skus: "NULL|S2",
      product_variant_ids: "(not set)|v2",
      product_titles: "NULL|Nan",
      product_brand_names: "{{ brand }}|None",
    }).products;
    expect(first).toMatchObject({ productId: "1", sku: "", variantId: "", title: "", brandName: "" });
    expect(second).toMatchObject({ productId: "2", sku: "S2", variantId: "v2", title: "Nan", brandName: "None" });
  });

  it.each([
    ["the second when the first is ahead", { event_utc_date: "2026-03-01 10:05:01", utc_time: "2026-02-01T10:00:00Z" }],
    ["the second when the first is none", { event_utc_date: "0000-00-00 00:00:00", utc_time: "2026-02-01T10:00:00Z" }],
  ])("has the time of %s", (_case, fields) => {
    expect(form(fields).eventTime?.seconds).toBe(BigInt(Date.UTC(2026, 1, 1, 10) / 1000));
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
    ["Yes", true],
    ["unsubscribed", false],
    ["2", undefined],
  ])("reads the subscriber status %j", (text, subscribed) => {
    expect(form({ email: "a@example.com", subscriber_status: text }).contact?.emailSubscribed).toBe(subscribed);
  });

  it.each(["undefined", "null", "[object Object]", "NaN"])(
    "keeps the subscriber status %j, which states nothing",
    (text) => {
      const event = form({ action_type: "subscribe", email: "a@example.com", subscriber_status: text });
      expect([event.contact?.emailSubscribed, event.extraFields.subscriber_status]).toEqual([undefined, text]);
    },
  );

  it.each([
    "subscriber_status[]",
    "subscriber_status[0]",
    "Subscriber_Status",
    "subscriberStatus",
    "subscriber-status ",
  ])("reads the subscriber status under %j", (name) => {
    expect(form({ email: "a@example.com", [name]: "0" }).contact?.emailSubscribed).toBe(false);
    expect(form({ email: "a@example.com", [name]: "perhaps" }).extraFields.subscriber_status).toBe("perhaps");
  });

  it("takes no field of another name for the subscriber status", () => {
    const event = form({ action_type: "subscribe", email: "a@example.com", subscriber_status_date: "today" });
    expect(event.extraFields).toEqual({ subscriber_status_date: "today" });
  });

  it("takes two subscriber statuses that differ for none", () => {
    const event = form({ email: "a@example.com", subscriber_status: "1", "subscriber_status[]": "0" });
    expect([event.contact?.emailSubscribed, event.extraFields.subscriber_status]).toEqual([undefined, "1 0"]);
  });

  it("takes an empty subscriber status for none", () => {
    expect(form({ subscriber_status: " ", sms_subscriber_status: "" }).extraFields).toEqual({});
  });

  it("reads tags separated by bars or commas", () => {
    expect(form({ customer_tags: "vip, b2b" }).contact?.tags).toEqual(["vip", "b2b"]);
    expect(form({ customer_tags: "vip|a, b" }).contact?.tags).toEqual(["vip", "a, b"]);
  });
});
