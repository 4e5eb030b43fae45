import { crc32c } from "@node-rs/crc32";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareApp } from "../../../src/domain/app.js";
import { DataDamaged } from "../../../src/domain/errors.js";
import { codecOf, decode, encode, interactionCodec, type RecordCodec } from "../../../src/store/lmdb/codec.js";
import { keyOf, timedKey } from "../../../src/store/lmdb/keys.js";
import { text } from "../../../src/store/schema/kinds.js";
import { SCHEMA } from "../../../src/store/schema/schema.js";
import { anyEvent, anyId, anyInteraction, anyProduct, event, order } from "../../contract/samples.js";
import { bareProduct } from "../../fixtures/bare-product.js";

const eventCodec = codecOf(SCHEMA.events);
const productCodec = codecOf(SCHEMA.products);
const orderCodec = codecOf(SCHEMA.orders);
const appCodec = codecOf(SCHEMA.apps);
const textCodec = codecOf(text);

describe("values in the embedded store", () => {
  it("are decoded as they were stored", () => {
    fc.assert(
      fc.property(anyEvent, (one) => {
        const key = keyOf("app", one.eventId);
        const bytes = encode(eventCodec, key, one);
        expect(decode(eventCodec, key, bytes, bytes.length)).toEqual(one);
      }),
    );
    fc.assert(
      fc.property(anyProduct, (one) => {
        const key = keyOf("app", one.productId);
        const bytes = encode(productCodec, key, one);
        expect(decode(productCodec, key, bytes, bytes.length)).toEqual(one);
      }),
    );
  });

  it("end with the CRC32C of their bytes, begun with that of the key, whatever their length", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = encode(textCodec, "k", "é".repeat(length % 7) + "x".repeat(length));
      const end = bytes.length - 4;
      expect(bytes.readUInt32BE(end)).toBe(crc32c(bytes.subarray(0, end), crc32c("k")));
    }
  });

  it("of interactions get their time and ref from the key", () => {
    fc.assert(
      fc.property(anyId, anyInteraction, (visitorId, one) => {
        const key = timedKey("app", visitorId, one.at, one.ref);
        const bytes = encode(interactionCodec, key, one);
        expect(decode(interactionCodec, key, bytes, bytes.length)).toEqual(one);
      }),
    );
  });

  it("of events and orders from before crawlers were marked count as people's", () => {
    const older = <T>(codec: RecordCodec<T>, cells: number): RecordCodec<T> => ({
      toCells: (value) => codec.toCells(value).slice(0, cells),
      fromCells: codec.fromCells,
    });
    const robots = { event: event("e1", { bot: true }), order: order("o1", { bot: true }) };
    const events = encode(older(eventCodec, -3), "k", robots.event);
    expect(decode(eventCodec, "k", events, events.length)).toEqual({ ...robots.event, bot: false, isShops: "unknown" });
    const orders = encode(older(orderCodec, 13), "k", robots.order);
    expect(decode(orderCodec, "k", orders, orders.length)).toEqual({ ...robots.order, bot: false, receivedAt: 0 });
  });

  it("of products and apps from before learned products existed can be decoded", () => {
    const older = <T>(codec: RecordCodec<T>, cells: number): RecordCodec<T> => ({
      toCells: (value) => codec.toCells(value).slice(0, cells),
      fromCells: codec.fromCells,
    });
    const learned = bareProduct("p1", { origin: "event" });
    const products = encode(older(productCodec, 17), "k", learned);
    expect(decode(productCodec, "k", products, products.length)).toEqual(learned);
    const apps = encode(older(appCodec, 8), "k", bareApp("shop", 1));
    expect(decode(appCodec, "k", apps, apps.length)).toEqual({ ...bareApp("shop", 1), contactKeyRules: 1 });
  });

  it("of apps keep their groups", () => {
    const group = { groupId: "g", title: "G", categoryIds: ["c"], brands: ["b"], tags: ["t"], productIds: ["p"] };
    const app = { ...bareApp("shop", 1), groups: [group], learnedAfterVisitors: 7 };
    const bytes = encode(appCodec, "k", app);
    expect(decode(appCodec, "k", bytes, bytes.length)).toEqual(app);
    expect(SCHEMA.apps.fromDocument(SCHEMA.apps.toDocument(app))).toEqual(app);
    const { groups: _, learnedAfterVisitors: __, ...before } = app;
    expect(SCHEMA.apps.fromDocument(before)).toEqual(bareApp("shop", 1));
  });

  it("take no more bytes than their texts and a few for each field", () => {
    expect(encode(eventCodec, "k", event("e1")).length).toBeLessThan(80);
  });

  it("end with a CRC32C checksum", () => {
    const bytes = encode(textCodec, "", "value");
    expect(bytes.readUInt32BE(bytes.length - 4)).toBe(crc32c(bytes.subarray(0, -4)));
  });

  it("are rejected when any one bit is flipped", () => {
    const key = keyOf("app", "e1");
    const bytes = encode(eventCodec, key, event("e1", { platform: "magento2" }));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
      expect(() => decode(eventCodec, key, damaged, damaged.length)).toThrow(DataDamaged);
    }
  });

  it("are rejected under any other key", () => {
    const bytes = encode(textCodec, keyOf("app", "1"), "value");
    fc.assert(
      fc.property(anyId, anyId, (app, id) => {
        fc.pre(app !== "app" || id !== "1");
        expect(() => decode(textCodec, keyOf(app, id), bytes, bytes.length)).toThrow(DataDamaged);
      }),
    );
  });

  it("are rejected when they are cut short, empty, or of another kind", () => {
    const bytes = encode(textCodec, "k", "value");
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decode(textCodec, "k", bytes, length)).toThrow(DataDamaged);
    }
    expect(() => decode(eventCodec, "k", bytes, bytes.length)).toThrow(DataDamaged);
  });

  it("are decoded from the start of a longer buffer", () => {
    const bytes = encode(textCodec, "k", "value");
    const buffer = Buffer.concat([bytes, Buffer.alloc(100, 0xc1)]);
    expect(decode(textCodec, "k", buffer, bytes.length)).toBe("value");
  });
});
