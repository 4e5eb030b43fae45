/**
 * Who sent a request: its network, whether it is a crawler, and the privacy signals of its browser. A network is a shared
 * prefix: 24 bits of an IPv4 address, 48 of an IPv6 address, since one customer often has that many.
 */
import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP, isIPv4, type Socket } from "node:net";
import { isbot } from "isbot";
import type { PublicSender } from "../gen/aisle/v1/event_service_pb.js";
import type { SentSignals } from "../gen/aisle/v1/visitor_pb.js";

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

/** The parts of a request that show where it comes from. */
export interface Peer {
  readonly address: string | undefined;
  readonly forwardedFor: string | string[] | undefined;
  /** Some other header says that a proxy sent the request on. */
  readonly isRelayed?: boolean;
}

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

export function peerOf(request: {
  readonly socket: Pick<Socket, "remoteAddress">;
  readonly headers: IncomingHttpHeaders;
}): Peer {
  const { socket, headers } = request;
  return {
    address: socket.remoteAddress,
    forwardedFor: headers["x-forwarded-for"],
    isRelayed: RELAY_HEADERS.some((name) => headers[name] !== undefined),
  };
}

/** Who posted a request; undefined for the shop itself. */
export type SenderOf = (peer: Peer) => PublicSender | undefined;

/** Tags of all senders whose address does not show where they are; the contract has both names. */
const PRIVATE_NETWORK = from("private");
const UNNAMED_PROXY = from("unnamed proxy");

function from(network: string, address = ""): PublicSender {
  return { $typeName: "aisle.v1.PublicSender", network, address };
}

/** Addresses without a place on the internet: of this machine, its network, or the inside of a carrier's network. */
const PRIVATE = blockList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::/128",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]);

const LONGEST_CHAIN = 16;

/** @param onUnnamedProxy Called with the first request that came through a private address that is no trusted proxy. */
export function createSenderOf(
  { trustedProxies, shopNetworks }: NetworkOptions,
  onUnnamedProxy: () => void = () => undefined,
): SenderOf {
  const proxies = trustedProxies.length === 0 ? undefined : blockList(trustedProxies);
  const shop = shopNetworks.length === 0 ? undefined : blockList(shopNetworks);
  const placeOf = remembered((text: string): Place => {
    const address = plain(text);
    if (address === "") return NOWHERE;
    return {
      isAddress: true,
      isProxy: holds(proxies, address),
      isShop: holds(shop, address),
      network: holds(PRIVATE, address) ? undefined : from(prefixOf(address)),
      exact: from(prefixOf(address), exactOf(address)),
    };
  });
  let isTold = false;
  return (peer) => {
    const { place, isForwarded, isOwn } = clientOf(peer, placeOf);
    if (place.isShop) return undefined;
    if (place.network !== undefined) return isOwn && !place.isProxy ? place.exact : place.network;
    if (!isForwarded) return PRIVATE_NETWORK;
    if (!isTold) onUnnamedProxy();
    isTold = true;
    return UNNAMED_PROXY;
  };
}

/** Throws for an invalid address or prefix. */
export function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length = ""] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (length === "") list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}

/** The network of an address, where it shows one. */
interface Place {
  readonly isAddress: boolean;
  readonly isProxy: boolean;
  readonly isShop: boolean;
  /** Undefined when the address has no place on the internet. */
  readonly network: PublicSender | undefined;
  /** The same with its address. */
  readonly exact: PublicSender;
}

const NOWHERE: Place = { isAddress: false, isProxy: false, isShop: false, network: undefined, exact: from("private") };

interface Client {
  readonly place: Place;
  /** The peer forwards for others and is not trusted. */
  readonly isForwarded: boolean;
  /** The address is the client's own, and not one of a proxy that many use. */
  readonly isOwn: boolean;
}

/** The peer; behind trusted proxies the last address that is not one of them. */
function clientOf({ address, forwardedFor, isRelayed = false }: Peer, placeOf: (text: string) => Place): Client {
  const header = String(forwardedFor ?? "").trim();
  const peer = placeOf(address ?? "");
  if (!peer.isProxy || header === "")
    return { place: peer, isForwarded: header !== "", isOwn: forwardedFor === undefined && !isRelayed };
  const hops = header.split(",").slice(-LONGEST_CHAIN).reverse();
  let place = peer;
  for (const [at, hop] of hops.entries()) {
    place = placeOf(hop.trim());
    if (!place.isProxy) {
      // Hops before this one are its own word: it may be a proxy that is not named.
      const isFirst = at === hops.length - 1;
      return { place, isForwarded: !place.isAddress || !isFirst, isOwn: isFirst };
    }
  }
  return { place, isForwarded: false, isOwn: false };
}

/** Looking an address up in a BlockList takes 5 µs. */
const REMEMBERED = { addresses: 10_000, characters: 64 };

/** Caches the function's results for short texts, up to a limit. */
function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (text.length > REMEMBERED.characters) return found;
    if (known.size >= REMEMBERED.addresses) known.clear();
    known.set(text, found);
    return found;
  };
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An address without port, zone and IPv4-mapped prefix; "" for none. */
function plain(text: string): string {
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = MAPPED.exec(bare)?.[1] ?? bare.replace(/%.*$/, "");
  return isIP(address) === 0 ? "" : address;
}

/** Without a list, the check costs nothing. */
function holds(list: BlockList | undefined, address: string): boolean {
  return list?.check(address, isIPv4(address) ? "ipv4" : "ipv6") ?? false;
}

function prefixOf(address: string): string {
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
  const groups = ipv6Groups(address);
  return `${hexOf(groups.slice(0, 3))}::/48`;
}

/** One text for all ways to write an address. */
function exactOf(address: string): string {
  return isIPv4(address) ? address : hexOf(ipv6Groups(address));
}

function hexOf(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(":");
}

/** The eight 16-bit groups of an IPv6 address. */
function ipv6Groups(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string) => (part === "" ? [] : part.split(":").flatMap(groupsOf));
  const before = read(head);
  if (tail === undefined) return before;
  const after = read(tail);
  return [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

/** The value of one group, or of the IPv4 address that may replace the last two. */
function groupsOf(group: string): number[] {
  if (!group.includes(".")) return [Number.parseInt(group, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** A user agent without a browser name counts as a crawler only if it says so: shops' own programs post events, too. */
const CRAWLER_WORDS = /bot|crawl|spider|slurp|archiver|externalhit|mediapartners|lighthouse|\+https?:/i;

/** Size of the cache. A lookup costs some 7 µs, and a shop's visitors have few user agents. */
const MAX_KNOWN_AGENTS = 1000;

/** Maximum characters read of a user agent; browsers' are shorter. */
const MAX_AGENT_LENGTH = 512;

/**
 * Tells whether a user agent is a crawler's or a headless browser's. The library's list also has HTTP clients with
 * which shop software sends events (`curl`, `GuzzleHttp`, `WordPress`); these do not count as crawlers.
 */
export function createCrawlerTest(): (userAgent: string) => boolean {
  const known = new Map<string, boolean>();
  return (userAgent) => {
    const text = userAgent.slice(0, MAX_AGENT_LENGTH);
    const before = known.get(text);
    if (before !== undefined) return before;
    const isCrawler = (text.startsWith("Mozilla/") || CRAWLER_WORDS.test(text)) && isbot(text);
    if (known.size >= MAX_KNOWN_AGENTS) known.clear();
    known.set(text, isCrawler);
    return isCrawler;
  };
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
