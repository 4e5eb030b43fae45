import { describe, expect, it } from "vitest";
import { createSightingHashes, SLOTS } from "../../src/catalog/sighting-hashes.js";
import {
  countSighting,
  forgetSightings,
  LIFETIME_DAYS,
  OWNED_A_SLOT,
  PRODUCTS_A_SLOT,
  sightingsOf,
} from "../../src/catalog/unconfirmed-products.js";
import type { UnconfirmedSlot } from "../../src/domain/unconfirmed-product.js";

const DAY_MS = 86_400_000;

function table() {
  const kept = new Map<string, UnconfirmedSlot>();
  const slots = {
    get: (key: string) => kept.get(key),
    put: (key: string, slot: UnconfirmedSlot) => void kept.set(key, slot),
    delete: (key: string) => void kept.delete(key),
  };
  const hashOf = createSightingHashes();
  const send = (productId: string, network: string, at = 0, visitorId = network) =>
    countSighting(slots, { productId, visitorId, network, values: ["", "Tent"], at, wanted: 3 }, hashOf);
  const sizes = () => [...kept.values()].map(({ products }) => products.length);
  return { slots, hashOf, send, kept, sizes, count: (productId: string, at = 0) => sightingsOf(slots, productId, at) };
}

describe("unconfirmed products", () => {
  it("have a total limit, however many networks invent them", () => {
    const { send, sizes } = table();
    for (let n = 0; n < 100_000; n++) send(`invented ${n}`, `net${n % 5000}`);
    expect(sizes().length).toBeLessThanOrEqual(SLOTS);
    expect(Math.max(...sizes())).toBeLessThanOrEqual(PRODUCTS_A_SLOT);
  });

  it("have a lower limit for each network, and a flood evicts only that network's own", () => {
    const { send, sizes, count } = table();
    for (let n = 0; n < 1000; n++) send(`real ${n}`, `home${n}`);
    for (let n = 0; n < 50_000; n++) send(`invented ${n}`, "flood");
    expect(Math.max(...sizes())).toBeLessThanOrEqual(PRODUCTS_A_SLOT);
    const kept = Array.from({ length: 1000 }, (_, n) => count(`real ${n}`)).filter((found) => found === 1);
    expect(kept).toHaveLength(1000);
    const invented = Array.from({ length: 50_000 }, (_, n) => count(`invented ${n}`)).filter((found) => found > 0);
    expect(invented.length).toBeLessThanOrEqual(SLOTS * OWNED_A_SLOT);
  });

  it("count each visitor and each network once, and never count down", () => {
    const { send } = table();
    expect(send("p1", "n1", 0, "v1").count).toBe(1);
    expect(send("p1", "n1", 0, "v2").count).toBe(1);
    expect(send("p1", "n2", 0, "v1").count).toBe(1);
    expect(send("p1", "n2", 0, "v3").count).toBe(2);
    expect(send("p1", "n2", 0, "v1").count).toBe(2);
    expect(send("p1", "n3", 0, "v4")).toMatchObject({ count: 3, confirmed: [false, true], isNew: false });
  });

  it("store neither texts nor addresses", () => {
    const { slots, hashOf, kept } = table();
    const values = ["", "Marker title"];
    const network = "203.0.113.0/24";
    countSighting(
      slots,
      { productId: "marker-id", visitorId: "marker-visitor", network, values, at: 0, wanted: 3 },
      hashOf,
    );
    expect(JSON.stringify([...kept.values()])).not.toMatch(/marker|203\.0\.113/i);
  });

  it("expire, and then leave room for new ones", () => {
    const { send, count } = table();
    send("p1", "n1");
    expect(count("p1", (LIFETIME_DAYS - 1) * DAY_MS)).toBe(1);
    expect(count("p1", LIFETIME_DAYS * DAY_MS)).toBe(0);
    expect(send("p1", "n2", LIFETIME_DAYS * DAY_MS)).toMatchObject({ count: 1, isNew: true });
  });

  it("leave the table when they are forgotten", () => {
    const { slots, send, kept } = table();
    send("p1", "n1");
    forgetSightings(slots, "p1");
    expect(kept.size).toBe(0);
  });
});
