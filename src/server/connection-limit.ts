/** Limits the connections of a listener for each address. */
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { blockList } from "../facade/sender.js";
import type { ConnectionsPerAddress } from "./settings/config.js";

export interface PeerConnectionsOptions {
  /** Connections of the listener at one time. */
  readonly most: number;
  readonly perAddress: ConnectionsPerAddress;
  /** Addresses and prefixes without a limit: proxies, which forward for many. */
  readonly exempt: readonly string[];
}

/**
 * An address may have so many times the free places: alone 3/4 of all, two of them 3/7 each. Some places always stay
 * free.
 */
const SHARE = 3;

/** Decides whether to keep a new connection, and counts it until it closes. */
export function createPeerConnections({
  most,
  perAddress,
  exempt,
}: PeerConnectionsOptions): (socket: Socket) => boolean {
  const held = new Map<string, number>();
  const exempted = blockList(exempt);
  let total = 0;

  return (socket) => {
    const peer = peerOf(socket.remoteAddress);
    const count = held.get(peer?.key ?? "") ?? 0;
    const bound = perAddress === "share" ? SHARE * (most - total) : perAddress;
    const isExempt = peer !== undefined && exempted.check(peer.address, peer.family);
    if (!isExempt && count >= bound) return false;
    total++;
    if (peer !== undefined && !isExempt) held.set(peer.key, count + 1);
    socket.once("close", () => {
      total--;
      if (peer === undefined || isExempt) return;
      const left = (held.get(peer.key) ?? 1) - 1;
      if (left === 0) held.delete(peer.key);
      else held.set(peer.key, left);
    });
    return true;
  };
}

interface Peer {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  /**
   * The unit of the limit: an IPv4 address, or the /64 of an IPv6 one, in which anybody has as many addresses as they
   * like.
   */
  readonly key: string;
}

/** Undefined for a closed socket. */
function peerOf(text: string | undefined): Peer | undefined {
  if (text === undefined || !ipaddr.isValid(text)) return undefined;
  const parsed = ipaddr.process(text);
  const address = parsed.toString();
  if (parsed instanceof ipaddr.IPv6)
    return {
      address,
      family: "ipv6",
      key: parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":"),
    };
  return { address, family: "ipv4", key: address };
}
