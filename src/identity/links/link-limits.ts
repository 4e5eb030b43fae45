/**
 * How many e-mail addresses and phone numbers anybody may tie to cookies of their own.
 *
 * The public interface has no secret: whoever knows an app's id can post an address with a visitor id and then ask for
 * that visitor's status. So the addresses that a visitor, and all visitors of a network, are newly linked to within a
 * day (UTC) are counted, in the transaction that links them: the count is exact over all processes of a store. The count
 * of a visitor is in its record. Those of networks are in a table of at most `SLOTS` records of `NETWORKS_A_SLOT`
 * networks for an app: where more than that share a slot, the one with the fewest addresses is forgotten.
 *
 * Addresses in many networks are cheap, so the links of one app to contacts that it knew before are counted as well, by the hour.
 *
 * Networks and their addresses are kept as hashes with a secret that is made anew each day and then lost.
 */
import { createHmac, hash } from "node:crypto";
import { APP_HOUR, NETWORK_SECRET, type NetworkLinks } from "../../domain/network-links.js";
import type { PublicSender } from "../../domain/public-sender.js";
import type { Visitor } from "../../domain/visitor.js";
import type { Transaction } from "../../store/ports/unit-of-work.js";

/** Infinity for no limit. */
export interface LinkLimits {
  /** New addresses a day. */
  readonly perVisitor: number;
  readonly perNetwork: number;
  /** New links an hour to contacts that the app knew before. */
  readonly perApp: number;
}

export const LINK_LIMITS: LinkLimits = { perVisitor: 3, perNetwork: 20, perApp: 1000 };

export type LimitReached = "visitor" | "network" | "app";

const SLOTS = 4096;
const NETWORKS_A_SLOT = 16;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const TAG_LENGTH = 10;

/**
 * A digest of a linked address in the visitor's record. It shows whether an address is the same, not which one it is.
 */
export function linkTag(addressId: string): string {
  return hash("sha256", addressId, "base64url").slice(0, TAG_LENGTH);
}

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

export interface Admission {
  readonly tx: Transaction;
  readonly limits: LinkLimits;
  readonly sender: PublicSender;
  /** Time of receipt. */
  readonly at: number;
  /** Returns 32 random hex digits, new ones at each call. */
  readonly newSecret: () => string;
  /** Whether the app knew the contact before this event: only of such a one can something be learned. */
  readonly isKnown: boolean;
}

/** Addresses that a visitor was newly linked to on the day of `at`. */
export function linksOfDay(visitor: Visitor | undefined, at: number): readonly string[] {
  return visitor === undefined || visitor.linksDay !== dayOf(at) ? [] : visitor.links;
}

/**
 * Counts a new link of a visitor to an address, or returns the limit that forbids it and counts nothing. An address
 * counts once a day.
 *
 * @param known The visitor's own count of that day.
 */
export function admitLink(admission: Admission, known: readonly string[], addressId: string): LimitReached | undefined {
  const tag = linkTag(addressId);
  if (!known.includes(tag) && known.length >= admission.limits.perVisitor) return "visitor";
  if (admission.isKnown && linksOfHour(admission) >= admission.limits.perApp) return "app";
  const refused = admitNetwork(admission, addressId);
  if (refused === undefined && admission.isKnown) countInHour(admission);
  return refused;
}

function linksOfHour({ tx, limits, at }: Admission): number {
  if (limits.perApp === Number.POSITIVE_INFINITY) return 0;
  const known = tx.networkLinks.get(APP_HOUR);
  return known?.day === hourOf(at) ? known.count : 0;
}

function countInHour(admission: Admission): void {
  const { tx, limits, at } = admission;
  if (limits.perApp === Number.POSITIVE_INFINITY) return;
  tx.networkLinks.put(APP_HOUR, { day: hourOf(at), tallies: [], secret: "", count: linksOfHour(admission) + 1 });
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

function admitNetwork(admission: Admission, addressId: string): LimitReached | undefined {
  const { tx, limits, sender, at, newSecret } = admission;
  if (sender.network === "" || limits.perNetwork === Number.POSITIVE_INFINITY) return undefined;
  const day = dayOf(at);
  const secret = secretOf(tx, day, newSecret);
  const network = keyed(secret, `network ${sender.network}`);
  const address = keyed(secret, `address ${addressId}`);
  const slot = String(Number.parseInt(hash("sha256", network, "hex").slice(0, 8), 16) % SLOTS);
  const before = tx.networkLinks.get(slot);
  const tallies = before?.day === day ? before.tallies : [];
  const addresses = tallies.find((tally) => tally.network === network)?.addresses ?? [];
  if (addresses.includes(address)) return undefined;
  if (addresses.length >= limits.perNetwork) return "network";
  const others = tallies.filter((tally) => tally.network !== network);
  if (others.length >= NETWORKS_A_SLOT) others.splice(fewest(others), 1);
  const links: NetworkLinks = {
    day,
    tallies: [...others, { network, addresses: [...addresses, address] }],
    secret: "",
    count: 0,
  };
  tx.networkLinks.put(slot, links);
  return undefined;
}

function fewest(tallies: NetworkLinks["tallies"]): number {
  const least = Math.min(...tallies.map(({ addresses }) => addresses.length));
  return tallies.findIndex(({ addresses }) => addresses.length === least);
}

function secretOf(tx: Transaction, day: number, newSecret: () => string): string {
  const known = tx.networkLinks.get(NETWORK_SECRET);
  if (known?.day === day) return known.secret;
  const secret = newSecret();
  tx.networkLinks.put(NETWORK_SECRET, { day, tallies: [], secret, count: 0 });
  return secret;
}

function keyed(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url").slice(0, TAG_LENGTH);
}
