/**
 * Who sent a request: its network, whether it is a crawler, and the privacy signals of its browser. A network is a shared
 * prefix: 24 bits of an IPv4 address, 48 of an IPv6 address, since one customer often has that many.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isbot } from "isbot";
import { LRUCache } from "lru-cache";
import type { PublicSender } from "../gen/aisle/v1/event_service_pb.js";
import type { SentSignals } from "../gen/aisle/v1/visitor_pb.js";
import { type Address, addressIn, blockList, groupsOf, holds } from "../http/addresses.js";

export interface NetworkOptions {
  /**
   * Addresses and prefixes of proxies in front of the facade. Only these are trusted with `X-Forwarded-For`; the last
   * address in it that is not such a proxy is the client.
   */
  readonly trustedProxies: readonly string[];
  /** Addresses and prefixes of the shop's own servers: their events count as the shop's own. */
  readonly shopNetworks: readonly string[];
}

export const NO_NETWORKS: NetworkOptions = { trustedProxies: [], shopNetworks: [] };

/** Headers that proxies add besides `X-Forwarded-For`. */
const RELAY_HEADERS = [
  ...["forwarded", "via", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server", "x-forwarded-port"],
  ...["x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip", "cf-ray", "cdn-loop"],
  ...[
    "fastly-client-ip",
    "x-original-forwarded-for",
    "x-envoy-external-address",
    "x-azure-clientip",
    "x-amzn-trace-id",
  ],
] as const;

/** The parts of a request that show where it comes from. */
interface Received {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** Who posted a request; undefined for the shop itself. */
export type SenderOf = (request: Received) => PublicSender | undefined;

/** Tags of all senders whose address does not show where they are; the contract has both names. */
const PRIVATE_NETWORK = from("private");
const UNNAMED_PROXY = from("unnamed proxy");

function from(network: string, address = ""): PublicSender {
  return { $typeName: "aisle.v1.PublicSender", network, address };
}

/** Addresses without a place on the internet: of this machine, its network, or the inside of a carrier's network. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  ...["unspecified", "loopback", "linkLocal"],
  ...["private", "carrierGradeNat", "uniqueLocal"],
]);

const LONGEST_CHAIN = 16;

/** Longer text is no address. */
const LONGEST_ADDRESS = 64;

/** @param onUnnamedProxy Called with the first request that came through a private address that is no trusted proxy. */
export function createSenderOf(
  { trustedProxies, shopNetworks }: NetworkOptions,
  onUnnamedProxy: () => void = () => undefined,
): SenderOf {
  const proxies = blockList(trustedProxies);
  const shop = blockList(shopNetworks);
  const places = new LRUCache<string, Place>({
    max: 10_000,
    memoMethod: (text) => {
      const address = addressIn(text);
      if (address === undefined) return NOWHERE;
      const network = networkOf(address);
      return {
        isAddress: true,
        isProxy: holds(proxies, address),
        isShop: holds(shop, address),
        network: PRIVATE_RANGES.has(address.range()) ? undefined : from(network),
        exact: from(network, address.toNormalizedString()),
      };
    },
  });
  const placeOf = (text: string) => (text.length > LONGEST_ADDRESS ? NOWHERE : places.memo(text));
  let isTold = false;
  /**
   * `isOwn`: the address is the client's own, and not one of a proxy that many use. `isForwarded`: the peer forwards for
   * others and is not trusted.
   */
  const senderAt = (place: Place, isOwn: boolean, isForwarded: boolean): PublicSender | undefined => {
    if (place.isShop) return undefined;
    if (place.network !== undefined) return isOwn && !place.isProxy ? place.exact : place.network;
    if (!isForwarded) return PRIVATE_NETWORK;
    if (!isTold) onUnnamedProxy();
    isTold = true;
    return UNNAMED_PROXY;
  };
  // The sender is the peer; behind trusted proxies the last address that is not one of them.
  return ({ socket, headers }) => {
    const forwardedFor = headers["x-forwarded-for"];
    const header = String(forwardedFor ?? "").trim();
    let place = placeOf(socket.remoteAddress ?? "");
    if (!place.isProxy || header === "") {
      const isRelayed = forwardedFor !== undefined || RELAY_HEADERS.some((name) => headers[name] !== undefined);
      return senderAt(place, !isRelayed, header !== "");
    }
    const hops = header.split(",").slice(-LONGEST_CHAIN).reverse();
    for (const [at, hop] of hops.entries()) {
      place = placeOf(hop.trim());
      // Hops before this one are its own word: it may be a proxy that is not named.
      const isFirst = at === hops.length - 1;
      if (!place.isProxy) return senderAt(place, isFirst, !place.isAddress || !isFirst);
    }
    return senderAt(place, false, false);
  };
}

/** The network of an address, where it shows one. */
interface Place {
  readonly isAddress: boolean;
  readonly isProxy: boolean;
  readonly isShop: boolean;
  /** Undefined when the address has no place on the internet. */
  readonly network: PublicSender | undefined;
  /** The same with its address, one text for all ways to write it. */
  readonly exact: PublicSender;
}

const NOWHERE: Place = { isAddress: false, isProxy: false, isShop: false, network: undefined, exact: PRIVATE_NETWORK };

function networkOf(address: Address): string {
  return address.kind() === "ipv4" ? `${address.toString().replace(/\d+$/, "0")}/24` : `${groupsOf(address, 3)}::/48`;
}

/** A user agent without a browser name counts as a crawler only if it says so: shops' own programs post events, too. */
const CRAWLER_WORDS = /bot|crawl|spider|slurp|archiver|externalhit|mediapartners|lighthouse|\+https?:/i;

/** Maximum characters read of a user agent; browsers' are shorter. */
const MAX_AGENT_LENGTH = 512;

/**
 * Tells whether a user agent is a crawler's or a headless browser's. The library's list also has HTTP clients with
 * which shop software sends events (`curl`, `GuzzleHttp`, `WordPress`); these do not count as crawlers.
 */
export function createCrawlerTest(): (userAgent: string) => boolean {
  // A lookup costs some 7 µs, and a shop's visitors have few user agents.
  const known = new LRUCache<string, boolean>({
    max: 1000,
    memoMethod: (text) => (text.startsWith("Mozilla/") || CRAWLER_WORDS.test(text)) && isbot(text),
  });
  return (userAgent) => known.memo(userAgent.slice(0, MAX_AGENT_LENGTH));
}

/** The signals against profiles that a browser sent: Global Privacy Control and Do Not Track. Undefined for none. */
export function signalsOf(headers: IncomingHttpHeaders): SentSignals | undefined {
  const globalPrivacyControl = isOne(headers["sec-gpc"]);
  const doNotTrack = isOne(headers.dnt);
  if (!globalPrivacyControl && !doNotTrack) return undefined;
  return { $typeName: "aisle.v1.SentSignals", globalPrivacyControl, doNotTrack };
}

/** A header that came twice has its values joined by a comma: one `1` is enough. */
function isOne(header: string | string[] | undefined): boolean {
  return [header ?? ""].flat().some((text) => text.split(",").some((value) => value.trim() === "1"));
}
