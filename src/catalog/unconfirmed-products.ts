/**
 * Products that too few visitors have sent yet. They live outside the catalogue, in a table that invented ids cannot
 * grow: `SLOTS` records for an app, each with at most `PRODUCTS_A_SLOT` products. Of these a network that was the first
 * to send them owns at most `OWNED_A_SLOT`; its oldest leaves for a new one. In a full slot the oldest product of the
 * network that owns most leaves. So one network can only push out what it sent itself, and each product costs one read
 * and one write of a small record. What nobody sent for `LIFETIME_DAYS` reads as absent.
 */
import type { Sighting, UnconfirmedProduct, UnconfirmedSlot } from "../domain/unconfirmed-product.js";
import type { Lookup, Records } from "../store/ports/unit-of-work.js";
import { placeOf, type SightingHashes } from "./sighting-hashes.js";

export const PRODUCTS_A_SLOT = 8;
export const OWNED_A_SLOT = 2;
export const LIFETIME_DAYS = 30;
/** Sightings of a product beyond those that confirm it: as many networks may disagree about a value. */
const SPARE_SIGHTINGS = 8;

const DAY_MS = 86_400_000;

/** The data of one event on a product. */
export interface Sent {
  readonly productId: string;
  readonly visitorId: string;
  /** "" when unknown: all unknown networks count as one. */
  readonly network: string;
  /** A text for each field, "" when absent. */
  readonly values: readonly string[];
  readonly at: number;
  /** Different visitors of as many networks that confirm a product or a value. */
  readonly wanted: number;
}

export interface Counted {
  /** Networks that have sent the product, each counted with another visitor. */
  readonly count: number;
  /** For each field, whether enough networks sent the same value. */
  readonly confirmed: readonly boolean[];
  readonly isNew: boolean;
  /** Products evicted for this one, expired ones not counted. */
  readonly evicted: number;
}

/** Counts a sighting, and returns how many agree by now. */
export function countSighting(slots: Records<UnconfirmedSlot>, sent: Sent, hashOf: SightingHashes): Counted {
  const { key, slot, values: hashes } = hashOf.product(sent.productId, sent.values);
  const day = dayOf(sent.at);
  const kept = alive(slots.get(slot), day);
  const before = kept.find((product) => product.key === key);
  const seenBy = { visitor: hashOf.visitor(sent.visitorId), network: hashOf.network(sent.network) };
  const sightings = withSighting(before?.sightings ?? [], hashes, seenBy, sent.wanted);
  const others = kept.filter((product) => product !== before);
  const evicted = before === undefined ? makeRoom(others, sightings[0]?.network) : 0;
  if (before?.sightings !== sightings || before.day !== day)
    slots.put(slot, { products: [...others, { key, day, sightings }] });
  return {
    count: sightings.length,
    confirmed: confirmedOf(hashes, sightings, sent.wanted),
    isNew: before === undefined,
    evicted,
  };
}

/** How many networks have sent a product that is not confirmed. */
export function sightingsOf(slots: Lookup<UnconfirmedSlot>, productId: string, at: number): number {
  const { key, slot } = placeOf(productId);
  const found = alive(slots.get(slot), dayOf(at)).find((product) => product.key === key);
  return found?.sightings.length ?? 0;
}

/** Forgets the sightings of a product. */
export function forgetSightings(slots: Records<UnconfirmedSlot>, productId: string): void {
  const { key, slot } = placeOf(productId);
  const before = slots.get(slot)?.products ?? [];
  const products = before.filter((product) => product.key !== key);
  if (products.length === before.length) return;
  if (products.length === 0) slots.delete(slot);
  else slots.put(slot, { products });
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function alive(slot: UnconfirmedSlot | undefined, day: number): readonly UnconfirmedProduct[] {
  return slot?.products.filter((product) => product.day > day - LIFETIME_DAYS) ?? [];
}

/**
 * A network, and a visitor, has one sighting. What a second one says replaces what was said of the same fields, so that
 * a count never falls. The same array when nothing changes.
 */
function withSighting(
  sightings: readonly Sighting[],
  hashes: readonly string[],
  { visitor, network }: Pick<Sighting, "visitor" | "network">,
  wanted: number,
): readonly Sighting[] {
  const own = sightings.find((one) => one.network === network) ?? sightings.find((one) => one.visitor === visitor);
  const said = own?.values.split(",") ?? [];
  const values = hashes.map((one, field) => one || (said[field] ?? "")).join(",");
  if (own === undefined) return [...sightings, { visitor, network, values }].slice(-(wanted + SPARE_SIGHTINGS));
  if (own.values === values) return sightings;
  return sightings.map((one) => (one === own ? { ...own, values } : one));
}

function confirmedOf(hashes: readonly string[], sightings: readonly Sighting[], wanted: number): boolean[] {
  if (sightings.length < wanted) return hashes.map(() => false);
  const said = sightings.map(({ values }) => values.split(","));
  return hashes.map((one, field) => one !== "" && said.filter((values) => values[field] === one).length >= wanted);
}

/** Evicts from `products` to make room for one of this network; returns the number. */
function makeRoom(products: UnconfirmedProduct[], network: string | undefined): number {
  const owned = products.filter((product) => ownerOf(product) === network);
  if (owned.length >= OWNED_A_SLOT) return remove(products, owned[0]);
  if (products.length < PRODUCTS_A_SLOT) return 0;
  const loads = new Map<string | undefined, number>();
  for (const product of products) loads.set(ownerOf(product), (loads.get(ownerOf(product)) ?? 0) + 1);
  const most = Math.max(...loads.values());
  return remove(
    products,
    products.find((product) => loads.get(ownerOf(product)) === most),
  );
}

/** The network that sent it first. */
function ownerOf({ sightings }: UnconfirmedProduct): string | undefined {
  return sightings[0]?.network;
}

function remove(products: UnconfirmedProduct[], product: UnconfirmedProduct | undefined): number {
  if (product !== undefined) products.splice(products.indexOf(product), 1);
  return product === undefined ? 0 : 1;
}
