import { timestampMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createColumnPlan } from "../../../src/catalog/feed/columns.js";
import { BadLine, isBad } from "../../../src/catalog/feed/rows.js";
import {
  EVENT_FIELDS,
  EVENT_FIELDS_WITHOUT_TYPE,
  type EventField,
  readEvent,
} from "../../../src/cli/import/event-row.js";
import { createEventAssembler, ORDER_WINDOW, type OrderWindow } from "../../../src/cli/import/orders.js";
import { csvEntries, row } from "../../catalog/feed/product-rows.js";

const NOW = Date.UTC(2026, 0, 1);
const OPTIONS = { defaultType: "", defaultCurrency: "", nowMs: NOW };
const line = (values: Partial<Record<EventField, unknown>>, options = OPTIONS) =>
  readEvent(row<EventField>(values), options);

/** Events of a CSV text, as the import command makes them. */
function eventsOf(text: string, { maps = [""].slice(1), type = "", window = ORDER_WINDOW as OrderWindow } = {}) {
  const assembler = createEventAssembler(window);
  const items = csvEntries(
    text,
    createColumnPlan(type === "" ? EVENT_FIELDS : EVENT_FIELDS_WITHOUT_TYPE, maps),
  ).flatMap((entry) => {
    if (isBad(entry)) throw new Error(entry.reason);
    const read = readEvent(entry, { ...OPTIONS, defaultType: type });
    return assembler.push(read, { line: entry.line, raw: entry.raw }, `key${entry.line}`);
  });
  return [...items, ...assembler.end()];
}

describe("readEvent", () => {
  it("reads every documented column", () => {
    const values = { visitor: "v", type: "Order", product_id: "p", timestamp: "2010-12-01T08:26:00Z" };
    expect(line({ ...values, order_id: "o", quantity: "6", price: "2.55", currency: "gbp" })).toEqual({
      type: "order",
      visitor: "v",
      userId: "",
      fingerprintId: "",
      email: "",
      productId: "p",
      sku: "",
      categoryId: "",
      occurredAtMs: Date.UTC(2010, 11, 1, 8, 26),
      orderId: "o",
      quantity: 6,
      price: { amount: "2.55", currency: "GBP" },
    });
  });

  it("gives a line without a type the default type", () => {
    const options = { ...OPTIONS, defaultType: "product_view" };
    expect(line({ visitor: "v", product_id: "p" }, options).type).toBe("product_view");
    expect(line({ visitor: "v", product_id: "p", type: "add_to_cart" }, options).type).toBe("add_to_cart");
  });

  it.each([
    ["view", "product_view"],
    ["addtocart", "add_to_cart"],
    ["wishlist", "wishlist"],
  ])("reads the type %s as %s", (given, type) => {
    expect(line({ visitor: "v", product_id: "p", type: given }).type).toBe(type);
  });

  it("makes up a visitor for an order that names none", () => {
    expect(line({ type: "order", order_id: "12", product_id: "p" }).visitor).toBe("order:12");
  });

  it.each<[string, Partial<Record<EventField, unknown>>]>([
    ["type: missing", { visitor: "v", product_id: "p" }],
    ["visitor: missing", { type: "product_view", product_id: "p" }],
    ["product_id: missing", { type: "product_view", visitor: "v" }],
    ["product_id: missing", { type: "order", visitor: "v", order_id: "1" }],
    ["order_id: missing", { type: "order", visitor: "v", product_id: "p" }],
    ["order_id: missing", { type: "order_cancel", visitor: "v" }],
    ["timestamp: missing", { type: "product_view", visitor: "v", product_id: "p", timestamp: "" }],
    ["quantity: a number above 0", { type: "add_to_cart", visitor: "v", product_id: "p", quantity: "-2" }],
  ])("rejects with %s", (reason, values) => {
    expect(() => line(values)).toThrow(BadLine);
    expect(() => line(values)).toThrow(reason);
  });
});

describe("createEventAssembler", () => {
  const MAPS = ["visitor=customer", "product_id=item", "timestamp=ts", "order_id=invoice", "price=unit_price"];

  it("makes one event of the lines of an order", () => {
    const text = `invoice,ts,customer,item,quantity,unit_price,country
536365,2010-12-01T08:26:00Z,17850,85123A,6,2.55,United Kingdom
536365,2010-12-01T08:26:00Z,17850,71053,1,3.39,United Kingdom
536366,2010-12-01T08:28:00Z,,22633,6,1.85,United Kingdom
`;
    const items = eventsOf(text, { maps: MAPS, type: "order" });
    const [first, second] = items.map((item) => item.message);
    expect(items.map((item) => item.sources.map((source) => source.line))).toEqual([[2, 3], [4]]);
    expect(first?.actionType).toBe("order");
    expect(first?.order?.orderId).toBe("536365");
    expect(first?.visitor?.clientId).toBe("17850");
    expect(first?.eventTime && timestampMs(first.eventTime)).toBe(Date.UTC(2010, 11, 1, 8, 26));
    expect(first?.products.map((p) => [p.productId, p.quantity, p.price?.amount])).toEqual([
      ["85123A", 6, "2.55"],
      ["71053", 1, "3.39"],
    ]);
    expect(second?.visitor?.clientId).toBe("order:536366");
  });

  it("adds up two lines of one product at one price, and keeps another price separate", () => {
    const text = "type,order_id,product_id,quantity,price\norder,1,a,2,5\norder,1,a,3,5\norder,1,a,1,4\n";
    const [item] = eventsOf(text);
    expect(item?.message.products.map((p) => [p.productId, p.quantity, p.price?.amount])).toEqual([
      ["a", 5, "5"],
      ["a", 1, "4"],
    ]);
  });

  it("makes an event of each line that is not an order", () => {
    const text = "visitor,type,product_id\nv,product_view,a\nv,product_view,a\nv,add_to_cart,b\n";
    const items = eventsOf(text);
    expect(items.map(({ message }) => [message.actionType, message.products[0]?.productId])).toEqual([
      ["product_view", "a"],
      ["product_view", "a"],
      ["add_to_cart", "b"],
    ]);
    expect(items[0]?.message.eventTime).toBeUndefined();
  });

  it("gathers lines of an order that are not adjacent", () => {
    const text = "type,order_id,product_id\norder,1,a\norder,2,b\norder,1,c\n";
    const products = eventsOf(text).map(({ message }) => [
      message.order?.orderId,
      message.products.map((product) => product.productId).join(),
    ]);
    expect(products.sort()).toEqual([
      ["1", "a,c"],
      ["2", "b"],
    ]);
  });

  it("keeps orders of different visitors apart, and cancellations", () => {
    const text = "type,order_id,product_id,visitor\norder,1,a,v\norder,1,b,w\norder_cancel,1,,v\n";
    expect(eventsOf(text).map(({ message }) => [message.actionType, message.visitor?.clientId])).toEqual([
      ["order", "v"],
      ["order", "w"],
      ["order_cancel", "v"],
    ]);
  });

  it("completes an order when enough lines have passed since its last one", () => {
    const window = { ...ORDER_WINDOW, distance: 2 };
    const text = `type,order_id,product_id,visitor
order,1,a,v
product_view,,x,v
order,1,b,v
product_view,,x,v
product_view,,x,v
product_view,,x,v
order,1,c,v
`;
    const orders = eventsOf(text, { window }).filter(({ message }) => message.order);
    expect(orders.map(({ sources }) => sources.map((source) => source.line))).toEqual([[2, 4], [8]]);
  });

  it("derives the key of an order from its content up to its last line", () => {
    expect(eventsOf("type,order_id,product_id\norder,1,a\norder,1,b\n").map((item) => item.key)).toEqual(["key3"]);
  });

  it("sends every line exactly once and never holds more than the window", () => {
    const input = fc.array(fc.tuple(fc.constantFrom("order", "product_view"), fc.nat(6), fc.nat(3)), { maxLength: 80 });
    fc.assert(
      fc.property(input, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 9 }), (lines, orders, held) => {
        const assembler = createEventAssembler({ ...ORDER_WINDOW, orders, lines: held });
        let out = 0;
        lines.forEach(([type, order, product], at) => {
          const read = line({ type, visitor: "v", order_id: String(order), product_id: String(product) });
          for (const item of assembler.push(read, { line: at, raw: "" }, "")) out += item.sources.length;
          expect(at + 1 - out).toBeLessThanOrEqual(held);
        });
        const rest = assembler.end();
        expect(rest.length).toBeLessThanOrEqual(orders);
        for (const item of rest) out += item.sources.length;
        expect(out).toBe(lines.length);
      }),
    );
  });
});
